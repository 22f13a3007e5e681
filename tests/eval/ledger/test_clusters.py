from __future__ import annotations

import numpy as np
import pytest

from debate_gym.eval.ledger.clusters import question_intervals
from debate_gym.eval.ledger.panels import Floats, Labels


def mean(sums: Floats) -> Floats:
    return sums[:, :1] / sums[:, 1:]


def values(of: list[float]) -> Floats:
    return np.stack([np.array(of, float), np.ones(len(of))], axis=1)


def test_copies_of_a_question_add_no_certainty() -> None:
    once = [0.0, 1.0] * 10
    names = [f"q{i}" for i in range(20)]
    alone = question_intervals(values(once), Labels.of(names), mean, 400, 0)
    copied = question_intervals(values(once * 50), Labels.of(names * 50), mean, 400, 0)
    assert copied.tolist() == alone.tolist()
    # 20 fair coins: the mean has a standard error of 0.11.
    low, high = alone[0]
    assert low == pytest.approx(0.5 - 1.96 * 0.112, abs=0.06)
    assert high == pytest.approx(0.5 + 1.96 * 0.112, abs=0.06)


def test_one_question_has_one_value() -> None:
    found = question_intervals(values([0, 1, 1, 1]), Labels.of(["q"] * 4), mean, 50, 0)
    assert found.tolist() == [[0.75, 0.75]]


def test_undefined_in_every_draw() -> None:
    def undefined(sums: Floats) -> Floats:
        return np.full((len(sums), 1), np.nan)

    assert np.isnan(question_intervals(values([1]), Labels.of(["q"]), undefined, 5, 0)).all()


def test_needs_draws_and_debates() -> None:
    with pytest.raises(ValueError, match="at least 1 draw and 1 debate, got 0 and 1"):
        question_intervals(values([1]), Labels.of(["q"]), mean, 0, 0)
