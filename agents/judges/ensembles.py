"""One judgement out of several of one transcript (P24 appendix B.4), as plain functions.

A judgement is p, the probability of `answers[0]`, in [0, 1]. It chooses answers[0] if p is above
one half and answers[1] if below; at one half it chooses neither. Its confidence c is the
probability of what it chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean

from debate_gym.envs.names import unknown
from debate_gym.envs.verdict import TIE_TOLERANCE


def pooled(judgements: Sequence[float], rule: str) -> float:
    """The probability of `answers[0]` that several judgements amount to; one half is a tie.

    Args:
        rule: `mean` of p;
            `min`: what its least convinced judge gives each answer, min p and min (1 - p), scaled
            to add up to one; a tie where both are 0;
            `majority`: the share of answers[0] among the choices;
            `weighted`: the same with every choice counted c times;
            `squared`: the same with every choice counted c^2 times;
            `confident`: the p of the highest c, the mean of several such.

    Only what a judgement chooses is counted: with 1 - c counted for the other answer, as
    c^2 - (1 - c)^2 = c - (1 - c), squaring would change no choice.

    Raises:
        ValueError: on no judgement, one outside [0, 1], or an unknown rule.
    """
    _check(judgements, rule)
    return RULES[rule](judgements)


def chance(judgements: Sequence[float], rule: str) -> float:
    """The probability that a rule picks `answers[0]` where, as in P24, ties are broken at random.

    That is 1, 0 or 1/2, and for `confident` the share of answers[0] among the choices of the
    highest confidence.

    Raises:
        ValueError: as `pooled`.
    """
    first = pooled(judgements, rule)
    if rule == "confident":
        return fmean(map(_pick, _most_confident(judgements)))
    return _pick(first)


def k_of_n(judgements: Sequence[float], k: int, rule: str) -> float:
    """What k judgements are worth, by the n that were made: the mean of `chance` over all subsets
    of k.

    This is the accuracy where answers[0] is correct, and one minus it where it is not.

    Args:
        k: the whole n serve where it is larger, as in P24.

    Raises:
        ValueError: as `pooled`, and on k below 1.
    """
    _check(judgements, rule)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    subsets = combinations(judgements, min(k, len(judgements)))
    return fmean(chance(subset, rule) for subset in subsets)


def check_rule(rule: str) -> None:
    """
    Raises:
        ValueError: on an unknown rule.
    """
    if rule not in RULES:
        raise ValueError(unknown("rule", rule, RULES))


def _check(judgements: Sequence[float], rule: str) -> None:
    check_rule(rule)
    if not judgements or not all(0 <= p <= 1 for p in judgements):
        raise ValueError(f"expected probabilities from 0 to 1, at least one, got {judgements}")


def _pick(p: float) -> float:
    return 0.5 if abs(p - 0.5) <= TIE_TOLERANCE / 2 else float(p > 0.5)


def _minimum(judgements: Sequence[float]) -> float:
    return _share(min(judgements), min(1 - p for p in judgements))


def _weighted(judgements: Sequence[float], power: int) -> float:
    """The share of answers[0] among the choices, each counted c ** power times."""
    first = sum(p**power for p in judgements if _pick(p) == 1)
    second = sum((1 - p) ** power for p in judgements if _pick(p) == 0)
    return _share(first, second)


def _confident(judgements: Sequence[float]) -> float:
    return fmean(_most_confident(judgements))


def _most_confident(judgements: Sequence[float]) -> list[float]:
    top = max(abs(p - 0.5) for p in judgements)
    return [p for p in judgements if abs(p - 0.5) >= top - TIE_TOLERANCE]


def _share(first: float, second: float) -> float:
    total = first + second
    return first / total if total else 0.5


RULES: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "min": _minimum,
    "majority": partial(_weighted, power=0),
    "weighted": partial(_weighted, power=1),
    "squared": partial(_weighted, power=2),
    "confident": _confident,
}
