from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.nouns import Question, Verdict
from debate_gym.envs.reward import REWARDS, rewards
from debate_gym.envs.verdict import average_orders, failed_verdict, make_verdict

QUESTION = Question("q", "t", "?", ("a", "b"), 1)
SIDES = {"debater_0": 0, "debater_1": 1}
share = st.floats(0, 1)


def verdict(first: float, order: tuple[int, int] = (0, 1)) -> Verdict:
    return make_verdict("j", order, (first, 1 - first), QUESTION)


@pytest.mark.parametrize("kind", sorted(REWARDS))
def test_a_judge_of_positions_pays_nothing(kind: str) -> None:
    averaged = average_orders([verdict(1.0, (0, 1)), verdict(0.0, (1, 0))], QUESTION.correct)
    assert rewards(averaged, SIDES, kind) == {"debater_0": 0.0, "debater_1": 0.0}


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
