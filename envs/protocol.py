"""A protocol is data: who speaks in which round, and who sees the article.

Each one is a YAML file in `envs/protocols/`; its prompts are the text files of a folder of
`envs/prompts/`. A new protocol needs no new class.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import DEBATER_0, DEBATER_1

FOLDER = Path(__file__).parent / "protocols"
TURNS = ("simultaneous", "sequential")


@dataclass(frozen=True, slots=True)
class Protocol:
    """Who speaks when, and who sees what.

    Attributes:
        seats: speaking seats, in speaking order; empty when the judge decides alone.
        rounds: how often each of them speaks; 0 exactly when there are no seats.
        turns: `simultaneous` (a round sees only earlier rounds) or `sequential` (a seat also
            sees the seats before it in its own round).
        judge_sees_article: the expert judge of K24 section 3.2.
        prompts: folder of `envs/prompts/`, or None to take the task's own.

    Raises:
        ValueError: on an unknown `turns`, or rounds that do not fit the seats.
    """

    name: str
    seats: tuple[str, ...]
    rounds: int
    turns: str = "simultaneous"
    judge_sees_article: bool = False
    prompts: str | None = None

    def __post_init__(self) -> None:
        if self.turns not in TURNS:
            raise ValueError(f"turns must be one of {TURNS}, got {self.turns!r}")
        if not isinstance(self.rounds, int) or (self.rounds > 0) != bool(self.seats):
            raise ValueError(
                f"protocol {self.name!r} with seats {self.seats} needs "
                f"{'at least 1 round' if self.seats else '0 rounds'}, got {self.rounds!r}"
            )
        if self.rounds < 0:
            raise ValueError(f"rounds must not be negative, got {self.rounds}")

    @property
    def steps(self) -> tuple[tuple[str, ...], ...]:
        """The speaking order: each entry holds the seats that speak at once."""
        if self.turns == "sequential":
            return tuple((seat,) for _ in range(self.rounds) for seat in self.seats)
        return (self.seats,) * self.rounds

    @property
    def debate(self) -> bool:
        """Whether two seats argue opposite answers."""
        return DEBATER_0 in self.seats and DEBATER_1 in self.seats


def load_protocol(name: str, **overrides: Any) -> Protocol:
    """Reads a protocol by name, with some of its fields replaced.

    Overrides of None are left out, so that callers can pass options through.

    Raises:
        ValueError: on an unknown protocol or field.
    """
    path = FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise ValueError(unknown("protocol", name, protocol_names()))
    fields = {field.name for field in dataclasses.fields(Protocol)} - {"name"}
    for key in overrides:
        if key not in fields:
            raise ValueError(unknown("protocol field", key, sorted(fields)))
    data = {**_read(path), **{key: value for key, value in overrides.items() if value is not None}}
    data["seats"] = tuple(data["seats"])
    return Protocol(name=name, **data)


def protocol_names() -> list[str]:
    """The names that `load_protocol` takes."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def _read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data
