"""From a judge's probabilities to a verdict, and from several answer orders to one.

The reward and every table read verdicts through this file, so that both use one accounting. What
a judge writes becomes a choice by `read_verdict` and a probability by `read_probability`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from debate_gym.envs.nouns import Outcome, Overhead, Question, Verdict
from debate_gym.envs.probability import read_probability
from debate_gym.envs.reading import Reading, read_verdict

__all__ = [
    "BOTH_ORDERS",
    "NOTHING",
    "TIE_TOLERANCE",
    "Reading",
    "average_orders",
    "failed_verdict",
    "make_verdict",
    "order_dependent",
    "read_probability",
    "read_verdict",
]

NOTHING = Overhead()
BOTH_ORDERS: tuple[tuple[int, int], tuple[int, int]] = ((0, 1), (1, 0))
TIE_TOLERANCE = 1e-9


def make_verdict(
    judge: str,
    order: tuple[int, int] | None,
    p: tuple[float, float] | None,
    question: Question,
    *,
    reasoning: str = "",
    label_mass: float | None = None,
    spent: Overhead = NOTHING,
) -> Verdict:
    """Builds the verdict that probabilities amount to.

    Args:
        p: probability of `answers[0]` and of `answers[1]`, in the question's order whatever the
            order shown. None, or any value that is not finite, makes the verdict unreadable.

    Raises:
        ValueError: if finite probabilities are negative or do not add up to one (within 1e-6).
    """
    if p is None or not all(math.isfinite(value) for value in p):
        return Verdict(judge, order, None, None, Outcome.UNREADABLE, reasoning, label_mass, spent)
    if min(p) < 0 or abs(sum(p) - 1) > 1e-6:
        raise ValueError(f"judge {judge!r}: probabilities must be >= 0 and add up to 1, got {p}")
    choice = None if abs(p[0] - p[1]) <= TIE_TOLERANCE else int(p[1] > p[0])
    outcome = _outcome(choice, question.correct)
    return Verdict(judge, order, p, choice, outcome, reasoning, label_mass, spent)


def failed_verdict(judge: str) -> Verdict:
    """The verdict of an episode that broke before it could be judged."""
    return Verdict(judge, None, None, None, Outcome.FAILED)


def average_orders(verdicts: Sequence[Verdict], correct: int) -> Verdict:
    """Averages one judge's verdicts over the answer orders it was shown.

    A failed order makes the whole failed, else an unreadable order makes it unreadable: half a
    verdict would bring the position bias back.

    Args:
        verdicts: of one judge on one transcript.
        correct: index of the correct answer.

    Raises:
        ValueError: on no verdict, or on verdicts of several judges.
    """
    if not verdicts or len({verdict.judge for verdict in verdicts}) != 1:
        names = sorted({verdict.judge for verdict in verdicts})
        raise ValueError(f"expected the verdicts of one judge, got {names or 'none'}")
    judge, spent = verdicts[0].judge, sum((verdict.spent for verdict in verdicts), NOTHING)
    for outcome in (Outcome.FAILED, Outcome.UNREADABLE):
        if any(verdict.outcome is outcome for verdict in verdicts):
            return Verdict(judge, None, None, None, outcome, spent=spent)
    shares = [verdict.p for verdict in verdicts if verdict.p is not None]
    first = sum(p[0] for p in shares) / len(shares)
    mean = (first, 1 - first)
    choice = None if abs(mean[0] - mean[1]) <= TIE_TOLERANCE else int(mean[1] > mean[0])
    masses = [verdict.label_mass for verdict in verdicts if verdict.label_mass is not None]
    return Verdict(
        judge,
        None,
        mean,
        choice,
        _outcome(choice, correct),
        label_mass=sum(masses) / len(masses) if masses else None,
        spent=spent,
    )


def order_dependent(verdicts: Sequence[Verdict]) -> bool:
    """Whether the judge's choice changes with the order in which it saw the answers."""
    return len({verdict.choice for verdict in verdicts if verdict.p is not None}) > 1


def _outcome(choice: int | None, correct: int) -> Outcome:
    if choice is None:
        return Outcome.TIE
    return Outcome.CORRECT if choice == correct else Outcome.INCORRECT
