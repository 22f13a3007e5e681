"""Gates that are learned strictly without the model on which they are scored (L26, Signed replay).

For each model a rule is fitted to the debates of all others and fixed before it sees one of that
model's. Nothing else of the held-out model is read: neither its labels nor its features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from debate_gym.eval.ledger.panels import Bools, Floats, Labels
from debate_gym.eval.ledger.replay import Weights
from debate_gym.eval.ledger.transitions import Scored


@dataclass(frozen=True, slots=True)
class Rule:
    """A fitted rule.

    Attributes:
        text: says it in words.
        fires: from features (n, features) to where it fires, (n,).
    """

    text: str
    fires: Callable[[Floats], Bools]


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What a rule may be fitted to.

    Attributes:
        columns: (n, features).
        gains: (n,), weighted utility of freezing each debate.
        collapsed: (n,), each debate's share of a collapse.
        models: (n,), groups for folds within the training models.
    """

    columns: Floats
    gains: Floats
    collapsed: Floats
    models: Labels

    def take(self, rows: Bools) -> Training:
        """Some of the debates."""
        return Training(
            self.columns[rows], self.gains[rows], self.collapsed[rows], self.models.take(rows)
        )


Fit = Callable[[Training], Rule]
NEVER = Rule("never", lambda columns: np.zeros(len(columns), np.bool_))


def training(scored: Scored, columns: Floats, weights: Weights) -> Training:
    """All debates, as rules are fitted to them."""
    cells = scored.cells()
    gains = float(weights.collapse) * cells[:, 1] - float(weights.correction) * cells[:, 2]
    return Training(columns, gains, cells[:, 1], scored.panels.model)


def leave_one_model_out(table: Training, fit: Fit) -> tuple[Bools, dict[str, Rule]]:
    """Fits a rule for each model on all the others.

    Returns:
        Where the rules fire, (n,), and the rule of each model.

    Raises:
        ValueError: on debates of fewer than two models.
    """
    held = np.unique(table.models.codes)
    if len(held) < 2:
        raise ValueError(f"leaving one model out needs at least 2 models, got {len(held)}")
    fires = np.zeros(len(table.gains), np.bool_)
    rules = {}
    for code in held:
        test = table.models.codes == code
        rule = rules[table.models.names[code]] = fit(table.take(~test))
        fires[test] = rule.fires(table.columns[test])
    return fires, rules


def best_cut(values: Floats, gains: Floats) -> tuple[float, float]:
    """The threshold t at which firing on `values >= t` gains most.

    Returns:
        Threshold and gain; infinity and 0 if no threshold gains anything. It lies half way between
        neighbouring values. Of equal gains the one that fires least is taken; NaN never fires.
    """
    known = np.isfinite(values)
    order = np.argsort(-values[known], kind="stable")
    ordered, total = values[known][order], np.cumsum(gains[known][order])
    ends = np.append(ordered[1:] < ordered[:-1], True)[: len(ordered)]
    if not ends.any() or total[ends].max() <= 0:
        return np.inf, 0.0
    place = int(np.flatnonzero(ends)[total[ends].argmax()])
    below = ordered[place + 1] if place + 1 < len(ordered) else -np.inf
    return float((ordered[place] + below) / 2), float(total[place])


def fit_stump(names: tuple[str, ...]) -> Fit:
    """Fits a decision stump: the feature, threshold and direction that gain most, or never.

    Args:
        names: of the features, for the rule's text.
    """

    def fit(table: Training) -> Rule:
        best, found = 0.0, NEVER
        for place, name in enumerate(names):
            for sign, relation in ((1, ">="), (-1, "<=")):
                cut, gain = best_cut(sign * table.columns[:, place], table.gains)
                if gain > best:
                    best, found = (
                        gain,
                        _stump(place, sign, cut, f"{name} {relation} {sign * cut:g}"),
                    )
        return found

    return fit


def _stump(place: int, sign: int, cut: float, text: str) -> Rule:
    def fires(columns: Floats) -> Bools:
        # A comparison with NaN is false: what is not known does not fire.
        found: Bools = sign * columns[:, place] >= cut
        return found

    return Rule(text, fires)
