"""The sampling temperatures of P24 (arXiv 2402.06782), table 5, as data."""

from __future__ import annotations

import math

from debate_gym.envs.names import unknown

# Role -> (largest n, temperature), in order; n is N of best-of-N, for a critic the number of
# critiques. The table gives a critic 0.6 up to 16 and 0.8 from 16, and says nothing of one
# critique: here 16 takes 0.8, and one takes 0.6.
TABLE: dict[str, tuple[tuple[float, float], ...]] = {
    "debater": ((1, 0.4), (16, 0.8), (math.inf, 1.0)),
    "consultant": ((1, 0.4), (math.inf, 0.8)),
    "judge": ((math.inf, 0.0),),
    "preference": ((math.inf, 0.0),),
    "asking_judge": ((math.inf, 0.4),),
    "critic": ((15, 0.6), (math.inf, 0.8)),
}


def temperature(role: str, n: int = 1) -> float:
    """The temperature at which a role is sampled.

    Args:
        role: `debater`, `consultant`, `judge`, `preference` (of arguments or critiques),
            `asking_judge` (a judge's questions) or `critic`.
        n: how many texts are sampled, at least 1: arguments, or a critic's critiques.

    Raises:
        ValueError: on an unknown role, or n below 1.
    """
    if role not in TABLE:
        raise ValueError(unknown("role", role, TABLE))
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    return next(value for largest, value in TABLE[role] if n <= largest)
