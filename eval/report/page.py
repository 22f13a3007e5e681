"""The report: one HTML file that needs nothing but a browser.

Its policy (the `Content-Security-Policy` below) lets run only the page's own script and load
nothing at all, so that no speech can run or fetch anything even if it got into the markup.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path

from debate_gym.envs.nouns import Outcome
from debate_gym.eval.report import figure, tables
from debate_gym.eval.report.accuracy import by_judge, by_task, open_roles
from debate_gym.eval.report.calibration import coverage, reliability
from debate_gym.eval.report.players import elo, win_rate
from debate_gym.eval.report.rows import Played, Row, read_folder, rows
from debate_gym.eval.report.transcripts import browser_data, inlined, spread

FOLDER = Path(__file__).parent
FIGURES = (by_judge, by_task, open_roles, win_rate, elo, reliability, coverage)
TRANSCRIPTS = 10_000
CONFIG = "config.yaml"
FILTERS = ("task", "protocol", "condition", "judge", "outcome")


@dataclass(frozen=True, slots=True)
class Report:
    """A page and what it holds.

    Attributes:
        figures: name -> `drawn`, or why it was not.
    """

    html: str
    episodes: int
    figures: dict[str, str]


def build(folder: Path, *, title: str | None = None, transcripts: int = TRANSCRIPTS) -> Report:
    """Builds the report of a run. The same files give the same bytes.

    Args:
        folder: see `debate_gym.eval.report.rows.read_folder`.
        title: the folder's name if None.
        transcripts: episodes in the browser at most, evenly spread; figures and tables are of all.

    Raises:
        FileNotFoundError: if there are no episode files.
        ValueError: if they hold no episode, or a line is none.
    """
    if transcripts < 0:
        raise ValueError(f"the number of transcripts must not be negative, got {transcripts}")
    played = read_folder(folder)
    if not played:
        raise ValueError(f"the episode files of {folder} are empty: there is nothing to report")
    judged = rows(played)
    figures = [draw(judged) for draw in FIGURES]
    name = title or folder.resolve().name
    html = "\n".join(
        [
            *_head(name),
            _top(name, played, judged),
            _config(folder),
            '<h2 id="figures">Figures</h2>',
            *map(figure.html, figures),
            _tables(played, judged),
            _browser(played, transcripts),
            "</main>",
            f"<script>{_script()}</script>",
            "</body></html>\n",
        ]
    )
    drawn = {one.key: "drawn" if one.panels else one.missing for one in figures}
    return Report(html, len(played), drawn)


def _head(title: str) -> list[str]:
    digest = base64.b64encode(sha256(_script().encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(title)} – debate-gym report</title>",
        f"<style>{_file('style.css')}</style></head><body>",
    ]


def _top(title: str, played: Sequence[Played], judged: Sequence[Row]) -> str:
    lost = (Outcome.UNREADABLE, Outcome.FAILED)
    missing = sum(row.verdict.outcome in lost for row in judged)
    tiles = {
        "episodes": len(played),
        "questions": len({row.question for row in judged}),
        "tasks": len({row.task for row in judged}),
        "protocols": len({row.episode.protocol for row in judged}),
        "judges": len(figure.judges(judged)),
        "unreadable or failed": f"{missing / len(judged):.1%}",
    }
    shown = "".join(
        f"<div><dt>{name}</dt><dd>{value if isinstance(value, str) else f'{value:,}'}</dd></div>"
        for name, value in tiles.items()
    )
    return (
        '<header><div class="bar-top"><h1>'
        f'{escape(title)}</h1><nav><a href="#figures">Figures</a><a href="#tables">Tables</a>'
        '<a href="#transcripts">Transcripts</a><button id="theme" type="button">Dark / light'
        f'</button></nav></div><dl class="tiles">{shown}</dl></header><main>'
    )


def _config(folder: Path) -> str:
    path = folder / CONFIG
    if not path.is_file():
        return ""
    text = escape(path.read_text("utf-8"))
    return f"<details><summary>Configuration</summary><pre>{text}</pre></details>"


def _tables(played: Sequence[Played], judged: Sequence[Row]) -> str:
    return (
        '<h2 id="tables">Tables</h2><h3>Accuracy and outcomes</h3><p>The five outcomes add up to '
        "N episodes. Accuracy is over questions with a readable verdict, a tie counts one half. "
        "A click on a head sorts; a click on a task shows the transcripts.</p>"
        f"{tables.outcomes(judged)}<h3>Cost of an episode</h3>{tables.costs(played)}"
    )


def _browser(played: Sequence[Played], most: int) -> str:
    shown = spread(played, most)
    left_out = (
        f"<p>{len(shown):,} of the {len(played):,} episodes are here, evenly spread over the "
        "files; figures and tables are of all.</p>"
        if len(shown) < len(played)
        else ""
    )
    index, episodes = browser_data(shown)
    lines = "\n".join(map(inlined, episodes))
    filters = "".join(
        f'<label>{name}<select id="f-{name}" data-filter="{name}"></select></label>'
        for name in FILTERS
    )
    return (
        f'<h2 id="transcripts">Transcripts</h2>{left_out}<form id="filters" role="search">{filters}'
        '<label class="wide">text<input id="f-text" data-filter="text" type="search" '
        'placeholder="in speeches, questions, names"></label>'
        '<button type="reset">Clear</button></form><p class="hint"><output id="count" '
        'aria-live="polite"></output> <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>/</kbd> '
        "search · <kbd>Esc</kbd> back to the list</p>"
        '<div id="browser"><div id="list" role="listbox" tabindex="0" aria-label="Episodes">'
        '<div id="spacer"></div></div><article id="episode" tabindex="-1" aria-live="polite">'
        "</article></div>"
        f'<script id="index" type="application/json">{inlined(index)}</script>'
        f'<script id="episodes" type="text/plain">{lines}</script>'
    )


def _script() -> str:
    return _file("page.js") + _file("browser.js")


def _file(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")
