"""Performance gap recovered (P24 section A.2): how far a protocol brings a judge from guessing
without the article towards reading it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from debate_gym.eval.bootstrap import DRAWS, Floats, resampled
from debate_gym.eval.metrics import Estimate


def gap_recovered(
    protocol: Mapping[str, float],
    naive: Mapping[str, float],
    expert: Mapping[str, float],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """(protocol - naive) / (expert - naive), of mean accuracies over the questions that all three
    have.

    Below 0 where the protocol is worse than no debate, above 1 where it beats the article;
    undefined (NaN) where naive and expert are equal.

    Args:
        protocol, naive, expert: accuracy of each question, as
            `debate_gym.eval.metrics.question_accuracy` gives it.
    """
    shared = protocol.keys() & naive.keys() & expert.keys()
    columns = [{q: column[q] for q in shared} for column in (protocol, naive, expert)]
    return resampled(columns, _share, draws=draws, seed=seed)


def _share(means: Floats) -> Floats:
    protocol, naive, expert = means.T
    gap = np.where(expert == naive, np.nan, expert - naive)
    return np.asarray((protocol - naive) / gap)
