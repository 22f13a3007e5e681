"""Features of a debate, by the moment at which they are known (L26, Trajectory localization)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.eval.ledger.panels import Bools, Floats
from debate_gym.eval.ledger.views import LeakError, View


class Available(StrEnum):
    """When a feature is known: before the seats read each other (their first answers may count),
    after round 1, or only once the whole trajectory is there."""

    BEFORE = "before"
    ROUND_1 = "after round 1"
    TRAJECTORY = "whole trajectory"

    @property
    def round(self) -> int | None:
        """The last round that has to be played; None for all of them."""
        return {Available.BEFORE: 0, Available.ROUND_1: 1, Available.TRAJECTORY: None}[self]


@dataclass(frozen=True, slots=True)
class Feature:
    """One number a debate.

    Attributes:
        gold: whether it needs the correct option, which nobody has at run time.
        compute: from a view, (n,); NaN where it is undefined.
    """

    name: str
    available: Available
    compute: Callable[[View], Floats]
    gold: bool = False

    def known(self, after: int) -> bool:
        """Whether it can be had once round `after` has been played."""
        needed = self.available.round
        return not self.gold and needed is not None and needed <= after


def _total(view: View, parts: Sequence[Floats | Bools]) -> Floats:
    return np.asarray(np.sum([np.zeros(len(view)), *parts], axis=0))


def _all_flips(view: View) -> Floats:
    return _total(view, [view.flips(round) for round in range(1, view.rounds)])


def _changes(view: View) -> Floats:
    pairs = range(1, view.rounds)
    moved = [view.majority_changed(round - 1, round) for round in pairs]
    return _total(view, moved)


def _moved_away(view: View) -> Floats:
    """Later rounds whose majority is not the initial one."""
    moved = [view.majority_changed(0, round) for round in range(1, view.rounds)]
    return _total(view, moved)


FEATURES = {
    feature.name: feature
    for feature in (
        Feature("probe_flip_rate", Available.BEFORE, lambda view: view.probe("flip_rate")),
        Feature("probe_s_a", Available.BEFORE, lambda view: view.probe("s_a")),
        Feature("initial_disagreement", Available.BEFORE, lambda view: 1 - view.agreement(0)),
        Feature("initial_options", Available.BEFORE, lambda view: view.options(0)),
        Feature(
            "round1_majority_change",
            Available.ROUND_1,
            lambda view: view.majority_changed(0, 1).astype(float),
        ),
        Feature("round1_flips", Available.ROUND_1, lambda view: view.flips(1)),
        Feature("round1_agreement", Available.ROUND_1, lambda view: view.agreement(1)),
        Feature("all_flips", Available.TRAJECTORY, _all_flips),
        Feature("majority_changes", Available.TRAJECTORY, _changes),
        Feature("rounds_moved_away", Available.TRAJECTORY, _moved_away),
        Feature("initially_right", Available.BEFORE, lambda view: view.right(0), gold=True),
    )
}
ROUND_1 = ("round1_majority_change", "round1_flips", "round1_agreement")
TRAJECTORY = ("all_flips", "majority_changes", "rounds_moved_away")
COMBINED = ("probe_flip_rate", "initial_disagreement")
FEATURE_SETS: dict[str, tuple[str, ...]] = {
    "probe flip rate": ("probe_flip_rate",),
    "S/A": ("probe_s_a",),
    "initial disagreement": ("initial_disagreement",),
    "combined": COMBINED,
    "combined + S/A": (*COMBINED, "probe_s_a"),
    "combined + round 1": (*COMBINED, *ROUND_1),
    "combined + whole trajectory": (*COMBINED, *ROUND_1, *TRAJECTORY),
    "combined + initially right": (*COMBINED, "initially_right"),
    "round 1": ROUND_1,
    "whole trajectory": (*ROUND_1, *TRAJECTORY),
}


def named_features(names: Sequence[str]) -> tuple[Feature, ...]:
    """
    Raises:
        ValueError: on an unknown name.
    """
    for name in names:
        if name not in FEATURES:
            raise ValueError(unknown("feature", name, FEATURES))
    return tuple(FEATURES[name] for name in names)


def columns(features: Sequence[Feature], view: View) -> Floats:
    """(n, features).

    Raises:
        LeakError: if a feature reads what the view hides; the message names it.
        ValueError: if a feature gives anything but n numbers.
    """
    found = np.empty((len(view), len(features)))
    for place, feature in enumerate(features):
        try:
            values = feature.compute(view)
        except LeakError as error:
            raise LeakError(
                f"feature {feature.name!r} is not known at run time: {error}"
            ) from error
        if np.shape(values) != (len(view),):
            raise ValueError(
                f"feature {feature.name!r} must give {len(view)} numbers, got {np.shape(values)}"
            )
        found[:, place] = values
    return found
