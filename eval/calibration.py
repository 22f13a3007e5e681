"""Whether a judge knows how sure it may be: Brier score, calibration error, reliability, coverage.

All take a `Confidences` table, made from episodes with the answer orders averaged, or from every
single order (P24 figures 6 and 19).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from debate_gym.envs.nouns import Episode, Verdict
from debate_gym.eval.bootstrap import DRAWS, resampled
from debate_gym.eval.metrics import Estimate, pooled, question_means

BINS = 10
TOLERANCE = 1e-12
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Confidences:
    """One row a verdict with probabilities.

    Attributes:
        questions: ids.
        p: (n,) probability that the judge gave to the correct answer, in [0, 1].
    """

    questions: tuple[str, ...]
    p: Floats

    @property
    def confidence(self) -> Floats:
        """(n,) probability of the chosen answer, in [1/2, 1]."""
        return np.maximum(self.p, 1 - self.p)

    @property
    def right(self) -> Floats:
        """(n,) 1 where the choice was correct, 0 where not, one half on a tie."""
        return (np.sign(self.p - 0.5) + 1) / 2


@dataclass(frozen=True, slots=True)
class Bin:
    """Verdicts of similar confidence; `confidence` and `accuracy` are means, `n` is above 0."""

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of verdicts at or above a confidence, and their accuracy."""

    confidence: float
    coverage: float
    accuracy: float


def confidences(
    episodes: Iterable[Episode], judge: str | None = None, *, orders: str = "averaged"
) -> Confidences:
    """Reads a judge's probabilities; verdicts without any are left out.

    Args:
        orders: `averaged` for one row an episode, `each` for one row an answer order: averaging
            makes a judge with a position bias look less sure than each of its verdicts.

    Raises:
        ValueError: on another value of `orders`, or as `pooled` does.
    """
    if orders not in ("averaged", "each"):
        raise ValueError(f"orders must be 'averaged' or 'each', got {orders!r}")
    rows = [
        (episode.question.id, verdict.p[episode.question.correct])
        for episode in episodes
        for verdict in _verdicts(episode, judge, orders)
        if verdict.p is not None
    ]
    return Confidences(tuple(q for q, _ in rows), np.array([p for _, p in rows], np.float64))


def brier(table: Confidences, *, draws: int = DRAWS, seed: int = 0) -> Estimate:
    """Mean squared distance of the probability from the truth, in [0, 1]; 0.25 for a judge that
    always says one half. Averaged within questions first, which are resampled."""
    misses = ((1 - table.p) ** 2).tolist()
    means = question_means(zip(table.questions, misses, strict=True))
    return resampled([means], lambda drawn: drawn[:, 0], draws=draws, seed=seed)


def reliability(table: Confidences, bins: int = BINS) -> list[Bin]:
    """Verdicts by confidence, in bins of equal width from 1/2 to 1; empty bins are left out. A bin
    holds its lower end, the last one both.

    Raises:
        ValueError: on fewer than one bin.
    """
    if bins < 1:
        raise ValueError(f"expected at least one bin, got {bins}")
    edges = np.linspace(0.5, 1, bins + 1)
    place = np.clip(np.searchsorted(edges, table.confidence, side="right") - 1, 0, bins - 1)
    rows = []
    for number in np.unique(place):
        inside = place == number
        rows.append(
            Bin(
                float(edges[number]),
                float(edges[number + 1]),
                int(inside.sum()),
                float(table.confidence[inside].mean()),
                float(table.right[inside].mean()),
            )
        )
    return rows


def expected_calibration_error(table: Confidences, bins: int = BINS) -> float:
    """Mean distance of confidence and accuracy over the bins, weighted by their verdicts, in
    [0, 1]; NaN without verdicts."""
    rows = reliability(table, bins)
    if not rows:
        return math.nan
    return sum(row.n * abs(row.confidence - row.accuracy) for row in rows) / len(table.p)


def accuracy_coverage(table: Confidences) -> list[Coverage]:
    """Accuracy of the surest verdicts, for every confidence that occurs, from the surest on.
    Verdicts of equal confidence come in together."""
    order = np.argsort(-table.confidence, kind="stable")
    sure, right = table.confidence[order], np.cumsum(table.right[order])
    last = np.flatnonzero(np.append(np.diff(sure) < -TOLERANCE, [True] * bool(len(sure))))
    return [
        Coverage(float(sure[i]), (i + 1) / len(sure), float(right[i]) / (i + 1))
        for i in map(int, last)
    ]


def _verdicts(episode: Episode, judge: str | None, orders: str) -> Sequence[Verdict]:
    averaged = pooled(episode, judge)
    if orders == "averaged":
        return [averaged]
    return [verdict for verdict in episode.verdicts if verdict.judge == averaged.judge]
