"""Outcomes and accuracies of very many verdicts, by columns (polars).

The same accounting as `debate_gym.envs.verdict.average_orders` and `debate_gym.eval.metrics`, for
tables that are too long to be objects; tests hold the two together.

Columns of a verdict table, one row a verdict: `episode_id, question_id, task, protocol, condition,
judge, correct (0|1), p0 (probability of answers[0], or null), outcome`. Unknown ones are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from debate_gym.envs.nouns import Episode, Outcome
from debate_gym.envs.verdict import TIE_TOLERANCE
from debate_gym.eval.bootstrap import DRAWS, LEVEL, question_counts

GROUP = ("task", "protocol", "condition", "judge")
COLUMNS = ("episode_id", "question_id", *GROUP, "correct", "p0", "outcome")
# Cells of (draws, questions) that are held at once: 64 MB.
CHUNK = 8_000_000
Floats = npt.NDArray[np.float64]


def verdict_rows(episodes: Iterable[Episode]) -> Any:
    """The verdict table of episodes (`polars.DataFrame`)."""
    import polars as pl

    rows = [
        (
            episode.id,
            episode.question.id,
            episode.question.task,
            episode.protocol,
            episode.condition,
            verdict.judge,
            episode.question.correct,
            None if verdict.p is None else verdict.p[0],
            verdict.outcome.value,
        )
        for episode in episodes
        for verdict in episode.verdicts
    ]
    kinds = dict.fromkeys(COLUMNS, pl.String) | {"correct": pl.Int64, "p0": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def average_order_rows(verdicts: Any) -> Any:
    """One row an episode and judge, the answer orders averaged: `p0` is their mean and `outcome`
    follows from it; failed if any order failed, else unreadable if any was.

    Raises:
        ValueError: on a column that is missing, or an outcome that is not known.
    """
    import polars as pl

    _check(verdicts)
    failed, unreadable = (
        (pl.col("outcome") == outcome.value).any()
        for outcome in (Outcome.FAILED, Outcome.UNREADABLE)
    )
    lead = 2 * pl.col("p0") - 1
    ahead = pl.when(pl.col("correct") == 0).then(lead).otherwise(-lead)
    decided = (
        pl.when(ahead.abs() <= TIE_TOLERANCE)
        .then(pl.lit(Outcome.TIE.value))
        .when(ahead > 0)
        .then(pl.lit(Outcome.CORRECT.value))
        .otherwise(pl.lit(Outcome.INCORRECT.value))
    )
    merged = verdicts.group_by("episode_id", *GROUP, maintain_order=True).agg(
        pl.col("question_id").first(),
        pl.col("correct").first(),
        pl.col("p0").mean(),
        failed.alias("failed"),
        unreadable.alias("unreadable"),
    )
    outcome = (
        pl.when("failed")
        .then(pl.lit(Outcome.FAILED.value))
        .when("unreadable")
        .then(pl.lit(Outcome.UNREADABLE.value))
        .otherwise(decided)
    )
    lost = pl.col("failed") | pl.col("unreadable")
    return merged.with_columns(
        outcome.alias("outcome"), pl.when(lost).then(None).otherwise("p0").alias("p0")
    ).select(*COLUMNS)


def score_verdicts(verdicts: Any, *, draws: int = DRAWS, seed: int = 0) -> list[dict[str, Any]]:
    """Outcomes and accuracy of each task, protocol, condition and judge.

    Intervals (95 %) come from resampling questions: one draw of questions serves all groups, so
    that differences between groups may be taken draw by draw.

    Args:
        verdicts: a verdict table; answer orders are averaged here.

    Returns:
        Rows as `debate-gym score` prints them, with `questions` beside; accuracy, low and high are
        None where they are undefined. The five outcomes of a row add up to its n.
    """
    import polars as pl

    rows = average_order_rows(verdicts)
    counts = rows.group_by(*GROUP).agg(
        pl.len().alias("n"),
        *((pl.col("outcome") == outcome.value).sum().alias(outcome.value) for outcome in Outcome),
    )
    cells = _cells(rows)
    keys = cells.select(*GROUP).unique().sort(GROUP)
    accuracy = keys.with_columns(**_accuracy(cells, keys, draws, seed))
    table = counts.join(accuracy, on=GROUP, how="left", nulls_equal=True).sort(GROUP)
    return [_row(row) for row in table.to_dicts()]


def _check(verdicts: Any) -> None:
    missing = set(COLUMNS) - set(verdicts.columns)
    if missing:
        raise ValueError(f"a verdict table needs the columns {COLUMNS}; it lacks {sorted(missing)}")
    known = {outcome.value for outcome in Outcome}
    if strange := set(verdicts["outcome"].unique().to_list()) - known:
        raise ValueError(f"outcomes must be of {sorted(known)}, got {sorted(map(str, strange))}")


def _cells(rows: Any) -> Any:
    """Mean of each group and question, over readable episodes; a tie counts one half."""
    import polars as pl

    worth = (
        pl.when(pl.col("outcome") == Outcome.TIE.value)
        .then(0.5)
        .otherwise((pl.col("outcome") == Outcome.CORRECT.value).cast(pl.Float64))
    )
    lost = [Outcome.UNREADABLE.value, Outcome.FAILED.value]
    readable = rows.filter(~pl.col("outcome").is_in(lost))
    return readable.group_by(*GROUP, "question_id").agg(worth.mean().alias("value"))


def _accuracy(cells: Any, keys: Any, draws: int, seed: int) -> Mapping[str, Any]:
    from scipy.sparse import csr_array

    numbered = keys.with_row_index("group")
    names = cells.select("question_id").unique().sort("question_id").with_row_index("question")
    placed = cells.join(numbered, on=GROUP, nulls_equal=True).join(names, on="question_id")
    place = (placed["group"].to_numpy(), placed["question"].to_numpy())
    shape = (len(keys), len(names))
    values = csr_array((placed["value"].to_numpy(), place), shape)
    known = csr_array((np.ones(len(placed)), place), shape)
    sizes = known.sum(axis=1)
    drawn = _drawn(values, known, draws, np.random.default_rng(seed))
    low, high = np.full((2, len(keys)), math.nan)
    if draws and len(keys):
        low, high = np.nanpercentile(drawn, LEVEL, axis=0)
    found = values.sum(axis=1) / sizes
    return {"accuracy": found, "low": low, "high": high, "questions": sizes.astype(int)}


def _drawn(values: Any, known: Any, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, groups) accuracies."""
    groups, questions = values.shape
    found, step = np.empty((draws, groups)), max(1, CHUNK // max(1, questions))
    for start in range(0, draws, step):
        counts = question_counts(questions, min(step, draws - start), rng).T
        with np.errstate(invalid="ignore"):
            found[start : start + step] = ((values @ counts) / (known @ counts)).T
    return found


def _row(row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: row.pop(name) for name in ("questions", "accuracy", "low", "high")}
    if numbers["questions"] is None:
        numbers["questions"] = 0
    if numbers["questions"] < 2:
        numbers["low"] = numbers["high"] = None
    return row | numbers
