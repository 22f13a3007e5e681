"""The parts that charts are made of: marks, texts, axes.

Colours, fonts and both themes are the style sheet's: a series is only a class `s0` to `s7`, and has
a shape and a dash of its own beside its colour. With more than eight series a colour comes again
with another shape. Every mark carries its numbers as a tooltip.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
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
FRAME = (46.0, 12.0, 348.0, 236.0)


def swatch(series: int) -> str:
    """The shape and colour of a series, as a small picture for a legend."""
    box = 'viewBox="-7 -7 14 14" aria-hidden="true"'
    return f'<svg class="swatch" {box}>{_sign(series)}</svg>'


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


def grid(xs: tuple[float, float], x: str, y: str) -> list[str]:
    """The frame's lines, numbers and names; y runs from 0 to 1."""
    left, top, right, bottom = FRAME
    parts = []
    for step in range(5):
        share = step / 4
        across, down = left + share * (right - left), bottom - share * (bottom - top)
        cross = f"M{across:.1f},{top}V{bottom}M{left},{down:.1f}H{right}"
        parts.append(f'<path class="grid" d="{cross}"/>')
        value = round(xs[0] + share * (xs[1] - xs[0]), 3)
        parts.append(words(across, bottom + 15, f"{value:g}", "tick"))
        parts.append(words(left - 7, down + 4, f"{share:g}", "tick end"))
    parts.append(words((left + right) / 2, bottom + 33, x, "axis"))
    turned = f"translate(11,{(top + bottom) / 2}) rotate(-90)"
    parts.append(f'<g transform="{turned}">{words(0, 0, y, "axis")}</g>')
    return parts


def inside(x: float, y: float) -> tuple[float, float]:
    """The place of a point of the unit square in the frame."""
    left, top, right, bottom = FRAME
    return left + x * (right - left), bottom - y * (bottom - top)


def shape(series: int, x: float, y: float, tip: str) -> str:
    """The mark of a series."""
    title = f"<title>{escape(tip)}</title>"
    return f'<g transform="translate({x:.1f},{y:.1f})">{title}{_sign(series)}</g>'


def _sign(series: int) -> str:
    outline = SHAPES[(series + series // SERIES) % SERIES]
    return f'<path class="shape s{series % SERIES}" d="{outline}"/>'


def words(x: float, y: float, text: str, css: str) -> str:
    """A text, cut to the width of a chart; the whole is its tooltip then."""
    shown = shorten(text, 56)
    tip = "" if shown == text else f"<title>{escape(text)}</title>"
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}">{escape(shown)}{tip}</text>'


def picture(title: str, height: float, parts: Iterable[str]) -> str:
    """A chart as one picture with a name."""
    name = escape(title, quote=True)
    box = f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}"'
    return f'<svg class="chart" role="img" aria-label="{name}" {box}>{"".join(parts)}</svg>'
