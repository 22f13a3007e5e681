"""Paired tests of two conditions on the same questions (K24 figure A.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from debate_gym.eval.bootstrap import DRAWS, resampled
from debate_gym.eval.metrics import Estimate

RESAMPLES = 10_000
BATCH = 500


@dataclass(frozen=True, slots=True)
class McNemar:
    """The exact test of McNemar.

    Attributes:
        only_a, only_b: questions that only the first, or only the second, condition got right.
        left_out: questions that are neither plainly right nor wrong in both (ties, and means over
            several episodes).
        p: two-sided; 1 without a discordant question.
    """

    only_a: int
    only_b: int
    left_out: int
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """First condition minus second, on the questions that both have.

    Attributes:
        difference: of the mean accuracies, with its interval of the question bootstrap; `n` is the
            number of shared questions.
        alone_a, alone_b: questions that only one of them has; they are left out.
        p: two-sided permutation test, NaN without a shared question.
    """

    difference: Estimate
    alone_a: int
    alone_b: int
    p: float
    mcnemar: McNemar


def compare(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    resamples: int = RESAMPLES,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Compares two conditions question by question.

    Args:
        a, b: accuracy of each question, as `debate_gym.eval.metrics.question_accuracy` gives it.
        resamples: of the permutation test; where there are no more sign patterns than that, all
            are counted and the p-value is exact.
        draws: of the bootstrap.
    """
    shared = sorted(a.keys() & b.keys())
    both = [{q: column[q] for q in shared} for column in (a, b)]
    return Comparison(
        resampled(both, lambda means: means[:, 0] - means[:, 1], draws=draws, seed=seed),
        len(a.keys() - b.keys()),
        len(b.keys() - a.keys()),
        permutation_p(*both, resamples=resamples, seed=seed),
        mcnemar(*both),
    )


def permutation_p(
    a: Mapping[str, float], b: Mapping[str, float], *, resamples: int = RESAMPLES, seed: int = 0
) -> float:
    """Two-sided p of the paired permutation test: the signs of the differences are flipped at
    random (`scipy.stats.permutation_test`, type `samples`, as K24 does).

    Raises:
        ValueError: if the two do not have the same questions.
    """
    from scipy.stats import permutation_test

    if a.keys() != b.keys():
        raise ValueError(f"expected the same questions, {len(a.keys() ^ b.keys())} are in one only")
    if not a:
        return math.nan
    if len(a) == 1:
        return 1.0  # Both signs of the only difference are as far from 0.
    columns = [np.array([column[question] for question in sorted(a)]) for column in (a, b)]
    found = permutation_test(
        columns,
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        n_resamples=resamples,
        vectorized=True,
        batch=BATCH,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def mcnemar(a: Mapping[str, float], b: Mapping[str, float]) -> McNemar:
    """The exact test on the questions that both have, and that both got plainly right or wrong."""
    from statsmodels.stats.contingency_tables import mcnemar as test

    shared = a.keys() & b.keys()
    plain = [(a[q], b[q]) for q in shared if a[q] in (0, 1) and b[q] in (0, 1)]
    only_a, only_b = plain.count((1, 0)), plain.count((0, 1))
    left_out = len(shared) - len(plain)
    if not only_a + only_b:
        return McNemar(0, 0, left_out, 1.0)
    table = [[plain.count((1, 1)), only_a], [only_b, plain.count((0, 0))]]
    return McNemar(only_a, only_b, left_out, float(test(table, exact=True).pvalue))


@dataclass(frozen=True, slots=True)
class Family:
    """Several tests, corrected for their number.

    Attributes:
        adjusted: p of each test after Holm's correction.
        note: one sentence for the page that shows them.
    """

    adjusted: dict[str, float]
    note: str


def holm(p_values: Mapping[str, float]) -> Family:
    """Holm's correction over the tests that have a p-value; the others stay undefined (NaN)."""
    from statsmodels.stats.multitest import multipletests

    known = {name: p for name, p in p_values.items() if not math.isnan(p)}
    adjusted = dict.fromkeys(p_values, math.nan)
    if known:
        adjusted |= zip(
            known, map(float, multipletests([*known.values()], method="holm")[1]), strict=True
        )
    below = sum(p < 0.05 for p in known.values())
    stay = sum(p < 0.05 for p in adjusted.values())
    note = (
        f"{len(known)} tests: {below} have p < 0.05 taken alone, {stay} after Holm's correction "
        f"for their number; by chance alone {0.05 * len(known):.1f} would be expected."
    )
    return Family(adjusted, note)
