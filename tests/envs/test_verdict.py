from __future__ import annotations

import math

import pytest

from debate_gym.envs.nouns import Outcome, Overhead, Question, Verdict
from debate_gym.envs.verdict import average_orders, failed_verdict, make_verdict, order_dependent

QUESTION = Question("q", "t", "?", ("a", "b"), 1)


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


def test_a_judge_of_positions_ties() -> None:
    both = [verdict(1.0, (0, 1)), verdict(0.0, (1, 0))]
    averaged = average_orders(both, QUESTION.correct)
    assert averaged.outcome is Outcome.TIE
    assert order_dependent(both)


def test_what_was_spent_adds_up_over_the_orders() -> None:
    spent = Overhead(1, 100, 7, (("readings", 1),))
    one = make_verdict("j", (0, 1), (0.5, 0.5), QUESTION, spent=spent)
    other = make_verdict("j", (1, 0), None, QUESTION, spent=spent)
    both = Overhead(2, 200, 14, (("readings", 2),))
    assert average_orders([one, one], 1).spent == both
    assert average_orders([one, other], 1).spent == both


def test_half_a_verdict_is_none() -> None:
    unreadable = make_verdict("j", (1, 0), None, QUESTION)
    assert average_orders([verdict(0.9), unreadable], 1).outcome is Outcome.UNREADABLE
    assert average_orders([verdict(0.9), failed_verdict("j")], 1).outcome is Outcome.FAILED
    with pytest.raises(ValueError, match="one judge"):
        average_orders([], 1)
