from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from debate_gym.eval.ledger.freeze import FEATURES, fit_freeze
from debate_gym.eval.ledger.lomo import (
    Rule,
    Training,
    best_cut,
    fit_stump,
    leave_one_model_out,
    training,
)
from debate_gym.eval.ledger.majority import Ties
from debate_gym.eval.ledger.panel_file import table_of
from debate_gym.eval.ledger.panels import Labels
from debate_gym.eval.ledger.replay import EQUAL, Weights
from debate_gym.eval.ledger.transitions import Rules, score

Call = Callable[..., Any]


@pytest.mark.parametrize(
    ("values", "gains", "cut", "gain"),
    [
        # Firing on 3 gains 1, on 3 and 2 gains 2, on all 1: the cut lies between 2 and 1.
        ([1, 2, 3], [-1, 1, 1], 1.5, 2),
        # Equal values are cut together.
        ([1, 2, 2, 3], [5, -2, 1, 1], -np.inf, 5),
        # Of equal gains the one that fires least.
        ([1, 2, 3], [1, -1, 1], 2.5, 1),
        # Nothing gains anything; what is not known never fires.
        ([1, 2, 3], [-1, 0, 0], np.inf, 0),
        ([1, np.nan], [-1, 9], np.inf, 0),
        ([], [], np.inf, 0),
    ],
)
def test_best_cut(values: list[float], gains: list[float], cut: float, gain: float) -> None:
    assert best_cut(np.array(values, float), np.array(gains, float)) == (cut, gain)


def table(columns: Any, gains: Any, models: str) -> Training:
    values = np.array(gains, float)
    return Training(np.array(columns, float), values, np.maximum(values, 0), Labels.of([*models]))


def test_a_stump_takes_the_better_direction_and_feature() -> None:
    rule = fit_stump(("noise", "signal"))(
        table([[0, 3], [1, 2], [0, 1], [1, 0]], [-1, -1, 2, 1], "abab")
    )
    assert rule.text == "signal <= 1.5"
    assert rule.fires(np.array([[0, 1.4], [0, 1.6], [0, np.nan]])).tolist() == [True, False, False]


def test_the_held_out_model_is_never_read() -> None:
    seen: list[set[str]] = []

    def fit(training: Training) -> Rule:
        names = {training.models.names[code] for code in training.models.codes}
        seen.append(names)
        # Gains and features of a model are its own number, so that nothing else can be told apart.
        assert set(training.gains) == set(training.columns[:, 0]) == {float(n) for n in names}
        return Rule("all", lambda columns: columns[:, 0] > 1)

    numbers = [1, 2, 3, 1, 2]
    data = table([[n] for n in numbers], numbers, "12312")
    fires, rules = leave_one_model_out(data, fit)
    assert seen == [{"2", "3"}, {"1", "3"}, {"1", "2"}]
    assert fires.tolist() == [False, True, True, False, True]
    assert set(rules) == {"1", "2", "3"}


def test_changing_a_models_labels_changes_nothing_for_itself() -> None:
    rng = np.random.default_rng(0)
    columns, models = rng.normal(size=(120, 3)), "abcd" * 30
    gains = rng.integers(-1, 2, 120).astype(float)
    other = np.where(np.array([*models]) == "a", -gains, gains)
    for fit in (fit_stump(("x", "y", "z")), fit_freeze):
        first, rules = leave_one_model_out(table(columns, gains, models), fit)
        second, changed = leave_one_model_out(table(columns, other, models), fit)
        held = np.array([*models]) == "a"
        assert rules["a"].text == changed["a"].text
        assert (first[held] == second[held]).all()
        # The other models do learn from it.
        assert {m: r.text for m, r in rules.items()} != {m: r.text for m, r in changed.items()}


def test_leaving_out_the_only_model_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 models, got 1"):
        leave_one_model_out(table([[1]], [1], "a"), fit_stump(("x",)))


def test_gains_are_weighted_cells(debate: Call) -> None:
    right, wrong = ["B"], ["A"]
    rounds = [(right, wrong), (wrong, right), (right, right), (wrong, wrong)]
    scored = score(table_of([debate(str(i), *r) for i, r in enumerate(rounds)]), Rules())
    weights = Weights(EQUAL.collapse * 3, EQUAL.correction * 2)
    data = training(scored, np.zeros((4, 0)), weights)
    assert data.gains.tolist() == [3, -2, 0, 0]
    assert data.collapsed.tolist() == [1, 0, 0, 0]


def test_a_freeze_gate_finds_risk_that_all_models_share() -> None:
    rng = np.random.default_rng(1)
    columns = rng.random((400, len(FEATURES)))
    risky = columns[:, 0] > 0.7
    data = table(columns, np.where(risky, 1.0, -1.0), "abcd" * 100)
    fires, rules = leave_one_model_out(data, fit_freeze)
    assert (fires == risky).mean() > 0.9
    assert set(rules) == {*"abcd"}
    # Where the risk is unknown it does not fire.
    assert not rules["a"].fires(np.full((3, len(FEATURES)), np.nan)).any()


def test_a_freeze_gate_without_collapses_never_fires() -> None:
    data = table(np.random.default_rng(2).random((40, 3)), [0.0, -1.0] * 20, "abcd" * 10)
    fires, rules = leave_one_model_out(data, fit_freeze)
    assert not fires.any()
    assert {rule.text for rule in rules.values()} == {"never"}


def test_a_risk_needs_whole_labels(debate: Call) -> None:
    records = [debate(str(i), ["B"] * 2, ["A", "B"], model=m) for i, m in enumerate("abc")]
    scored = score(table_of(records), Rules(Ties.EXPECTED))
    data = training(scored, np.zeros((3, 3)), EQUAL)
    with pytest.raises(ValueError, match="ties that are decided"):
        leave_one_model_out(data, fit_freeze)
