"""How well features tell collapses from other debates: out-of-fold AUC (L26, Trajectory
localization). It measures discrimination, not whether acting on it would help: see replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from debate_gym.eval.ledger.clusters import LEVELS
from debate_gym.eval.ledger.features import Available, columns, named_features
from debate_gym.eval.ledger.needs import library
from debate_gym.eval.ledger.panels import Floats, Labels
from debate_gym.eval.ledger.transitions import Scored
from debate_gym.eval.ledger.views import ProbeColumns, View

FOLDS = 5


class Groups(StrEnum):
    """What is never on both sides of a fold: a question (`FOLDS` folds of about the same share of
    collapses), or a model (each one held out once)."""

    QUESTION = "question"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The AUC of one feature set.

    Attributes:
        available: the latest moment that any of its features needs.
        gold: whether one of them needs gold labels, so that nobody has it at run time.
        n: debates it is measured on; the rest is undefined, or lacks a feature.
        collapsed: collapses among them.
        auc: in [0, 1], 0.5 for chance; below it where what holds in training is reversed in the
            held-out groups. None if the debates are all collapses, or none is.
        low, high: 95 % interval over questions; None without draws.
    """

    name: str
    features: tuple[str, ...]
    available: Available
    gold: bool
    n: int
    collapsed: int
    auc: float | None
    low: float | None = None
    high: float | None = None

    @property
    def at_run_time(self) -> bool:
        """Whether a gate after round 1 could have it."""
        return not self.gold and self.available is not Available.TRAJECTORY

    def to_json(self) -> dict[str, object]:
        """One of the `predictions` that `debate-gym predict --json` prints."""
        return {
            "name": self.name,
            "features": list(self.features),
            "available": self.available.value,
            "gold": self.gold,
            "at_run_time": self.at_run_time,
            "n": self.n,
            "collapsed": self.collapsed,
            "auc": self.auc,
            "low": self.low,
            "high": self.high,
        }


def predict(
    scored: Scored,
    name: str,
    features: Sequence[str],
    groups: Groups,
    probes: ProbeColumns | None = None,
    *,
    draws: int = 0,
    seed: int = 0,
) -> Prediction:
    """Measures a feature set with a logistic regression, fitted and scaled without the held-out
    groups.

    Args:
        draws: of the bootstrap over questions; none if 0.

    Raises:
        ValueError: on an unknown feature, missing probes, fewer than two groups, or where ties
            count by expectation.
    """
    chosen = named_features(features)
    values = columns(chosen, View(scored, probes, gold=True))
    collapsed = scored.cells()[:, 1]
    rows = scored.defined & np.isfinite(values).all(axis=1)
    if not np.isin(collapsed[rows], (0, 1)).all():
        raise ValueError("an AUC needs ties that are decided: alphabetical or undecided")
    labels, questions = collapsed[rows].astype(int), scored.panels.question.take(rows)
    group = questions if groups is Groups.QUESTION else scored.panels.model.take(rows)
    auc: float | None = None
    interval: tuple[float | None, float | None] = (None, None)
    if len(np.unique(labels)) == 2:
        scores = out_of_fold_scores(values[rows], labels, group, groups)
        auc = _auc(labels, scores)
        interval = _interval(labels, scores, questions, draws, seed) if draws else interval
    order = list(Available)
    latest = max((feature.available for feature in chosen), key=order.index)
    gold = any(feature.gold for feature in chosen)
    return Prediction(
        name, tuple(features), latest, gold, len(labels), int(labels.sum()), auc, *interval
    )


def out_of_fold_scores(values: Floats, labels: Any, group: Labels, groups: Groups) -> Floats:
    """The chance of a collapse of each debate, by a model that saw nothing of its group, (n,)."""
    selection, linear = library("sklearn.model_selection"), library("sklearn.linear_model")
    pipeline, scaling = library("sklearn.pipeline"), library("sklearn.preprocessing")
    number = len(np.unique(group.codes))
    if number < 2:
        raise ValueError(f"folds by {groups.value} need at least 2 of them, got {number}")
    folds = (
        selection.LeaveOneGroupOut()
        if groups is Groups.MODEL
        else selection.StratifiedGroupKFold(min(FOLDS, number))
    )
    model = pipeline.make_pipeline(scaling.StandardScaler(), linear.LogisticRegression())
    scores = np.empty(len(labels))
    for train, test in folds.split(values, labels, group.codes):
        if labels[train].min() == labels[train].max():
            scores[test] = labels[train][0]
        else:
            scores[test] = model.fit(values[train], labels[train]).predict_proba(values[test])[:, 1]
    return scores


def _auc(labels: Any, scores: Floats, weights: Any = None) -> float:
    return float(library("sklearn.metrics").roc_auc_score(labels, scores, sample_weight=weights))


def _interval(
    labels: Any, scores: Floats, questions: Labels, draws: int, seed: int
) -> tuple[float | None, float | None]:
    """Questions drawn with replacement, predictions kept."""
    kinds, places = np.unique(questions.codes, return_inverse=True)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        picked = np.bincount(rng.integers(len(kinds), size=len(kinds)), minlength=len(kinds))
        weights = picked[places]
        if len(np.unique(labels[weights > 0])) == 2:
            found.append(_auc(labels, scores, weights))
    if not found:
        return None, None
    low, high = np.quantile(found, LEVELS)
    return float(low), float(high)
