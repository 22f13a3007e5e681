"""What a protocol is worth to judges of different strength: its accuracy minus direct QA's, over
the judge's capability (K24 section 4.1, P24 figures 5 and 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from debate_gym.eval.bootstrap import DRAWS, resampled
from debate_gym.eval.metrics import Estimate


@dataclass(frozen=True, slots=True)
class JudgePoint:
    """One judge.

    Attributes:
        capability: accuracy in direct QA, without help.
        protocol: accuracy with the protocol's transcripts.
        gain: protocol minus capability on the questions that have both, paired.
    """

    judge: str
    capability: Estimate
    protocol: Estimate
    gain: Estimate


@dataclass(frozen=True, slots=True)
class Sweep:
    """Judges, the weakest first.

    Attributes:
        rho: Spearman's correlation of gain and capability, in [-1, 1]; NaN for fewer than three
            judges, or where either is the same for all.
    """

    points: tuple[JudgePoint, ...]
    rho: float


def judge_sweep(
    protocol: Mapping[str, Mapping[str, float]],
    direct: Mapping[str, Mapping[str, float]],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Sweep:
    """Compares each judge with itself.

    Args:
        protocol, direct: judge -> accuracy of each question, as
            `debate_gym.eval.metrics.question_accuracy` gives it.

    Raises:
        ValueError: if the judges are not the same, or one has no question in both.
    """
    if protocol.keys() != direct.keys():
        raise ValueError(
            f"expected the same judges, got {sorted(protocol)} and {sorted(direct)} in direct QA"
        )
    points = [_point(judge, protocol[judge], direct[judge], draws, seed) for judge in protocol]
    points.sort(key=lambda point: (point.capability.value, point.judge))
    return Sweep(tuple(points), _rho(points))


def _point(
    judge: str, protocol: Mapping[str, float], direct: Mapping[str, float], draws: int, seed: int
) -> JudgePoint:
    shared = protocol.keys() & direct.keys()
    if not shared:
        raise ValueError(f"judge {judge!r} has no question both with the protocol and in direct QA")
    alone, helped = ({q: column[q] for q in shared} for column in (direct, protocol))
    options = {"draws": draws, "seed": seed}
    return JudgePoint(
        judge,
        resampled([alone], lambda means: means[:, 0], **options),
        resampled([helped], lambda means: means[:, 0], **options),
        resampled([helped, alone], lambda means: means[:, 0] - means[:, 1], **options),
    )


def _rho(points: Sequence[JudgePoint]) -> float:
    from scipy.stats import spearmanr

    strength = [point.capability.value for point in points]
    gains = [point.gain.value for point in points]
    if len(points) < 3 or len(set(strength)) == 1 or len(set(gains)) == 1:
        return math.nan
    found: Any = spearmanr(strength, gains)
    return float(found.statistic)
