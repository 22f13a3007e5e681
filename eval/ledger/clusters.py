"""Bootstrap intervals over questions: debates of one question are not independent, so whole
questions are drawn (L26, Trajectory localization, names what resampling debates does instead)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from debate_gym.eval.ledger.panels import Floats, Labels

LEVELS = (0.025, 0.975)


def question_intervals(
    values: Floats,
    questions: Labels,
    statistics: Callable[[Floats], Floats],
    draws: int,
    seed: int,
) -> Floats:
    """95 % percentile intervals of statistics of sums over debates.

    Args:
        values: (n, k), what is summed.
        questions: (n,), the clusters.
        statistics: from sums (draws, k) to (draws, s); NaN where undefined. Undefined draws are
            left out.
        draws: how often all questions are drawn with replacement, at least 1.

    Returns:
        (s, 2), low and high; NaN where a statistic is undefined in every draw.

    Raises:
        ValueError: without draws or debates.
    """
    if draws < 1 or not len(values):
        raise ValueError(
            f"a bootstrap needs at least 1 draw and 1 debate, got {draws} and {len(values)}"
        )
    sums = _per_question(values, questions)
    rng = np.random.default_rng(seed)
    totals = np.empty((draws, values.shape[1]))
    for draw in range(draws):
        picked = rng.integers(len(sums), size=len(sums))
        totals[draw] = np.bincount(picked, minlength=len(sums)) @ sums
    found = statistics(totals)
    return np.stack([_quantiles(column) for column in found.T])


def ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, NaN where whole is 0."""
    undefined: Floats = np.full(part.shape, np.nan)
    return np.divide(part, whole, out=undefined, where=whole != 0)


def _per_question(values: Floats, questions: Labels) -> Floats:
    """(questions, k), of the questions that occur."""
    _, places = np.unique(questions.codes, return_inverse=True)
    columns = [np.bincount(places, weights=column) for column in values.T]
    return np.stack(columns, axis=1).astype(np.float64)


def _quantiles(column: Floats) -> Floats:
    known = column[~np.isnan(column)]
    if not len(known):
        return np.full(2, np.nan)
    return np.array([float(end) for end in np.quantile(known, LEVELS)])
