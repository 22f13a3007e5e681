"""Signed replay: what a gate would have prevented, and what it would have cost.

Where a gate fires, the saved initial majority takes the place of the final one. A collapse is then
prevented and a correction lost; the other cells stay as they are, and so do undefined debates
(L26, Signed replay).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from debate_gym.eval.ledger.panels import Bools
from debate_gym.eval.ledger.transitions import Scored, ledger, number


@dataclass(frozen=True, slots=True)
class Weights:
    """What a prevented collapse gains and a lost correction costs; to be fixed before results are
    seen.

    Raises:
        ValueError: on a negative weight.
    """

    collapse: Fraction = Fraction(1)
    correction: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        for name in ("collapse", "correction"):
            if getattr(self, name) < 0:
                raise ValueError(
                    f"the weight of a {name} must be at least 0, got {float(getattr(self, name))}"
                )


EQUAL = Weights()


@dataclass(frozen=True, slots=True)
class Replay:
    """What a gate does to n debates.

    Attributes:
        fired: debates whose initial majority is kept.
        prevented: collapses among them.
        lost: corrections among them.
    """

    n: int
    fired: int
    prevented: Fraction
    lost: Fraction
    weights: Weights = EQUAL

    @property
    def net(self) -> Fraction:
        """Prevented minus lost."""
        return self.prevented - self.lost

    @property
    def utility(self) -> Fraction:
        """Prevented minus lost, weighted."""
        return self.weights.collapse * self.prevented - self.weights.correction * self.lost

    @property
    def accuracy_change(self) -> Fraction | None:
        """Net over n, whatever the weights; None without debates."""
        return self.net / self.n if self.n else None

    @property
    def break_even(self) -> Fraction | None:
        """The least worth of a prevented collapse, in lost corrections, at which the gate does no
        harm; None if it prevents nothing."""
        return self.lost / self.prevented if self.prevented else None

    def to_json(self) -> dict[str, object]:
        """The object that `debate-gym replay --json` prints."""
        names = ("prevented", "lost", "net", "utility", "accuracy_change", "break_even")
        figures = {name: number(getattr(self, name)) for name in names}
        return {"n": self.n, "fired": self.fired, **figures}


def replay(scored: Scored, fires: Bools, weights: Weights = EQUAL) -> Replay:
    """Replays debates with a gate that fires at `fires` (n,)."""
    frozen = ledger(scored.take(fires))
    return Replay(len(scored), int(fires.sum()), frozen.collapsed, frozen.corrected, weights)
