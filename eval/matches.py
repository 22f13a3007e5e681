"""Matches: who met whom, how often, and who won."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debate_gym.envs.nouns import Episode
from debate_gym.eval.metrics import credit, player, pooled
from debate_gym.eval.store import FileError, numbered_records

SIDES = ("correct", "incorrect")


@dataclass(frozen=True, slots=True)
class Match:
    """One or more games of two players.

    Attributes:
        wins_a: games that `a` won, a tie counting one half.
        games: games with a readable verdict; the others pay nobody and are no games.
        a_side: whether `a` argued the correct answers; None where it is not known or mixed.
        question_id: what the games were about; None where there were several questions.

    Raises:
        ValueError: on wins outside [0, games], a side that is not known, or an empty name.
    """

    a: str
    b: str
    wins_a: float
    games: float
    a_side: str | None = None
    question_id: str | None = None

    def __post_init__(self) -> None:
        if not self.a or not self.b:
            raise ValueError(f"expected the names of two players, got {self.a!r} and {self.b!r}")
        if not (math.isfinite(self.games) and 0 <= self.wins_a <= self.games):
            raise ValueError(
                f"expected 0 <= wins_a <= games, got wins_a {self.wins_a} and games {self.games}"
            )
        if self.a_side not in (None, *SIDES):
            raise ValueError(f"a_side must be one of {SIDES}, got {self.a_side!r}")

    def to_json(self) -> dict[str, Any]:
        """The `matches` file record; without what is not known."""
        known = {"a_side": self.a_side, "question_id": self.question_id}
        return {
            "a": self.a,
            "b": self.b,
            "wins_a": self.wins_a,
            "games": self.games,
            **{key: value for key, value in known.items() if value is not None},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Match:
        """Reads a `matches` record.

        Raises:
            ValueError: if a key is missing or holds a value of the wrong kind.
        """
        missing = {"a", "b", "wins_a", "games"} - record.keys()
        if missing:
            raise ValueError(f"it lacks the keys {sorted(missing)}")
        for key in ("a", "b"):
            if not isinstance(record[key], str):
                raise ValueError(f"{key} must be a text, got {record[key]!r}")
        for key in ("wins_a", "games"):
            if isinstance(record[key], bool) or not isinstance(record[key], int | float):
                raise ValueError(f"{key} must be a number, got {record[key]!r}")
        question = record.get("question_id")
        return cls(
            record["a"],
            record["b"],
            record["wins_a"],
            record["games"],
            record.get("a_side"),
            None if question is None else str(question),
        )


def read_matches(path: Path) -> list[Match]:
    """Reads a match file.

    Raises:
        FileError: on a record that is no match, or a file without any; names the line.
    """
    matches = []
    for number, record in numbered_records(path):
        try:
            matches.append(Match.from_json(record))
        except ValueError as error:
            raise FileError(f"{path}:{number}: no match: {error}") from error
    if not matches:
        raise FileError(f"{path}:1: expected at least one match, the file has none")
    return matches


def matches_from_episodes(episodes: Iterable[Episode], judge: str | None = None) -> list[Match]:
    """One match an episode of two debaters; `a` argued the correct answer.

    Players are named `model@revision`. Episodes without a readable verdict are no games: count
    them with `debate_gym.eval.metrics.outcome_counts`.

    Raises:
        ValueError: on an episode without two arguing seats.
    """
    matches = []
    for episode in episodes:
        right, wrong = _by_side(episode)
        won = credit(pooled(episode, judge), episode.question.correct)
        if won is not None:
            matches.append(Match(right, wrong, won, 1, "correct", episode.question.id))
    return matches


def split_sides(matches: Sequence[Match]) -> list[Match]:
    """Makes two players of each: one that argues correct answers, one that argues incorrect ones
    (P24 equation 4, K24 appendix E).

    Raises:
        ValueError: if a match does not say who argued the correct answers.
    """
    unknown = [match for match in matches if match.a_side is None]
    if unknown:
        raise ValueError(
            f"{len(unknown)} of {len(matches)} matches have no a_side, the first between "
            f"{unknown[0].a!r} and {unknown[0].b!r}: say for each whether a is correct or incorrect"
        )
    return [_split(match) for match in matches]


def side_name(name: str, side: str) -> str:
    """The player that argues one side only."""
    return f"{name} ({side})"


def unbalanced(matches: Iterable[Match]) -> list[tuple[str, str]]:
    """Pairs that did not play both assignments equally often, so that the pull of the correct
    answer does not cancel out; pairs whose sides are not known are not among them."""
    lead: dict[tuple[str, str], float] = defaultdict(float)
    for match in matches:
        if match.a_side is not None and match.a != match.b:
            pair = (min(match.a, match.b), max(match.a, match.b))
            first_is_right = (match.a == pair[0]) == (match.a_side == "correct")
            lead[pair] += match.games if first_is_right else -match.games
    return sorted(pair for pair, games in lead.items() if games)


def _split(match: Match) -> Match:
    side = str(match.a_side)
    other = SIDES[side == "correct"]
    return Match(
        side_name(match.a, side),
        side_name(match.b, other),
        match.wins_a,
        match.games,
        None,
        match.question_id,
    )


def _by_side(episode: Episode) -> tuple[str, str]:
    names = {
        record.answer: player(record.model, record.revision)
        for record in episode.seats.values()
        if record.answer is not None
    }
    if set(names) != {0, 1}:
        raise ValueError(f"episode {episode.id!r} has no two seats that argue opposite answers")
    correct = episode.question.correct
    return names[correct], names[1 - correct]
