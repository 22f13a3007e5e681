"""Resampling of whole questions: the bootstrap behind every interval that has no formula.

The episodes of a question are not independent (the same article, both assignments, several judges),
so a draw takes questions, with all that belongs to them. Figures of one draw share its questions,
so differences between conditions are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from debate_gym.eval.metrics import Estimate

Floats = npt.NDArray[np.float64]
DRAWS = 1000
LEVEL = (2.5, 97.5)


def question_counts(questions: int, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, questions) how often each draw takes each question; every row adds up to
    `questions`."""
    # Faster than a multinomial draw, which goes through every question.
    taken = rng.integers(questions, size=(draws, questions)) if questions else np.empty((draws, 0))
    cells = (taken + np.arange(draws)[:, None] * questions).astype(np.int64)
    counts = np.bincount(cells.ravel(), minlength=draws * questions)
    return counts.reshape(draws, questions).astype(np.float64)


def weighted_means(values: Floats, counts: Floats) -> Floats:
    """(draws, columns) means over questions.

    Args:
        values: (questions, columns), NaN where a question has no value in a column.
        counts: (draws, questions).

    Returns:
        NaN where a draw has no question with a value.
    """
    known = ~np.isnan(values)
    sums = counts @ np.where(known, values, 0.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / (counts @ known.astype(np.float64)))


def interval(drawn: Floats) -> tuple[float, float]:
    """95 % percentile interval; draws in which the figure is undefined are left out. NaN where no
    draw has one."""
    defined = drawn[np.isfinite(drawn)]
    if not len(defined):
        return math.nan, math.nan
    low, high = np.percentile(defined, LEVEL)
    return float(low), float(high)


def resampled(
    columns: Sequence[Mapping[str, float]],
    figure: Callable[[Floats], Floats],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """A function of several means, such as a difference or a ratio, with its interval.

    Args:
        columns: the value of each question, by its id; a question may lack in some of them.
        figure: takes (draws, columns) means and gives (draws,) figures.

    Returns:
        The figure of the means over all questions; `n` counts the questions of any column.
    """
    questions = sorted(set().union(*columns))
    if not questions:
        return Estimate(math.nan, math.nan, math.nan, 0)
    values = np.array([[column.get(q, math.nan) for column in columns] for q in questions])
    whole = weighted_means(values, np.ones((1, len(questions))))
    counts = question_counts(len(questions), draws, np.random.default_rng(seed))
    with np.errstate(invalid="ignore", divide="ignore"):
        value, drawn = float(figure(whole)[0]), figure(weighted_means(values, counts))
    return Estimate(value, *interval(drawn), len(questions))
