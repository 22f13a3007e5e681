"""A figure of the report: panels under one legend, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from debate_gym.envs.nouns import Episode
from debate_gym.eval.report.rows import Row
from debate_gym.eval.report.svg import swatch

SHOWN = 6
PROTOCOLS = (
    "direct-qa",
    "propaganda",
    "consultancy",
    "interactive-consultancy",
    "double-consultancy",
    "debate",
    "interactive-debate",
    "open-consultancy",
    "open-debate",
)


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart with its title."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Figure:
    """What is drawn, after which published figure, and how to read it.

    Attributes:
        key: names it in links and in the command's JSON.
        source: the paper and its figure.
        legend: names of the series, in their order.
        panels: empty where the rows hold nothing to draw; then `missing` says why.
        table: HTML below the panels.
    """

    key: str
    title: str
    source: str
    caption: str
    legend: Sequence[str] = ()
    panels: Sequence[Panel] = ()
    missing: str = ""
    table: str = ""


def arm(episode: Episode) -> tuple[int, str, str]:
    """What the accuracies of a figure are told apart by, in the order of the figures: the place
    of the protocol, its name, the condition."""
    protocol = episode.protocol
    place = PROTOCOLS.index(protocol) if protocol in PROTOCOLS else len(PROTOCOLS)
    return place, protocol, episode.condition


def judges(rows: Iterable[Row]) -> list[str]:
    """Names of the judges, sorted: the order of their colours in every figure."""
    return sorted({row.verdict.judge for row in rows})


def titled(*parts: str) -> str:
    """Joins what is there."""
    return " · ".join(part for part in parts if part)


def html(figure: Figure) -> str:
    """The figure as part of the page."""
    head = (
        f'<section class="figure" id="figure-{figure.key}"><h3>{escape(figure.title)} '
        f'<span class="source">{escape(figure.source)}</span></h3>'
    )
    if not figure.panels:
        return f'{head}<p class="missing">Not drawn: {escape(figure.missing)}</p></section>'
    return (
        f"{head}<p>{escape(figure.caption)}</p>{_legend(figure.legend)}"
        f"{_panels(figure.panels)}{figure.table}</section>"
    )


def _legend(names: Sequence[str]) -> str:
    items = (f"<li>{swatch(i)}{escape(name)}</li>" for i, name in enumerate(names))
    return f'<ul class="legend">{"".join(items)}</ul>' if names else ""


def _panels(panels: Sequence[Panel]) -> str:
    first = _grid(panels[:SHOWN])
    rest = panels[SHOWN:]
    if not rest:
        return first
    return f"{first}<details><summary>{len(rest)} more panels</summary>{_grid(rest)}</details>"


def _grid(panels: Sequence[Panel]) -> str:
    box = '<div class="chart-box" tabindex="0">'
    cells = (
        f"<figure><h4>{escape(panel.title)}</h4>{box}{panel.svg}</div></figure>" for panel in panels
    )
    return f'<div class="panels">{"".join(cells)}</div>'
