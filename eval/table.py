"""The table that a run ends with: before and after, beside what scripted seats reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from debate_gym.envs.nouns import Outcome
from debate_gym.eval.checkpoint import SELF, Evaluation
from debate_gym.eval.metrics import Estimate

LABELS = {
    "judge_accuracy": "judge accuracy",
    "win_rate_vs_start": "win rate against the start",
    "win_rate_correct_side": "consultant wins, correct side",
    "win_rate_wrong_side": "consultant wins, wrong side",
    "verified_share": "turns with verified passages",
    "order_dependent_share": "order-dependent verdicts",
}


def comparison_table(columns: Mapping[str, Evaluation], title: str) -> Table:
    """One column an evaluation, one row a figure: the value, below it its 95 % interval, and N
    questions. Four columns fit into 100 characters."""
    table = Table(title=escape(title), title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("")
    for name in columns:
        table.add_column(escape(name), justify="right", overflow="fold")
    figures = {name: evaluation.estimates() for name, evaluation in columns.items()}
    for key in LABELS:
        if any(key in estimates for estimates in figures.values()):
            table.add_row(LABELS[key], *(_cell(figures[name].get(key)) for name in columns))
    table.add_section()
    for outcome in Outcome:
        table.add_row(
            outcome.value, *(str(evaluation.outcomes[outcome]) for evaluation in columns.values())
        )
    table.add_row("episodes", *(str(len(e.of(SELF))) for e in columns.values()))
    return table


def gap_closed(floor: float, ceiling: float, value: float) -> float:
    """Share of the way from one accuracy to another; NaN if the two are equal."""
    return math.nan if ceiling == floor else (value - floor) / (ceiling - floor)


def verdict_line(columns: Mapping[str, Evaluation], names: Sequence[str]) -> str:
    """One sentence on the gap between random quoting and best play.

    Args:
        names: the columns of random quoting, best play, before and after.
    """
    random, best, before, after = (
        columns[name].estimates()["judge_accuracy"].value for name in names
    )
    return (
        f"From random quoting ({random:.3f}) to best play ({best:.3f}), judge accuracy stood at "
        f"{gap_closed(random, best, before):.0%} of the gap before training and stands at "
        f"{gap_closed(random, best, after):.0%} after it."
    )


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.n == 0:
        return "-"
    value = f"{estimate.value:.3f} n={estimate.n}"
    if math.isnan(estimate.low):
        return f"{value}\n[-]"
    return f"{value}\n[{estimate.low:.3f}, {estimate.high:.3f}]"
