"""What belongs together in two runs: conditions, questions, episodes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from debate_gym.eval import metrics
from debate_gym.eval.report.rows import Row

Place = tuple[str, str, str]


def by_place(
    rows: Iterable[Row], condition: str | None, run: str
) -> dict[Place, dict[str, list[Row]]]:
    """Sorts a run's rows: task, protocol and judge -> condition -> rows.

    Args:
        condition: one that must be there, if not None.
        run: name of the run, for the error.

    Raises:
        ValueError: if it is not.
    """
    found: dict[Place, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    names = set()
    for row in rows:
        names.add(row.episode.condition)
        place = (row.task, row.episode.protocol, row.verdict.judge)
        found[place][row.episode.condition].append(row)
    if condition is not None and condition not in names:
        raise ValueError(f"run {run} has no condition {condition!r}: it has {sorted(names)}")
    return found


def condition_pairs(
    a: Mapping[str, Sequence[Row]], b: Mapping[str, Sequence[Row]]
) -> Iterator[tuple[str, str]]:
    """Conditions to compare: equal ones, and the only ones left of a kind in each run."""
    both = sorted(set(a) & set(b))
    yield from ((name, name) for name in both)
    kinds: list[dict[str, list[str]]] = []
    for run in (a, b):
        kinds.append(defaultdict(list))
        for name in run:
            if name not in both:
                kinds[-1][_kind(name, run[name][0])].append(name)
    for kind in sorted(kinds[0].keys() & kinds[1].keys()):
        if len(kinds[0][kind]) == len(kinds[1][kind]) == 1:
            yield kinds[0][kind][0], kinds[1][kind][0]


def same_question(row: Row) -> str:
    """Equal for the same question, whatever the order of its answers."""
    question = row.episode.question
    right, wrong = question.answers[question.correct], question.answers[1 - question.correct]
    return json.dumps([question.task, question.id, right, wrong])


def paired_rows(a: Iterable[Row], b: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
    """Episodes of the same question and assignment, first with first, second with second."""
    waiting: dict[object, list[Row]] = defaultdict(list)
    for row in b:
        waiting[_assignment(row)].append(row)
    for row in a:
        if partners := waiting[_assignment(row)]:
            yield row, partners.pop(0)


def _kind(condition: str, row: Row) -> str:
    """The condition without the name of the player that it is about."""
    for record in row.episode.seats.values():
        player = f"{metrics.player(record.model, record.revision)}:"
        if condition.startswith(player):
            return condition.removeprefix(player)
    return condition


def _assignment(row: Row) -> object:
    """The question and who argued what; a side that was chosen is no part of it."""
    if row.episode.chooser is not None:
        return same_question(row)
    answers = row.episode.question.answers
    sides = sorted((seat, answers[answer]) for seat, (_, answer) in row.sides.items())
    return same_question(row), tuple(sides)
