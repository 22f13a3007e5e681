"""Figures of a judge's probabilities: are they right, and what do they allow to hold back."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from debate_gym.eval import calibration, metrics
from debate_gym.eval.calibration import Confidences
from debate_gym.eval.metrics import Estimate
from debate_gym.eval.report.charts import Curve, curves
from debate_gym.eval.report.figure import PROTOCOLS, Figure, Panel, arm, titled
from debate_gym.eval.report.rows import Row, grouped
from debate_gym.eval.report.tables import interval

BINS = 5
NONE = "no judge of these episodes stated probabilities that can be read."


def reliability(rows: Sequence[Row]) -> Figure:
    """Accuracy against stated confidence (P24 figures 6 right and 19 left)."""
    stated = _stated(rows)
    names = _protocols(stated)
    panels = []
    for title, members in _places(stated):
        lines = [
            Curve(names.index(key), titled(key, _told(found)), _bins(found))
            for key, found in grouped(members, _protocol).items()
        ]
        svg = curves(
            f"Calibration, {title}",
            lines,
            "confidence in the likelier answer",
            "accuracy",
            xs=(0.5, 1),
            guide=((0.5, 0.5), (1, 1)),
        )
        panels.append(Panel(title, svg))
    return Figure(
        "calibration",
        "Calibration",
        "P24 figures 6 and 19",
        "Verdicts in five bins of confidence, answer orders averaged. On the dashed line "
        "confidence is as good as its word; below it the judge is over-confident. Lines are 95 % "
        "intervals over questions.",
        names,
        panels,
        NONE,
        _table(stated),
    )


def coverage(rows: Sequence[Row]) -> Figure:
    """Accuracy on the share of verdicts that are surest (P24 figures 6 middle and 19 right)."""
    stated = _stated(rows)
    names = _protocols(stated)
    panels = []
    for title, members in _places(stated):
        lines = [
            Curve(names.index(key), key, _kept(found), dots=False)
            for key, found in grouped(members, _protocol).items()
        ]
        svg = curves(f"Accuracy and coverage, {title}", lines, "coverage", "accuracy")
        panels.append(Panel(title, svg))
    return Figure(
        "coverage",
        "Accuracy against coverage",
        "P24 figures 6 and 19",
        "Verdicts below a threshold of confidence are held back; coverage is the share that is "
        "kept. A line that falls to the right belongs to a judge who knows when it knows.",
        names,
        panels,
        NONE,
    )


def _stated(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.stated and row.verdict.p is not None]


def _places(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    found = grouped(rows, lambda row: (row.verdict.judge, row.episode.condition))
    return [(titled(f"judge {judge}", name), members) for (judge, name), members in found.items()]


def _protocol(row: Row) -> str:
    return row.episode.protocol


def _protocols(rows: Sequence[Row]) -> list[str]:
    names = {_protocol(row) for row in rows}
    return [name for name in PROTOCOLS if name in names] + sorted(names - {*PROTOCOLS})


def _confidences(rows: Sequence[Row]) -> Confidences:
    shares = [row.verdict.p[row.truth] for row in rows if row.verdict.p is not None]
    return Confidences(tuple(row.question for row in rows), np.array(shares, np.float64))


def _bins(rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """(mean confidence, accuracy, low, high) of each bin that holds a verdict; the accuracy is
    over questions."""
    table = _confidences(rows)
    points: list[tuple[float, ...]] = []
    for one in calibration.reliability(table, BINS):
        inside = (table.confidence >= one.low) & ((table.confidence < one.high) | (one.high == 1))
        hit = metrics.mean_over_questions(
            (table.questions[i], float(table.right[i])) for i in np.flatnonzero(inside)
        )
        points.append((one.confidence, hit.value, hit.low, hit.high))
    return points


def _kept(rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """(coverage, accuracy) at each threshold."""
    found = calibration.accuracy_coverage(_confidences(rows))
    return [(one.coverage, one.accuracy) for one in found]


def _scores(rows: Sequence[Row]) -> tuple[Estimate, float]:
    """Brier score and expected calibration error."""
    table = _confidences(rows)
    return calibration.brier(table), calibration.expected_calibration_error(table, BINS)


def _told(rows: Sequence[Row]) -> str:
    squared, error = _scores(rows)
    return f"Brier {squared.value:.3f}, ECE {error:.3f}, {len(rows)} verdicts"


def _line(judge: str, protocol: str, condition: str, rows: Sequence[Row]) -> str:
    squared, error = _scores(rows)
    return (
        f"<tr><td>{escape(judge)}<td>{escape(protocol)}<td>{escape(condition)}<td>{len(rows)}"
        f"<td>{squared.value:.3f}<td>{interval(squared)}<td>{error:.3f}"
    )


def _table(rows: Sequence[Row]) -> str:
    found = grouped(rows, lambda row: (row.verdict.judge, arm(row.episode)))
    lines = [_line(judge, *key[1:], members) for (judge, key), members in found.items()]
    return (
        '<details><summary>Brier score and expected calibration error</summary><div class="scroll">'
        "<table><thead><tr><th>judge<th>protocol<th>condition<th>verdicts<th>Brier<th>95 % interval"
        f"<th>ECE</thead><tbody>{''.join(lines)}</tbody></table></div></details>"
    )
