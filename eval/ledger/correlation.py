"""Rank correlations of a handful of families."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from debate_gym.eval.ledger.needs import library
from debate_gym.eval.ledger.panels import Floats

EXACT_UP_TO = 9
RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation coefficient.

    Attributes:
        rho: in [-1, 1]; None where it is undefined (fewer than 3 points, or a constant column).
        p: two-sided; None with rho, and where there are no degrees of freedom left.
        n: points.
        exact: whether p counts every pairing of the points.
    """

    rho: float | None
    p: float | None
    n: int
    exact: bool

    def to_json(self) -> dict[str, object]:
        return {"rho": self.rho, "p": self.p, "n": self.n, "exact": self.exact}


def spearman(x: Sequence[float], y: Sequence[float], seed: int = 0) -> Correlation:
    """Spearman's rank correlation, tied values sharing their mean rank.

    The p-value is the share of all pairings of x with y whose |rho| is at least the observed one:
    all n! of them up to `EXACT_UP_TO` points, and `RESAMPLES` random ones above.
    """
    ranks = [_ranks(column) for column in (x, y)]
    n = len(ranks[0])
    if n < 3 or any(np.ptp(column) == 0 for column in ranks):
        return Correlation(None, None, n, False)

    def size(first: Floats, axis: int = -1) -> Floats:
        return np.abs(_pearson(first, ranks[1], axis))

    exact = n <= EXACT_UP_TO
    test = library("scipy.stats").permutation_test(
        (ranks[0],),
        size,
        permutation_type="pairings",
        vectorized=True,
        alternative="greater",
        n_resamples=math.factorial(n) if exact else RESAMPLES,
        batch=10_000,
        rng=np.random.default_rng(seed),
    )
    return Correlation(float(_pearson(ranks[0], ranks[1])), float(test.pvalue), n, exact)


def partial_spearman(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> Correlation:
    """Spearman's correlation of x and y with z held fixed.

    (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)), with a two-sided t-test of n - 3 degrees
    of freedom, which is an approximation for so few points.
    """
    ranks = [_ranks(column) for column in (x, y, z)]
    n = len(ranks[0])
    if n < 3 or any(np.ptp(column) == 0 for column in ranks):
        return Correlation(None, None, n, False)
    xy, xz, yz = (float(_pearson(ranks[i], ranks[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
    left = (1 - xz**2) * (1 - yz**2)
    if left < 1e-12:
        return Correlation(None, None, n, False)
    rho = max(-1.0, min(1.0, (xy - xz * yz) / math.sqrt(left)))
    return Correlation(rho, _t_test(rho, n - 3), n, False)


def _t_test(rho: float, freedom: int) -> float | None:
    if freedom < 1:
        return None
    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * math.sqrt(freedom / (1 - rho**2))
    return float(2 * library("scipy.stats").t.sf(t, freedom))


def _ranks(values: Sequence[float]) -> Floats:
    ranks: Floats = library("scipy.stats").rankdata(values).astype(float)
    return ranks


def _pearson(first: Floats, second: Floats, axis: int = -1) -> Floats:
    a = first - first.mean(axis=axis, keepdims=True)
    b = second - second.mean()
    norm = np.sqrt((a * a).sum(axis=axis) * (b * b).sum())
    r: Floats = (a * b).sum(axis=axis) / norm
    return r
