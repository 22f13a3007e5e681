from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.nouns import Outcome, Question, Verdict
from debate_gym.envs.reward import REWARDS, rewards
from debate_gym.envs.verdict import average_orders, failed_verdict, make_verdict, order_dependent

QUESTION = Question("q", "t", "?", ("a", "b"), 1)
SIDES = {"debater_0": 0, "debater_1": 1}
share = st.floats(0, 1)


def verdict(first: float, order: tuple[int, int] = (0, 1)) -> Verdict:
    return make_verdict("j", order, (first, 1 - first), QUESTION)


@pytest.mark.parametrize(
    ("first", "choice", "outcome"),
    [(0.9, 0, Outcome.INCORRECT), (0.1, 1, Outcome.CORRECT), (0.5, None, Outcome.TIE)],
)
def test_make_verdict(first: float, choice: int | None, outcome: Outcome) -> None:
    made = verdict(first)
    assert (made.choice, made.outcome) == (choice, outcome)


@pytest.mark.parametrize("p", [None, (math.nan, math.nan), (math.inf, 0.0)])
def test_no_number_is_unreadable(p: tuple[float, float] | None) -> None:
    made = make_verdict("j", (0, 1), p, QUESTION)
    assert (made.p, made.choice, made.outcome) == (None, None, Outcome.UNREADABLE)


@pytest.mark.parametrize("p", [(0.5, 0.6), (-0.1, 1.1)])
def test_wrong_probabilities_are_refused(p: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        make_verdict("j", (0, 1), p, QUESTION)


def test_a_judge_of_positions_ties_and_pays_nothing() -> None:
    both = [verdict(1.0, (0, 1)), verdict(0.0, (1, 0))]
    averaged = average_orders(both, QUESTION.correct)
    assert averaged.outcome is Outcome.TIE
    assert order_dependent(both)
    for kind in REWARDS:
        assert set(rewards(averaged, SIDES, kind).values()) == {0.0}


def test_half_a_verdict_is_none() -> None:
    unreadable = make_verdict("j", (1, 0), None, QUESTION)
    assert average_orders([verdict(0.9), unreadable], 1).outcome is Outcome.UNREADABLE
    assert average_orders([verdict(0.9), failed_verdict("j")], 1).outcome is Outcome.FAILED
    with pytest.raises(ValueError, match="one judge"):
        average_orders([], 1)


@given(share, st.sampled_from(sorted(REWARDS)))
def test_rewards_are_zero_sum_and_follow_the_winner(first: float, kind: str) -> None:
    paid = rewards(verdict(first), SIDES, kind)
    assert sum(paid.values()) == pytest.approx(0, abs=1e-12)
    assert (paid["debater_0"] >= 0) == (first >= 0.5) or paid["debater_0"] == 0


@given(share, st.sampled_from(sorted(REWARDS)))
def test_relabelling_the_answers_changes_no_reward(first: float, kind: str) -> None:
    swapped = make_verdict("j", (0, 1), (1 - first, first), QUESTION)
    flipped = {seat: 1 - side for seat, side in SIDES.items()}
    assert rewards(verdict(first), SIDES, kind) == pytest.approx(
        rewards(swapped, flipped, kind), abs=1e-9
    )


@pytest.mark.parametrize(
    ("kind", "paid"),
    [("win", 1.0), ("probability", 0.5), ("log_probability", 0.549306), ("margin", 0.25)],
)
def test_rewards_by_hand(kind: str, paid: float) -> None:
    assert rewards(verdict(0.75), {"debater_0": 0}, kind)["debater_0"] == pytest.approx(paid, 1e-5)


def test_no_verdict_pays_nobody() -> None:
    for made in (failed_verdict("j"), make_verdict("j", (0, 1), None, QUESTION)):
        assert rewards(made, SIDES) == {"debater_0": 0.0, "debater_1": 0.0}
    with pytest.raises(ValueError, match="did you mean 'win'"):
        rewards(verdict(0.5), SIDES, "wins")
