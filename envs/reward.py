"""What a verdict pays each seat.

Every kind is zero-sum between two debaters of opposite answers. An unreadable or failed verdict
pays nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Verdict

PROBABILITY_FLOOR = 1e-6


def rewards(verdict: Verdict, sides: Mapping[str, int], kind: str = "win") -> dict[str, float]:
    """Pays each seat for the answer that it argued.

    Args:
        verdict: with the answer orders averaged.
        sides: seat -> index of the answer that it argues.
        kind: with p the probability of the seat's own answer and q = 1 - p,
            `win`: +1 / -1, 0 on a tie;
            `probability`: p - q, in [-1, 1];
            `log_probability`: (log p - log q) / 2, with both floored at 1e-6, in [-7, 7];
            `margin`: +1 / -1 times how far the choice is from a tie, squared: (p - q) |p - q|.

    Raises:
        ValueError: on an unknown kind.
    """
    if kind not in REWARDS:
        raise ValueError(unknown("reward", kind, REWARDS))
    p = verdict.p
    if p is None:
        return dict.fromkeys(sides, 0.0)
    pay = REWARDS[kind]
    return {seat: pay(p[side], p[1 - side]) for seat, side in sides.items()}


def _win(own: float, other: float) -> float:
    return 0.0 if abs(own - other) <= 1e-9 else math.copysign(1.0, own - other)


def _probability(own: float, other: float) -> float:
    return own - other


def _log_probability(own: float, other: float) -> float:
    own, other = max(own, PROBABILITY_FLOOR), max(other, PROBABILITY_FLOOR)
    return (math.log(own) - math.log(other)) / 2


def _margin(own: float, other: float) -> float:
    return (own - other) * abs(own - other)


REWARDS: dict[str, Callable[[float, float], float]] = {
    "win": _win,
    "probability": _probability,
    "log_probability": _log_probability,
    "margin": _margin,
}
