"""Do two runs differ on the questions that both answered?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Tests:
    """Tests of no difference on paired questions, two-sided.

    Attributes:
        permutation: p value of the mean difference under sign flips (K24 appendix A); exact where
            all flips can be tried.
        mcnemar: exact p value of McNemar's test, on the questions right in one run and wrong in the
            other; 1 where there are none.
        only_a, only_b: those questions. Questions that are partly right, as with ties or two
            assignments, are in neither.
    """

    permutation: float
    mcnemar: float
    only_a: int
    only_b: int


def paired_tests(a: Sequence[float], b: Sequence[float], seed: int = 0) -> Tests:
    """Tests whether two runs differ.

    Args:
        a, b: accuracy of each shared question, in [0, 1], in the same order.

    Raises:
        ValueError: if there is no question, or the lengths differ.
    """
    from scipy.stats import binomtest, permutation_test

    if len(a) != len(b) or not a:
        raise ValueError(f"expected the same questions twice, got {len(a)} and {len(b)}")
    only_a = sum(x == 1 and y == 0 for x, y in zip(a, b, strict=True))
    only_b = sum(x == 0 and y == 1 for x, y in zip(a, b, strict=True))
    permuted = permutation_test(
        (np.asarray(a), np.asarray(b)),
        lambda x, y, axis: np.mean(y - x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(seed),
    )
    split = only_a + only_b
    mcnemar = float(binomtest(only_a, split).pvalue) if split else 1.0
    return Tests(float(permuted.pvalue), mcnemar, only_a, only_b)
