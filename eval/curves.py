"""Pictures of a run: what people look at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from debate_gym.eval.store import read_records

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
Series = tuple[list[float], list[float]]


def plot_curves(metrics: Path, png: Path, *, title: str, lines: Mapping[str, float]) -> None:
    """Draws the curves of one run.

    Args:
        metrics: the run's `metrics.jsonl`.
        lines: label -> judge accuracy of scripted seats, drawn dashed.
    """
    rows = list(read_records(metrics))
    figure, axes = plt.subplots(2, 2, figsize=(11, 7), constrained_layout=True)
    figure.suptitle(title)
    accuracy, wins, payoff, drift = axes.flat
    _band(accuracy, rows, "eval/judge_accuracy", BLUE, "held-out judge accuracy")
    for (label, value), style in zip(lines.items(), ("--", ":", "-."), strict=False):
        accuracy.axhline(value, color=GREY, linestyle=style, linewidth=1, label=label)
    accuracy.set(ylim=(0, 1), title="judge accuracy")
    _band(wins, rows, "eval/win_rate_vs_start", ORANGE, "against the start")
    _band(wins, rows, "eval/win_rate_wrong_side", ORANGE, "consultant, wrong side")
    _band(wins, rows, "eval/verified_share", GREEN, "turns with verified passages")
    wins.set(ylim=(0, 1), title="win rate, verified passages")
    _line(payoff, rows, "reward/absolute", BLUE, "mean absolute reward")
    _line(payoff, rows, "value/explained_variance", GREEN, "value explained variance")
    payoff.set(title="reward and value")
    _line(drift, rows, "kl", BLUE, "log-ratio to the start, a token")
    _line(drift, rows, "entropy", ORANGE, "entropy, a token")
    drift.set(title="drift and entropy")
    for axis in axes.flat:
        axis.set_xlabel("optimiser step")
        axis.grid(alpha=0.25)
        if axis.has_data():
            axis.legend(frameon=False, fontsize=8)
    figure.savefig(png, dpi=120)
    plt.close(figure)


def plot_comparison(runs: Mapping[str, Sequence[Path]], png: Path) -> None:
    """Draws held-out judge accuracy of several kinds of run in one picture: every run thin, their
    mean thick.

    Args:
        runs: label -> `metrics.jsonl` of each seed. The mean stands where every seed was measured.

    Raises:
        ValueError: on a label without runs.
    """
    for label, paths in runs.items():
        if not paths:
            raise ValueError(f"{label!r} has no runs to draw")
    figure, axis = plt.subplots(figsize=(8, 4.5), constrained_layout=True)
    for (label, paths), colour in zip(runs.items(), (BLUE, ORANGE, GREY, GREEN), strict=False):
        curves = [_series(list(read_records(path)), "eval/judge_accuracy") for path in paths]
        for steps, values in curves:
            axis.plot(steps, values, color=colour, alpha=0.3, linewidth=1)
        common = sorted(set.intersection(*(set(steps) for steps, _ in curves)))
        lookup = [dict(zip(*curve, strict=True)) for curve in curves]
        means = [sum(table[step] for table in lookup) / len(lookup) for step in common]
        axis.plot(common, means, color=colour, linewidth=2.5, marker="o", markersize=4, label=label)
    axis.axhline(0.5, color=GREY, linewidth=1, linestyle=":")
    axis.set(xlabel="optimiser step", ylabel="held-out judge accuracy", ylim=(0.3, 1))
    axis.grid(alpha=0.25)
    axis.legend(frameon=False)
    figure.savefig(png, dpi=140)
    plt.close(figure)


def _series(rows: Sequence[Mapping[str, Any]], name: str) -> Series:
    points = {row["step"]: row[name] for row in rows if row.get(name) is not None}
    return list(points), list(points.values())


def _line(axis: Any, rows: Sequence[Mapping[str, Any]], name: str, colour: str, label: str) -> None:
    steps, values = _series(rows, name)
    if steps:
        axis.plot(steps, values, color=colour, label=label)


def _band(axis: Any, rows: Sequence[Mapping[str, Any]], name: str, colour: str, label: str) -> None:
    steps, values = _series(rows, name)
    if not steps:
        return
    axis.plot(steps, values, color=colour, marker="o", markersize=4, label=label)
    _, low = _series(rows, f"{name}_low")
    _, high = _series(rows, f"{name}_high")
    if len(low) == len(high) == len(steps) and not any(map(math.isnan, low)):
        axis.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
