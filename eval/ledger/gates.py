"""Gates: rules that fire where a panel's initial majority should be kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from debate_gym.eval.ledger.features import Feature, columns, named_features
from debate_gym.eval.ledger.panels import Bools, Floats, Panels
from debate_gym.eval.ledger.transitions import Scored
from debate_gym.eval.ledger.views import LeakError, ProbeColumns, View
from debate_gym.eval.store import FileError, numbered_records


@dataclass(frozen=True, slots=True)
class OnlineGate:
    """A gate that decides while the debate runs.

    Attributes:
        after: the round after which it decides; 0 before the seats read each other.
        rule: from the features (n, features) to where it fires, (n,).
    """

    name: str
    after: int
    features: tuple[Feature, ...]
    rule: Callable[[Floats], Bools]

    def fires(self, scored: Scored, probes: ProbeColumns | None = None) -> Bools:
        """Where it fires, (n,).

        Raises:
            LeakError: as of `online_columns`.
        """
        return self.rule(online_columns(self.features, self.after, scored, probes))


def online_columns(
    features: Sequence[Feature], after: int, scored: Scored, probes: ProbeColumns | None = None
) -> Floats:
    """Features (n, features) as they are known once round `after` has been played.

    Raises:
        LeakError: if a feature says that it needs gold labels or a later round, or reads them
            without saying so: it is computed on a view that holds neither.
    """
    for feature in features:
        if not feature.known(after):
            needs = "gold labels" if feature.gold else f"the {feature.available.value}"
            raise LeakError(
                f"feature {feature.name!r} is not known at run time: it needs {needs}, and the "
                f"gate decides after round {after}"
            )
    return columns(features, View(scored, probes, after=after))


def _always(values: Floats) -> Bools:
    return np.ones(len(values), np.bool_)


def _never(values: Floats) -> Bools:
    return np.zeros(len(values), np.bool_)


def _positive(values: Floats) -> Bools:
    fires: Bools = values[:, 0] > 0
    return fires


ALWAYS = OnlineGate("always", 0, (), _always)
NEVER = OnlineGate("never", 0, (), _never)
ROUND1_MAJORITY_CHANGE = OnlineGate(
    "round1-majority-change", 1, named_features(["round1_majority_change"]), _positive
)
ANY_ROUND1_FLIP = OnlineGate("any-round1-flip", 1, named_features(["round1_flips"]), _positive)
ONLINE_GATES = {
    gate.name: gate for gate in (ALWAYS, NEVER, ROUND1_MAJORITY_CHANGE, ANY_ROUND1_FLIP)
}


def fires_from_file(path: Path, panels: Panels) -> Bools:
    """Where a saved list of decisions fires: JSON Lines with the `id` of each debate to freeze.

    Raises:
        FileError: on a line without an id of these debates, or an id that comes twice.
    """
    places = {id: row for row, id in enumerate(panels.ids)}
    fires = np.zeros(len(panels), np.bool_)
    for number, record in numbered_records(path):
        id = record.get("id")
        if not isinstance(id, str) or id not in places:
            raise FileError(f"{path}:{number}: expected the id of a debate, got {id!r}")
        if fires[places[id]]:
            raise FileError(f"{path}:{number}: the id {id!r} came before")
        fires[places[id]] = True
    return fires
