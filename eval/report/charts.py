"""Charts: intervals in rows, curves, and points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from debate_gym.eval.metrics import Estimate
from debate_gym.eval.report.svg import SERIES, grid, inside, number, picture, shape, words

ROW, LABEL, GAP, FOOT = 15, 15, 7, 34
TALL = 16
LEFT, RIGHT = 8, 264


@dataclass(frozen=True, slots=True)
class Mark:
    """One figure of a group, drawn as a point with its interval.

    Attributes:
        text: what it is, for the tooltip.
        share: in [0, 1], or NaN.
    """

    series: int
    text: str
    share: Estimate


@dataclass(frozen=True, slots=True)
class Group:
    """Marks under one label; a heading stands above the label where it begins something new."""

    label: str
    marks: Sequence[Mark]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points joined by a line.

    Attributes:
        points: (x, y) or (x, y, low, high); y, low and high are shares.
        dots: whether the points themselves are drawn; a lone point always is.
    """

    series: int
    text: str
    points: Sequence[tuple[float, ...]]
    dots: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a scatter chart; an interval may be NaN."""

    series: int
    label: str
    x: Estimate
    y: Estimate


def intervals(title: str, groups: Sequence[Group], *, bars: bool = False) -> str:
    """Shares from 0 to 1, one below the other, with 95 % intervals and N.

    Args:
        bars: draw a bar from 0 to the share below each point.
    """
    parts: list[str] = []
    top = 20.0 if sum(len(group.marks) for group in groups) > TALL else 4.0
    y = top
    for group in groups:
        for css, label in (("heading", group.heading), ("label", group.label)):
            if label:
                parts.append(words(LEFT, y + 11, label, css))
                y += LABEL
        for mark in group.marks:
            parts.append(_mark(mark, y + ROW / 2, bars))
            y += ROW
        y += GAP
    ticks = [_tick(value, top, y) for value in (0, 0.25, 0.5, 0.75, 1)]
    return picture(title, y + FOOT - 10, [*ticks, *parts])


def curves(
    title: str,
    lines: Sequence[Curve],
    x: str,
    y: str,
    *,
    xs: tuple[float, float] = (0, 1),
    guide: tuple[tuple[float, float], tuple[float, float]] = ((0, 0.5), (1, 0.5)),
) -> str:
    """Curves of shares.

    Args:
        x, y: names of the axes; y runs from 0 to 1.
        xs: range of x.
        guide: ends of a dashed line to compare with; chance if not given.
    """
    (x0, y0), (x1, y1) = (inside(_scaled(px, xs), py) for px, py in guide)
    dashed = f'<path class="guide" d="M{x0:.1f},{y0:.1f}L{x1:.1f},{y1:.1f}"/>'
    drawn = [part for line in lines for part in _curve(line, xs)]
    return picture(title, 278, [*grid(xs, x, y), dashed, *drawn])


def scatter(title: str, points: Sequence[Point], x: str, y: str, *, unit: bool) -> str:
    """Points with intervals on both axes.

    Args:
        unit: whether x is a share; its range is that of the points if not. y is a share.
    """
    xs = (0.0, 1.0) if unit else _range(points)
    parts = grid(xs, x, y)
    parts += [part for point in points for part in _cross(point, xs)]
    for point in points:
        tip = f"{point.label}: {x} {number(point.x, unit)}, {y} {number(point.y)}"
        parts.append(shape(point.series, *_place(point, xs), tip))
    return picture(title, 278, parts)


def _mark(mark: Mark, y: float, bars: bool) -> str:
    share = mark.share
    tip = f"{mark.text}: {number(share)}"
    if math.isnan(share.value):
        return words(LEFT, y + 4, "no such verdict", "quiet")
    x = _across(share.value)
    css = f"s{mark.series % SERIES}"
    bar = f'<rect class="bar {css}" x="{LEFT}" y="{y - 5}" width="{x - LEFT:.1f}" height="10"/>'
    whisker = ""
    if not math.isnan(share.low):
        low, high = _across(share.low), _across(share.high)
        whisker = f'<path class="whisker {css}" d="M{low:.1f},{y}H{high:.1f}"/>'
    value = f'<tspan class="value">{share.value:.3f}</tspan> n={share.n}'
    told = f'<text class="quiet" x="{RIGHT + 10}" y="{y + 4}">{value}</text>'
    return (bar if bars else "") + whisker + shape(mark.series, x, y, tip) + told


def _across(value: float) -> float:
    return LEFT + value * (RIGHT - LEFT)


def _tick(value: float, top: float, bottom: float) -> str:
    """A line of the grid and its number below; above too on a chart that scrolls."""
    css, x = "guide" if value == 0.5 else "grid", _across(value)
    line = f'<path class="{css}" d="M{x:.1f},{top}V{bottom:.1f}"/>'
    above = words(x, 11, f"{value:g}", "tick") if top > 11 else ""
    return line + above + words(x, bottom + 14, f"{value:g}", "tick")


def _curve(line: Curve, xs: tuple[float, float]) -> Iterable[str]:
    css = f"s{line.series % SERIES}"
    spots = [inside(_scaled(x, xs), y) for x, y, *_ in line.points]
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    yield f'<path class="curve {css}" d="M{path}"><title>{escape(line.text)}</title></path>'
    if not line.dots and len(spots) > 1:
        return
    for (x, y), point in zip(spots, line.points, strict=True):
        if len(point) == 4 and not math.isnan(point[2]):
            low, high = inside(0, point[2])[1], inside(0, point[3])[1]
            yield f'<path class="whisker {css}" d="M{x:.1f},{low:.1f}V{high:.1f}"/>'
        yield shape(line.series, x, y, f"{line.text}: {point[0]:.3f}, {point[1]:.3f}")


def _range(points: Sequence[Point]) -> tuple[float, float]:
    """Multiples of 50 around the points, whose quarters are such too; a far end of an interval may
    be cut."""
    values = [point.x.value for point in points]
    room = max(50.0, 0.15 * (max(values) - min(values)))
    low = 50 * math.floor((min(values) - room) / 50)
    return low, low + 200 * math.ceil((max(values) + room - low) / 200)


def _place(point: Point, xs: tuple[float, float]) -> tuple[float, float]:
    return inside(_scaled(point.x.value, xs), point.y.value)


def _scaled(value: float, span: tuple[float, float]) -> float:
    return min(1.0, max(0.0, (value - span[0]) / (span[1] - span[0])))


def _cross(point: Point, xs: tuple[float, float]) -> list[str]:
    x, y = _place(point, xs)
    css, parts = f"whisker s{point.series % SERIES}", []
    if not math.isnan(point.x.low):
        low, high = (inside(_scaled(value, xs), 0)[0] for value in (point.x.low, point.x.high))
        parts.append(f'<path class="{css}" d="M{low:.1f},{y:.1f}H{high:.1f}"/>')
    if not math.isnan(point.y.low):
        low, high = (inside(0, value)[1] for value in (point.y.low, point.y.high))
        parts.append(f'<path class="{css}" d="M{x:.1f},{low:.1f}V{high:.1f}"/>')
    return parts
