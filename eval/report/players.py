"""Figures of players: does the one who wins more make its judge right more often?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from html import escape

from debate_gym.eval import metrics
from debate_gym.eval.matches import Match
from debate_gym.eval.metrics import Estimate
from debate_gym.eval.report.charts import Point, scatter
from debate_gym.eval.report.figure import Figure, Panel, titled
from debate_gym.eval.report.rows import Row, accuracy, grouped, kind

# `debate-gym eval` lets a policy meet its first model under this revision.
REFERENCE = "-reference"
DRAWS = 200


def win_rate(rows: Sequence[Row]) -> Figure:
    """Accuracy of each player's own games against its win rate (P24 figures 4 right and 7)."""
    assigned = [row for row in rows if row.sides and row.episode.chooser is None]
    panels = []
    names = _players(assigned)
    places = grouped(assigned, lambda r: (r.task, r.episode.protocol, r.verdict.judge))
    for (task, protocol, judge), members in places.items():
        points = list(_points(members, names))
        title = titled(task, protocol, f"judge {judge}")
        if len(points) > 1:
            panels.append(Panel(title, scatter(title, points, "win rate", "accuracy", unit=True)))
    return Figure(
        "win-rate",
        "Win rate and accuracy",
        "P24 figures 4 and 7",
        "A point is a player: how often it wins with both assignments of a question averaged "
        "(against other players in a debate, before the judge alone in a consultancy), and how "
        "often the judge of its own games is right. If debate works the points rise to the right; "
        "in consultancy they fall.",
        names,
        panels,
        "it needs two or more players of a task with both figures: games against another player "
        "(or consultancies) with both assignments of a question, and games of their own.",
    )


def elo(rows: Sequence[Row]) -> Figure:
    """Accuracy of each player's own debates against its rating (K24 figure 4, P24 figure 3)."""
    debates = [row for row in rows if len(row.sides) == 2 and row.episode.chooser is None]
    names = _players(debates)
    panels, notes = [], []
    places = grouped(debates, lambda row: (kind(row.task), row.verdict.judge))
    for (name, judge), members in places.items():
        title = titled(name, f"judge {judge}")
        points, warnings = _rated(members, names)
        if len(points) > 1:
            panels.append(Panel(title, scatter(title, points, "Elo", "accuracy", unit=False)))
            notes += [f"{title}: {warning}" for warning in warnings]
    return Figure(
        "elo",
        "Elo and accuracy",
        "K24 figure 4, P24 figure 3",
        "A point is a debater: its rating from its games against others (scale 400, the mean of "
        f"all is 0, 95 % interval from {DRAWS} draws over questions), and how often the judge of "
        "its debates with itself is right.",
        names,
        panels,
        "it needs debates of two or more players against each other, and of each with itself.",
        _notes(notes),
    )


def _points(rows: Sequence[Row], names: list[str]) -> Iterable[Point]:
    own, met = _own(rows), _met(rows)
    for name in sorted(own.keys() & met.keys()):
        wins, hits = _both_sides(met[name]), accuracy(own[name])
        if wins.n and hits.n:
            yield Point(names.index(name), name, wins, hits)


def _rated(rows: Sequence[Row], names: list[str]) -> tuple[list[Point], list[str]]:
    from debate_gym.eval.ratings import rate

    own = _own(rows)
    matches = [match for row in rows if (match := _match(row)) and match.a != match.b]
    if not matches:
        return [], []
    ratings = rate(matches, draws=DRAWS)
    points = []
    for name, rating in sorted(ratings.players.items()):
        hits = accuracy(own.get(name, ()))
        placed = Estimate(rating.rating, rating.low, rating.high, int(rating.games))
        if hits.n:
            points.append(Point(names.index(name), name, placed, hits))
    return points, ratings.warnings


def _own(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows in which a player fills all the seats."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        players = {_name(player) for player, _ in row.sides.values()}
        if len(players) == 1:
            found[players.pop()].append(row)
    return found


def _met(rows: Iterable[Row]) -> dict[str, list[tuple[Row, int]]]:
    """Player -> the rows that it can win or lose, with the answer that it argued there."""
    found: dict[str, list[tuple[Row, int]]] = defaultdict(list)
    for row in rows:
        sides = [(_name(player), answer) for player, answer in row.sides.values()]
        if len({name for name, _ in sides}) == len(sides):
            for name, answer in sides:
                found[name].append((row, answer))
    return found


def _both_sides(games: Iterable[tuple[Row, int]]) -> Estimate:
    """Win rate over the questions of which a player argued both answers (P24 equations 1, 2)."""
    won: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, answer in games:
        if (value := metrics.credit(row.verdict, answer)) is not None:
            won[row.question][answer].append(value)
    return metrics.mean_over_questions(
        (question, sum(values) / len(values))
        for question, sides in won.items()
        if len(sides) == 2
        for values in sides.values()
    )


def _match(row: Row) -> Match | None:
    won = metrics.credit(row.verdict, row.truth)
    names = {answer: _name(player) for player, answer in row.sides.values()}
    if won is None or len(names) != 2:
        return None
    return Match(names[row.truth], names[1 - row.truth], won, 1, "correct", row.question)


def _players(rows: Iterable[Row]) -> list[str]:
    """Everybody who fills all seats of some game, sorted: the order of colours."""
    return sorted(_own(rows))


def _name(player: str) -> str:
    return player.removesuffix(REFERENCE).removesuffix("@")


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<details><summary>Notes</summary><ul class="notes">{items}</ul></details>'
