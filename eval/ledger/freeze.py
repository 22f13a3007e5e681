"""Probe-gated freeze: a classifier of the risk of collapse, known before the seats read each
other, and a threshold on it.

Classifier, threshold and mode are all chosen on the training models, by folds over those (L26,
Signed replay).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from debate_gym.eval.ledger.lomo import NEVER, Rule, Training, best_cut
from debate_gym.eval.ledger.needs import library
from debate_gym.eval.ledger.panels import Bools, Floats

FEATURES = ("probe_flip_rate", "probe_s_a", "initial_disagreement")
DISAGREEMENT = FEATURES.index("initial_disagreement")
FOLDS = 5
MODES: dict[str, Callable[[Floats], Bools]] = {
    "any": lambda columns: np.ones(len(columns), np.bool_),
    "split": lambda columns: columns[:, DISAGREEMENT] > 0,
    "agreed": lambda columns: columns[:, DISAGREEMENT] == 0,
}


def classifiers() -> dict[str, Callable[[], Any]]:
    """Builders of untrained classifiers by name; each one reads features (n, features)."""
    linear, trees = library("sklearn.linear_model"), library("sklearn.tree")
    pipeline, scaling = library("sklearn.pipeline"), library("sklearn.preprocessing")
    return {
        "logistic": lambda: pipeline.make_pipeline(
            scaling.StandardScaler(), linear.LogisticRegression()
        ),
        "tree": lambda: trees.DecisionTreeClassifier(
            max_depth=3, min_samples_leaf=20, random_state=0
        ),
    }


def fit_freeze(table: Training) -> Rule:
    """Fits the risk gate; its columns are `FEATURES`.

    Debates with an undefined feature never fire and are not trained on.

    Raises:
        ValueError: where ties count by expectation, for there is no such thing as half a label;
            or on fewer than two training models.
    """
    table = table.take(_known(table.columns))
    if not np.isin(table.collapsed, (0, 1)).all():
        raise ValueError("a risk classifier needs ties that are decided: alphabetical or undecided")
    best, chosen = 0.0, None
    risks = {name: out_of_fold(build, table) for name, build in classifiers().items()}
    for (name, risk), (mode, eligible) in itertools.product(risks.items(), MODES.items()):
        cut, gain = best_cut(np.where(eligible(table.columns), risk, np.nan), table.gains)
        if gain > best:
            best, chosen = gain, (name, mode, cut)
    return NEVER if chosen is None else _rule(*chosen, table)


def out_of_fold(build: Callable[[], Any], table: Training) -> Floats:
    """The risk of each training debate from models other than its own, (n,)."""
    groups = table.models.codes
    number = min(FOLDS, len(np.unique(groups)))
    if number < 2:
        raise ValueError("a risk gate needs probes of at least 3 models, so that 2 are left to fit")
    risk = np.empty(len(table.gains))
    folds = library("sklearn.model_selection").GroupKFold(number)
    for train, test in folds.split(table.columns, groups=groups):
        risk[test] = _risk(build, table.columns[train], table.collapsed[train])(table.columns[test])
    return risk


def _risk(
    build: Callable[[], Any], columns: Floats, collapsed: Floats
) -> Callable[[Floats], Floats]:
    """A fitted risk function; constant where the training labels are."""
    if collapsed.min() == collapsed.max():
        constant = float(collapsed[0])
        return lambda rows: np.full(len(rows), constant)
    model = build().fit(columns, collapsed.astype(int))

    def risk(rows: Floats) -> Floats:
        chances: Floats = model.predict_proba(rows)[:, 1]
        return chances

    return risk


def _rule(name: str, mode: str, cut: float, table: Training) -> Rule:
    risk = _risk(classifiers()[name], table.columns, table.collapsed)

    def fires(columns: Floats) -> Bools:
        found = np.full(len(columns), False)
        rows = np.flatnonzero(_known(columns) & MODES[mode](columns))
        if len(rows):
            found[rows] = risk(columns[rows]) >= cut
        return found

    return Rule(f"{name} risk >= {cut:.4g}, {mode} panels", fires)


def _known(columns: Floats) -> Bools:
    return np.asarray(np.isfinite(columns).all(axis=1), np.bool_)
