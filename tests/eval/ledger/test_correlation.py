from __future__ import annotations

import itertools
import math

import pytest

from debate_gym.eval.ledger.correlation import partial_spearman, spearman

scipy_stats = pytest.importorskip("scipy.stats")
FLIPS = [0.113, 0.288, 0.346, 0.450, 0.469, 0.699, 0.774]
COLLAPSE = [0.00, 0.29, 1.52, 2.15, 10.24, 19.75, 8.46]


def test_published_table() -> None:
    found = spearman(FLIPS, COLLAPSE)
    assert (round(found.rho or 0, 4), round(found.p or 0, 4)) == (0.8929, 0.0123)
    assert found.exact


def test_p_counts_every_pairing_also_with_ties() -> None:
    x, y = [1, 2, 2, 3, 5], [2, 1, 3, 3, 4]
    found = spearman(x, y)
    ranks = [scipy_stats.rankdata(column) for column in (x, y)]
    rhos = [
        scipy_stats.pearsonr(order, ranks[1]).statistic
        for order in itertools.permutations(ranks[0])
    ]
    observed = scipy_stats.spearmanr(x, y).statistic
    assert found.rho == pytest.approx(observed)
    assert found.p == pytest.approx(sum(abs(r) >= abs(observed) - 1e-9 for r in rhos) / 120)


def test_many_points_are_resampled_and_say_so() -> None:
    x = list(range(12))
    found = spearman(x, [*x[::-1]], seed=0)
    assert found.rho == -1
    assert not found.exact
    assert found.p is not None
    assert found.p < 1e-4


def test_partial_by_hand() -> None:
    # Ranks: r_xy = 0.8, r_xz = 0.4, r_yz = 0.2 by 1 - 6 sum d^2 / 60 for four points.
    x, y, z = [1, 2, 3, 4], [1, 3, 2, 4], [1, 3, 4, 2]
    xy, xz, yz = 1 - 6 * 2 / 60, 1 - 6 * 6 / 60, 1 - 6 * 8 / 60
    found = partial_spearman(x, y, z)
    expected = (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2))
    assert found.rho == pytest.approx(expected)
    t = expected * math.sqrt(1 / (1 - expected**2))
    assert found.p == pytest.approx(2 * scipy_stats.t.sf(t, 1))


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3])])
def test_undefined(x: list[float], y: list[float]) -> None:
    assert spearman(x, y).rho is None
    assert spearman(x, y).p is None


def test_partial_is_undefined_where_the_control_explains_all() -> None:
    assert partial_spearman([1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 3, 4]).rho is None
