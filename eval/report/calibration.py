"""Figures of a judge's probabilities: are they right, and what do they allow to hold back."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from debate_gym.eval import metrics
from debate_gym.eval.report.figure import PROTOCOLS, Figure, Panel, arm, titled
from debate_gym.eval.report.rows import Row, grouped
from debate_gym.eval.report.svg import Curve, curves

BINS = 5
NONE = "no judge of these episodes stated probabilities that can be read."


def reliability(rows: Sequence[Row]) -> Figure:
    """Accuracy against stated confidence (P24 figures 6 right and 19 left)."""
    stated = _stated(rows)
    names = _protocols(stated)
    panels = []
    for title, members in _places(stated):
        lines = [
            Curve(names.index(key), titled(key, _told(found)), bins(found))
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
            Curve(names.index(key), key, coverage_curve(found), dots=False)
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


def _confidence(row: Row) -> float:
    return max(row.verdict.p or (0.5, 0.5))


def _credit(row: Row) -> float:
    return metrics.credit(row.verdict, row.truth) or 0.0


def bins(rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """(mean confidence, accuracy, low, high) of each bin that holds a verdict."""
    points: list[tuple[float, ...]] = []
    for members in grouped(rows, _bin).values():
        hit = metrics.mean_over_questions((row.question, _credit(row)) for row in members)
        sure = sum(map(_confidence, members)) / len(members)
        points.append((sure, hit.value, hit.low, hit.high))
    return points


def _bin(row: Row) -> int:
    return min(BINS - 1, int((_confidence(row) - 0.5) * 2 * BINS))


def coverage_curve(rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """(coverage, accuracy) at each threshold; equally sure verdicts are kept together."""
    sure = np.array([_confidence(row) for row in rows])
    order = np.argsort(-sure, kind="stable")
    hits = np.cumsum(np.array([_credit(row) for row in rows])[order])
    last = np.flatnonzero(np.append(np.diff(sure[order]) != 0, True))
    return [((i + 1) / len(rows), float(hits[i]) / (i + 1)) for i in last.tolist()]


def brier(rows: Sequence[Row]) -> float:
    """Mean squared distance of the correct answer's probability from 1."""
    return float(np.mean([(1 - (row.verdict.p or (0.5, 0.5))[row.truth]) ** 2 for row in rows]))


def calibration_error(rows: Sequence[Row]) -> float:
    """Expected calibration error: the mean gap of the bins, weighted by their verdicts."""
    gaps = (
        len(found) * abs(sum(map(_confidence, found)) - sum(map(_credit, found))) / len(found)
        for found in grouped(rows, _bin).values()
    )
    return sum(gaps) / len(rows)


def _told(rows: Sequence[Row]) -> str:
    return f"Brier {brier(rows):.3f}, ECE {calibration_error(rows):.3f}, {len(rows)} verdicts"


def _table(rows: Sequence[Row]) -> str:
    lines = (
        f"<tr><td>{escape(judge)}<td>{escape(protocol)}<td>{escape(condition)}"
        f"<td>{len(found)}<td>{brier(found):.3f}<td>{calibration_error(found):.3f}"
        for (judge, (_, protocol, condition)), found in grouped(
            rows, lambda row: (row.verdict.judge, arm(row))
        ).items()
    )
    return (
        '<details><summary>Brier score and expected calibration error</summary><div class="scroll">'
        "<table><thead><tr><th>judge<th>protocol<th>condition<th>verdicts<th>Brier<th>ECE</thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div></details>"
    )
