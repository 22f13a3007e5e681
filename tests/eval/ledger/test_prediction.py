from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from debate_gym.eval.ledger.features import FEATURE_SETS, Available
from debate_gym.eval.ledger.majority import Ties
from debate_gym.eval.ledger.panel_file import table_of
from debate_gym.eval.ledger.panels import Labels
from debate_gym.eval.ledger.prediction import Groups, out_of_fold_scores, predict
from debate_gym.eval.ledger.transitions import Rules, Scored, score

pytest.importorskip("sklearn")
Call = Callable[..., Any]


@pytest.fixture
def scored(debate: Call) -> Scored:
    """Of four models on 50 questions; split panels collapse, agreed ones do not."""
    records = []
    for model in "abcd":
        for q in range(50):
            split = q % 5 == 0
            start = ["B", "B", "A"] if split else ["B", "B", "B"]
            end = ["A", "A", "B"] if split else ["B", "B", "B"]
            more = {"model": model, "question_id": f"q{q}"}
            records.append(debate(f"{model}{q}", start, start, end, **more))
    return score(table_of(records), Rules())


@pytest.mark.parametrize("groups", Groups)
def test_a_feature_that_tells_and_one_that_does_not(groups: Groups, scored: Scored) -> None:
    told = predict(scored, "x", ["initial_disagreement"], groups, draws=20)
    assert (told.n, told.collapsed, told.auc) == (200, 40, 1.0)
    assert (told.low, told.high) == (1.0, 1.0)
    # Constant: all scores of a fold are equal.
    blind = predict(scored, "x", ["round1_flips"], groups)
    assert blind.auc == pytest.approx(0.5, abs=0.1)


def test_groups_are_never_on_both_sides() -> None:
    """A feature that names the question tells everything inside a question and nothing outside."""
    rng = np.random.default_rng(0)
    questions = np.repeat(np.arange(40), 5)
    labels = rng.integers(0, 2, 40)[questions]
    one_hot = np.eye(40)[questions]
    names = Labels.of([f"q{q}" for q in questions])
    scores = out_of_fold_scores(one_hot, labels, names, Groups.QUESTION)
    inside = out_of_fold_scores(
        one_hot, labels, Labels.of([str(i % 5) for i in range(200)]), Groups.MODEL
    )
    auc = pytest.importorskip("sklearn.metrics").roc_auc_score
    assert auc(labels, inside) == 1.0
    assert auc(labels, scores) < 0.6


def test_when_and_how_features_are_known(scored: Scored) -> None:
    def of(name: str) -> tuple[Available, bool, bool]:
        features = [f for f in FEATURE_SETS[name] if not f.startswith("probe")]
        found = predict(scored, name, features, Groups.MODEL)
        return found.available, found.gold, found.at_run_time

    assert of("initial disagreement") == (Available.BEFORE, False, True)
    assert of("round 1") == (Available.ROUND_1, False, True)
    assert of("whole trajectory") == (Available.TRAJECTORY, False, False)
    assert of("combined + initially right") == (Available.BEFORE, True, False)


def test_debates_without_a_probe_are_left_out(scored: Scored) -> None:
    flip_rate = np.where(np.arange(200) < 60, np.nan, 0.5)
    found = predict(scored, "x", ["probe_flip_rate"], Groups.MODEL, {"flip_rate": flip_rate})
    assert found.n == 140


def test_undefined_and_refused(scored: Scored, debate: Call) -> None:
    stable = score(table_of([debate(str(i), ["B"], ["B"]) for i in range(4)]), Rules())
    assert predict(stable, "x", ["round1_flips"], Groups.QUESTION, draws=3).auc is None
    with pytest.raises(ValueError, match="give a file of probes"):
        predict(scored, "x", ["probe_flip_rate"], Groups.MODEL)
    with pytest.raises(ValueError, match="unknown feature .* mean 'round1_flips'"):
        predict(scored, "x", ["round1_flip"], Groups.MODEL)
    one = score(
        table_of([debate("0", ["B"], ["A"]), debate("1", ["B"], ["B"])]), Rules(Ties.UNDECIDED)
    )
    with pytest.raises(ValueError, match="folds by model need at least 2 of them, got 1"):
        predict(one, "x", ["round1_flips"], Groups.MODEL)
