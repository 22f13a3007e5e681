"""Screening: whether models that revise more in probes also collapse more in debate.

Variants of one family are not independent, so figures are averaged within families first (L26,
Loss & Training). A family's conditional collapse is the mean of its models' rates, and not a rate
over their pooled debates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.eval.ledger.correlation import Correlation, partial_spearman, spearman
from debate_gym.eval.ledger.transitions import Ledger, Scored, ledger
from debate_gym.eval.store import FileError, numbered_records


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """Means over a family's models; all in [0, 1]."""

    family: str
    models: int
    flip_rate: float
    conditional_collapse: float
    initial_accuracy: float


@dataclass(frozen=True, slots=True)
class Screening:
    """Families in order of their flip rate.

    Attributes:
        spearman: of flip rate and conditional collapse.
        partial: the same with initial accuracy held fixed.
        pressure: of conditional collapse and 1 - initial accuracy, which costs no probe.
        left_out: models that never start right, so that they have no rate.
    """

    families: tuple[FamilyRow, ...]
    spearman: Correlation
    partial: Correlation
    pressure: Correlation
    left_out: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The `screening` of `debate-gym ledger --screen --json`."""
        return {
            "families": [asdict(row) for row in self.families],
            "spearman": self.spearman.to_json(),
            "partial": self.partial.to_json(),
            "pressure": self.pressure.to_json(),
            "left_out": list(self.left_out),
        }


def ledgers_by(scored: Scored, key: str) -> dict[str, Ledger]:
    """A ledger for each `model`, `family` or `task`, in order of the names."""
    labels = getattr(scored.panels, key)
    present = sorted(np.unique(labels.codes).tolist(), key=lambda code: labels.names[code])
    return {labels.names[code]: ledger(scored.take(labels.codes == code)) for code in present}


def screen(scored: Scored, flip_rates: Mapping[str, float]) -> Screening:
    """Compares probes and debates over families.

    Args:
        flip_rates: model -> probe flip rate.

    Raises:
        ValueError: if a model has no flip rate, or debates under two families.
    """
    models = ledgers_by(scored, "model")
    rated = {m: a for m, a in models.items() if a.conditional_collapse is not None}
    for model in models:
        if model not in flip_rates:
            raise ValueError(f"no flip rate is given for the model {model!r}")
    members: dict[str, list[str]] = {}
    for model, family in _families(scored).items():
        if model in rated:
            members.setdefault(family, []).append(model)
    rows = [_row(family, names, rated, flip_rates) for family, names in members.items()]
    rows.sort(key=lambda row: row.flip_rate)
    flips = [row.flip_rate for row in rows]
    collapse = [row.conditional_collapse for row in rows]
    accuracy = [row.initial_accuracy for row in rows]
    return Screening(
        tuple(rows),
        spearman(flips, collapse),
        partial_spearman(flips, collapse, accuracy),
        spearman([1 - share for share in accuracy], collapse),
        tuple(model for model in models if model not in rated),
    )


def read_flip_rates(path: Path) -> dict[str, float]:
    """Reads `model, flip_rate` from JSON Lines.

    Raises:
        FileError: on a line without a model and a number in [0, 1], or a model that comes twice.
    """
    rates: dict[str, float] = {}
    for number, record in numbered_records(path):
        model = record.get("model")
        rate: Any = record.get("flip_rate")
        sound = isinstance(rate, int | float) and not isinstance(rate, bool) and 0 <= rate <= 1
        if not isinstance(model, str) or not sound:
            raise FileError(
                f"{path}:{number}: expected a model and its flip_rate in [0, 1], got {record!r:.80}"
            )
        if model in rates:
            raise FileError(f"{path}:{number}: the model {model!r} came before")
        rates[model] = float(rate)
    return rates


def _families(scored: Scored) -> dict[str, str]:
    model, family = scored.panels.model, scored.panels.family
    pairs = np.unique(np.stack([model.codes, family.codes], axis=1), axis=0)
    found: dict[str, str] = {}
    for m, f in pairs.tolist():
        name = model.names[m]
        if name in found:
            raise ValueError(
                f"the model {name!r} stands under two families, {found[name]!r} and "
                f"{family.names[f]!r}"
            )
        found[name] = family.names[f]
    return found


def _row(
    family: str, names: list[str], rated: Mapping[str, Ledger], flip_rates: Mapping[str, float]
) -> FamilyRow:
    def mean(figure: str) -> float:
        return float(np.mean([float(getattr(rated[name], figure)) for name in names]))

    flip_rate = float(np.mean([flip_rates[name] for name in names]))
    return FamilyRow(
        family, len(names), flip_rate, mean("conditional_collapse"), mean("initial_accuracy")
    )
