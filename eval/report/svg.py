"""Small charts as SVG: intervals in rows, curves, and points.

Colours, fonts and both themes are the style sheet's: a series is only a class `s0` to `s7`, and has
a shape and a dash of its own beside its colour. With more than eight series a colour comes again
with another shape. Every mark carries its numbers as a tooltip.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from debate_gym.eval.metrics import Estimate

WIDTH = 360
SERIES = 8
SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    "M-3.5,-3.5h7v7h-7Z",
    "M0,-4.8L4.6,3.6H-4.6Z",
    "M0,-5L5,0L0,5L-5,0Z",
    "M0,4.8L4.6,-3.6H-4.6Z",
    "M-1.5,-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
    "M-5,-2.5h10v5h-10Z",
    "M-2.5,-5h5v10h-5Z",
)
ROW, LABEL, GAP, FOOT = 15, 15, 7, 34
TALL = 16
LEFT, RIGHT = 8, 264
FRAME = (46.0, 12.0, 348.0, 236.0)


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


def swatch(series: int) -> str:
    """The shape and colour of a series, as a small picture for a legend."""
    box = 'viewBox="-7 -7 14 14" aria-hidden="true"'
    return f'<svg class="swatch" {box}>{_path(series)}</svg>'


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
                parts.append(_text(LEFT, y + 11, label, css))
                y += LABEL
        for mark in group.marks:
            parts.append(_mark(mark, y + ROW / 2, bars))
            y += ROW
        y += GAP
    ticks = [_tick(value, top, y) for value in (0, 0.25, 0.5, 0.75, 1)]
    return _svg(title, y + FOOT - 10, [*ticks, *parts])


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
    (x0, y0), (x1, y1) = (_in(_scaled(px, xs), py) for px, py in guide)
    dashed = f'<path class="guide" d="M{x0:.1f},{y0:.1f}L{x1:.1f},{y1:.1f}"/>'
    drawn = [part for line in lines for part in _curve(line, xs)]
    return _svg(title, 278, [*_grid(xs, x, y), dashed, *drawn])


def scatter(title: str, points: Sequence[Point], x: str, y: str, *, unit: bool) -> str:
    """Points with intervals on both axes.

    Args:
        unit: whether x is a share; its range is that of the points if not. y is a share.
    """
    xs = (0.0, 1.0) if unit else _range(points)
    parts = _grid(xs, x, y)
    parts += [part for point in points for part in _cross(point, xs)]
    for point in points:
        tip = f"{point.label}: {x} {number(point.x, unit)}, {y} {number(point.y)}"
        parts.append(_shape(point.series, *_place(point, xs), tip))
    return _svg(title, 278, parts)


def number(estimate: Estimate, unit: bool = True) -> str:
    """A value with its interval and N, for a tooltip."""
    form = ".3f" if unit else ".0f"
    if math.isnan(estimate.value):
        return "undefined"
    known = not math.isnan(estimate.low)
    interval = f" [{estimate.low:{form}}, {estimate.high:{form}}]" if known else ""
    return f"{estimate.value:{form}}{interval}, n = {estimate.n}"


def shorten(text: str, length: int) -> str:
    """Cuts a long name in its middle, where names of models and paths say least."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[-tail:]}"


def _mark(mark: Mark, y: float, bars: bool) -> str:
    share = mark.share
    tip = f"{mark.text}: {number(share)}"
    if math.isnan(share.value):
        return _text(LEFT, y + 4, "no readable verdict", "quiet")
    x = _across(share.value)
    css = f"s{mark.series % SERIES}"
    bar = f'<rect class="bar {css}" x="{LEFT}" y="{y - 5}" width="{x - LEFT:.1f}" height="10"/>'
    whisker = ""
    if not math.isnan(share.low):
        low, high = _across(share.low), _across(share.high)
        whisker = f'<path class="whisker {css}" d="M{low:.1f},{y}H{high:.1f}"/>'
    value = f'<tspan class="value">{share.value:.3f}</tspan> n={share.n}'
    told = f'<text class="quiet" x="{RIGHT + 10}" y="{y + 4}">{value}</text>'
    return (bar if bars else "") + whisker + _shape(mark.series, x, y, tip) + told


def _across(value: float) -> float:
    return LEFT + value * (RIGHT - LEFT)


