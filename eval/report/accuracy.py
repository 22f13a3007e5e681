"""Figures of accuracy: by protocol and judge, and where a speaker chose its side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from debate_gym.eval import metrics
from debate_gym.eval.report.charts import Group, Mark, intervals
from debate_gym.eval.report.figure import Figure, Panel, arm, judges, titled
from debate_gym.eval.report.rows import Row, accuracy, grouped, kind, share

OPEN = (
    "protagonist wins",
    "protagonist is right",
    "accuracy when it is right",
    "accuracy when it is wrong",
)


def by_judge(rows: Sequence[Row]) -> Figure:
    """Accuracy by protocol and judge for each kind of task (K24 figure 2)."""
    panels = []
    for name, chosen in grouped(rows, lambda row: kind(row.task)).items():
        tasks = ", ".join(sorted({row.task for row in chosen}))
        title = f"{name}: {tasks}"
        panels.append(Panel(title, intervals(f"Accuracy, {title}", list(_arms(chosen, rows)))))
    return Figure(
        "accuracy",
        "Accuracy by protocol and judge",
        "K24 figure 2",
        "One panel a kind of task, its questions pooled. Lines are 95 % intervals over n "
        "questions; the dashed line is chance. Verdicts that cannot be read are left out here and "
        "counted in the tables.",
        judges(rows),
        panels,
        "the files hold no episode.",
    )


def by_task(rows: Sequence[Row]) -> Figure:
    """Accuracy by protocol for each task, a lone speaker's by its side (P24 figures 1 and 6)."""
    panels = []
    for task, chosen in grouped(rows, lambda row: row.task).items():
        groups = list(_arms(chosen, rows, _by_side))
        panels.append(Panel(task, intervals(f"Accuracy, {task}", groups, bars=True)))
    return Figure(
        "protocols",
        "Accuracy by protocol, task by task",
        "P24 figures 1 and 6",
        "Bars from 0, so that lengths compare. Below a protocol with one assigned speaker: the "
        "same accuracy on the episodes in which it argued the correct answer, and the wrong one.",
        judges(rows),
        panels,
        "the files hold no episode.",
    )


def open_roles(rows: Sequence[Row]) -> Figure:
    """How often a speaker who chose its side wins, and what becomes of its errors (K24 fig. 3)."""
    chosen = [row for row in rows if _chosen(row) is not None]
    panels = []
    places = grouped(chosen, lambda row: (kind(row.task), row.verdict.judge))
    for (name, judge), members in places.items():
        title = titled(name, f"judge {judge}")
        groups = [
            _roles(key[1], key[2], found)
            for key, found in grouped(members, lambda row: arm(row.episode)).items()
        ]
        panels.append(Panel(title, intervals(f"Open roles, {title}", groups)))
    return Figure(
        "open-roles",
        "Open roles",
        "K24 figure 3",
        "The protagonist argues the answer that it believes. Its wins are no accuracy: where it is "
        "wrong, a judge that follows it is wrong too. Questions that it gets wrong are harder than "
        "the others, so the two accuracies differ by more than persuasion.",
        OPEN,
        panels,
        "no speaker of these episodes chose its side (play open-consultancy or open-debate).",
    )


def _arms(
    chosen: Iterable[Row],
    rows: Sequence[Row],
    more: Callable[[Sequence[Row], list[str]], Iterable[Group]] = lambda members, names: (),
) -> Iterator[Group]:
    """Groups by protocol and condition, and after each what `more` makes of its rows."""
    names, last = judges(rows), ""
    for (_, protocol, condition), members in grouped(chosen, lambda row: arm(row.episode)).items():
        heading = protocol if condition and protocol != last else ""
        last = protocol
        yield Group(condition or protocol, _marks(members, names, protocol), heading)
        yield from more(members, names)


def _marks(members: Iterable[Row], names: Sequence[str], text: str) -> list[Mark]:
    found = grouped(members, lambda row: row.verdict.judge)
    return [
        Mark(names.index(judge), titled(text, f"judge {judge}"), accuracy(chosen))
        for judge, chosen in found.items()
    ]


def _by_side(members: Sequence[Row], names: list[str]) -> Iterator[Group]:
    alone = [row for row in members if len(row.sides) == 1 and row.episode.chooser is None]
    for label, right in (("argues the correct answer", True), ("argues the wrong answer", False)):
        found = [row for row in alone if (_argued(row) == row.truth) is right]
        if found:
            yield Group(f"– {label}", _marks(found, names, label))


def _argued(row: Row) -> int:
    ((_, answer),) = row.sides.values()
    return answer


def _roles(protocol: str, condition: str, members: Sequence[Row]) -> Group:
    right = [row for row in members if _chosen(row) == row.truth]
    wrong = [row for row in members if _chosen(row) != row.truth]
    shares = (
        share(members, lambda row: _chosen(row) or 0),
        metrics.mean_over_questions(
            (row.question, float(_chosen(row) == row.truth)) for row in members
        ),
        accuracy(right),
        accuracy(wrong),
    )
    marks = [Mark(i, OPEN[i], estimate) for i, estimate in enumerate(shares)]
    return Group(titled(protocol, condition), marks)


def _chosen(row: Row) -> int | None:
    """The answer that the protagonist chose; None where none did."""
    chooser = row.episode.chooser
    return None if chooser is None else row.episode.seats[chooser].answer
