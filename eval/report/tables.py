"""The numbers of the report: N, accuracy and all five outcomes of every group."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import urlencode

from debate_gym.envs.nouns import Outcome
from debate_gym.envs.verdict import order_dependent
from debate_gym.eval import metrics
from debate_gym.eval.metrics import Estimate
from debate_gym.eval.report.figure import arm
from debate_gym.eval.report.rows import Played, Row, accuracy, grouped

HEADS = (
    *("task", "protocol", "condition", "judge", "N", "accuracy", "95 % interval", "outcomes"),
    *(outcome.value for outcome in Outcome),
    *("questions", "order-dependent", "verified turns", "words a turn"),
)
NUMBER = re.compile(r"(?:<b>)?[\[\d–][^a-z]*(?:</b>)?")
WORDS = ("task", "protocol", "condition", "judge", "outcomes")
# What the transcript browser calls an empty condition.
NONE = "(none)"
COSTS = ("task", "protocol", "condition", "N", "generations", "prompt tokens", "completion tokens")


def outcomes(rows: Sequence[Row]) -> str:
    """One line for each task, protocol, condition and judge; the outcomes add up to N episodes.

    The first cell links to the group's transcripts.
    """
    found = grouped(rows, lambda row: (row.task, arm(row.episode), row.verdict.judge))
    lines = [_line(task, *key[1:], judge, members) for (task, key, judge), members in found.items()]
    return _table(HEADS, lines)


def costs(played: Sequence[Played]) -> str:
    """What an episode cost on average, by task, protocol and condition."""
    found: dict[tuple[str, tuple[int, str, str]], list[Played]] = {}
    for one in played:
        found.setdefault((one.episode.question.task, arm(one.episode)), []).append(one)
    names = ("generations", "prompt_tokens", "completion_tokens")
    lines = []
    for (task, (_, *place)), members in sorted(found.items(), key=lambda item: item[0]):
        means = [sum(one.record["cost"][name] for one in members) / len(members) for name in names]
        numbers = (f"{mean:.1f}" for mean in means)
        cells = [escape(task), *map(escape, place), str(len(members)), *numbers]
        lines.append("".join(map(_cell, cells)))
    return _table(COSTS, lines)


def interval(estimate: Estimate) -> str:
    """`[low, high]`, or a dash where it is undefined."""
    return "–" if math.isnan(estimate.low) else f"[{estimate.low:.3f}, {estimate.high:.3f}]"


def _line(task: str, protocol: str, condition: str, judge: str, rows: Sequence[Row]) -> str:
    hits = accuracy(rows)
    counts = [sum(row.verdict.outcome is outcome for row in rows) for outcome in Outcome]
    key = {"task": task, "protocol": protocol, "condition": condition or NONE, "judge": judge}
    link = f'<a href="#{escape(urlencode(key), quote=True)}">{escape(task)}</a>'
    cells = [
        link,
        escape(protocol),
        escape(condition),
        escape(judge),
        str(len(rows)),
        "–" if math.isnan(hits.value) else f"<b>{hits.value:.3f}</b>",
        interval(hits),
        _bar(counts),
        *map(str, counts),
        str(len({row.question for row in rows})),
        *_play(rows, judge),
    ]
    return "".join(map(_cell, cells))


def _play(rows: Sequence[Row], judge: str) -> Iterable[str]:
    episodes = [row.episode for row in rows]
    swayed = metrics.mean_over_questions(
        (row.question, float(_order_dependent(row, judge))) for row in rows
    )
    for value in (swayed.value, metrics.verified_share(episodes).value):
        yield "–" if math.isnan(value) else f"{value:.2f}"
    words = metrics.argument_words(episodes)
    yield "–" if math.isnan(words) else f"{words:.0f}"


def _order_dependent(row: Row, judge: str) -> bool:
    return order_dependent([v for v in row.episode.verdicts if v.judge == judge])


def _bar(counts: Sequence[int]) -> str:
    """The outcomes as one bar; the numbers beside it say the same."""
    parts = (
        f'<i class="{outcome.value}" style="flex:{count}" title="{outcome.value} {count}"></i>'
        for outcome, count in zip(Outcome, counts, strict=True)
        if count
    )
    return f'<span class="bar">{"".join(parts)}</span>'


def _cell(content: str) -> str:
    css = ' class="number"' if NUMBER.fullmatch(content) else ""
    return f"<td{css}>{content}"


def _head(name: str) -> str:
    css = "" if name in WORDS else ' class="number"'
    return f'<th scope="col"{css}><button type="button">{name}</button>'


def _table(heads: Sequence[str], lines: Iterable[str]) -> str:
    head = "".join(map(_head, heads))
    body = "".join(f"<tr>{line}" for line in lines)
    return (
        f'<div class="scroll" tabindex="0"><table class="sortable"><thead><tr>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