def _tick(value: float, top: float, bottom: float) -> str:
    """A line of the grid and its number below; above too on a chart that scrolls."""
    css, x = "guide" if value == 0.5 else "grid", _across(value)
    line = f'<path class="{css}" d="M{x:.1f},{top}V{bottom:.1f}"/>'
    above = _text(x, 11, f"{value:g}", "tick") if top > 11 else ""
    return line + above + _text(x, bottom + 14, f"{value:g}", "tick")


def _curve(line: Curve, xs: tuple[float, float]) -> Iterable[str]:
    css = f"s{line.series % SERIES}"
    spots = [_in(_scaled(x, xs), y) for x, y, *_ in line.points]
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    yield f'<path class="curve {css}" d="M{path}"><title>{escape(line.text)}</title></path>'
    if not line.dots and len(spots) > 1:
        return
    for (x, y), point in zip(spots, line.points, strict=True):
        if len(point) == 4 and not math.isnan(point[2]):
            low, high = _in(0, point[2])[1], _in(0, point[3])[1]
            yield f'<path class="whisker {css}" d="M{x:.1f},{low:.1f}V{high:.1f}"/>'
        yield _shape(line.series, x, y, f"{line.text}: {point[0]:.3f}, {point[1]:.3f}")


def _grid(xs: tuple[float, float], x: str, y: str) -> list[str]:
    left, top, right, bottom = FRAME
    parts = []
    for step in range(5):
        share = step / 4
        across, down = left + share * (right - left), bottom - share * (bottom - top)
        cross = f"M{across:.1f},{top}V{bottom}M{left},{down:.1f}H{right}"
        parts.append(f'<path class="grid" d="{cross}"/>')
        parts.append(_text(across, bottom + 15, f"{xs[0] + share * (xs[1] - xs[0]):.3g}", "tick"))
        parts.append(_text(left - 7, down + 4, f"{share:g}", "tick end"))
    parts.append(_text((left + right) / 2, bottom + 33, x, "axis"))
    turned = f"translate(11,{(top + bottom) / 2}) rotate(-90)"
    parts.append(f'<g transform="{turned}">{_text(0, 0, y, "axis")}</g>')
    return parts


def _in(x: float, y: float) -> tuple[float, float]:
    left, top, right, bottom = FRAME
    return left + x * (right - left), bottom - y * (bottom - top)


def _range(points: Sequence[Point]) -> tuple[float, float]:
    """Multiples of 50 around the points, whose quarters are such too; a far end of an interval may
    be cut."""
    values = [point.x.value for point in points]
    room = max(50.0, 0.15 * (max(values) - min(values)))
    low = 50 * math.floor((min(values) - room) / 50)
    return low, low + 200 * math.ceil((max(values) + room - low) / 200)


def _place(point: Point, xs: tuple[float, float]) -> tuple[float, float]:
    return _in(_scaled(point.x.value, xs), point.y.value)


def _scaled(value: float, span: tuple[float, float]) -> float:
    return min(1.0, max(0.0, (value - span[0]) / (span[1] - span[0])))


def _cross(point: Point, xs: tuple[float, float]) -> list[str]:
    x, y = _place(point, xs)
    css, parts = f"whisker s{point.series % SERIES}", []
    if not math.isnan(point.x.low):
        low, high = (_in(_scaled(value, xs), 0)[0] for value in (point.x.low, point.x.high))
        parts.append(f'<path class="{css}" d="M{low:.1f},{y:.1f}H{high:.1f}"/>')
    if not math.isnan(point.y.low):
        low, high = (_in(0, value)[1] for value in (point.y.low, point.y.high))
        parts.append(f'<path class="{css}" d="M{x:.1f},{low:.1f}V{high:.1f}"/>')
    return parts


def _shape(series: int, x: float, y: float, tip: str) -> str:
    title = f"<title>{escape(tip)}</title>"
    return f'<g transform="translate({x:.1f},{y:.1f})">{title}{_path(series)}</g>'


def _path(series: int) -> str:
    shape = SHAPES[(series + series // SERIES) % SERIES]
    return f'<path class="shape s{series % SERIES}" d="{shape}"/>'


def _text(x: float, y: float, text: str, css: str) -> str:
    shown = shorten(text, 56)
    tip = "" if shown == text else f"<title>{escape(text)}</title>"
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}">{escape(shown)}{tip}</text>'


def _svg(title: str, height: float, parts: Iterable[str]) -> str:
    name = escape(title, quote=True)
    box = f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}"'
    return f'<svg class="chart" role="img" aria-label="{name}" {box}>{"".join(parts)}</svg>'
