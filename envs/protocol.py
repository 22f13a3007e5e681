"""A protocol is data: who speaks in which round, and who sees what.

Each one is a YAML file in `envs/protocols/`; its prompts are the text files of a folder of
`envs/prompts/`. A new protocol needs no new class, and every field can be overridden for a game:
`load_protocol("consultancy", judge_asks=True, rounds=3)`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import (
    CHOICE_ROUND,
    CONSULTANT_0,
    CONSULTANT_1,
    DEBATER_0,
    DEBATER_1,
    JUDGE_0,
)

FOLDER = Path(__file__).parent / "protocols"
TURNS = ("simultaneous", "sequential")
SHOWN = ("all", "passages", "prose")
SPEAKING_SEATS = (DEBATER_0, DEBATER_1, CONSULTANT_0, CONSULTANT_1)
TEXTS = re.compile(
    r"rules|passages|asking|thinking|article|question|blind|judge|judge_ask|judge_question"
    r"|(?:debater|consultant)(?:_[1-9]\d*)?"
)


@dataclass(frozen=True, slots=True)
class Step:
    """The seats that speak at once, and their round (`CHOICE_ROUND` for an opening choice)."""

    seats: tuple[str, ...]
    round: int


@dataclass(frozen=True, slots=True)
class Protocol:
    """Who speaks when, and who sees what.

    Attributes:
        seats: speaking seats, in speaking order; empty when the judge decides alone. Two seats
            argue opposite answers.
        rounds: how often each of them speaks; 0 exactly when there are no seats.
        turns: `simultaneous` (a round sees only earlier rounds) or `sequential` (a seat also
            sees the seats before it in its own round).
        words: the limit of a speech, for prompts that name one; nothing is cut here.
        judge_asks: `judge_0` speaks after every round but the last, and everybody reads it.
        judge_sees_article: the expert judge of K24 section 3.2.
        blind: a seat reads its own speeches only; the judge reads all of them.
        shown: what readers get of a speech: `all` of it, its verified `passages` without the
            prose, or its `prose` without the passages (P24 appendix A.6).
        verify: whether readers are told how passages were checked; if not, they read plain
            quotations. The episode keeps the check either way.
        chooser: the seat that first answers the question as in direct QA, with the article, and
            then argues that answer; the other seat gets the other one. None: sides are assigned.
        texts: prompt file -> the file that this protocol reads in its place.
        prompts: folder of `envs/prompts/`, or None to take the task's own.
        about: one sentence, with its source.

    Raises:
        ValueError: on a value that is not known, or a combination that cannot be played.
    """

    name: str
    seats: tuple[str, ...]
    rounds: int
    turns: str = "simultaneous"
    words: int = 150
    judge_asks: bool = False
    judge_sees_article: bool = False
    blind: bool = False
    shown: str = "all"
    verify: bool = True
    chooser: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)
    prompts: str | None = None
    about: str = ""

    def __post_init__(self) -> None:
        _check_values(self)
        _check_rounds(self)
        for impossible, reason in _conflicts(self):
            if impossible:
                raise ValueError(f"protocol {self.name!r}: {reason}")

    @property
    def schedule(self) -> tuple[Step, ...]:
        """The steps of a game, in playing order."""
        return _schedule(self.seats, self.rounds, self.turns, self.judge_asks, self.chooser)

    @property
    def speakers(self) -> tuple[str, ...]:
        """All seats that a policy fills: the speaking seats, and a judge who asks."""
        return (*self.seats, JUDGE_0) if self.judge_asks else self.seats

    @property
    def debate(self) -> bool:
        """Whether two debaters argue opposite answers."""
        return DEBATER_0 in self.seats and DEBATER_1 in self.seats


def load_protocol(name: str, **overrides: Any) -> Protocol:
    """Reads a protocol by name, with some of its fields replaced.

    Overrides of None are left out, so that callers can pass options through.

    Raises:
        ValueError: on an unknown protocol or field, in the call or in the file.
    """
    if name not in protocol_names():
        raise ValueError(unknown("protocol", name, protocol_names()))
    path = FOLDER / f"{name}.yaml"
    _check_fields(overrides, "")
    data = {**_read(path), **{key: value for key, value in overrides.items() if value is not None}}
    return Protocol(name=name, **{**data, "seats": tuple(data["seats"])})


def protocol_names() -> list[str]:
    """The names that `load_protocol` takes."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def _schedule(
    seats: tuple[str, ...], rounds: int, turns: str, judge_asks: bool, chooser: str | None
) -> tuple[Step, ...]:
    groups = [(seat,) for seat in seats] if turns == "sequential" else [seats] * bool(seats)
    steps = [] if chooser is None else [Step((chooser,), CHOICE_ROUND)]
    for round in range(rounds):
        asked = [(JUDGE_0,)] if judge_asks and round < rounds - 1 else []
        steps += [Step(group, round) for group in (*groups, *asked)]
    return tuple(steps)


@cache
def _read(path: Path) -> dict[str, Any]:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or not {"seats", "rounds"} <= data.keys():
        raise ValueError(f"{path}: expected a mapping with seats and rounds, got {data!r:.80}")
    _check_fields(data, f"{path}: ")
    return data


def _check_fields(given: Mapping[str, Any], where: str) -> None:
    fields = {field.name for field in dataclasses.fields(Protocol)} - {"name"}
    for key in given:
        if key not in fields:
            raise ValueError(f"{where}{unknown('protocol field', key, fields)}")


def _check_values(protocol: Protocol) -> None:
    for kind, value, known in (("turns", protocol.turns, TURNS), ("shown", protocol.shown, SHOWN)):
        if value not in known:
            raise ValueError(f"{kind} must be one of {known}, got {value!r}")
    for switch in ("judge_asks", "judge_sees_article", "blind", "verify"):
        if not isinstance(getattr(protocol, switch), bool):
            raise ValueError(f"{switch} must be true or false, got {getattr(protocol, switch)!r}")
    if type(protocol.words) is not int or protocol.words < 1:
        raise ValueError(f"words must be a positive whole number, got {protocol.words!r}")
    for text in protocol.texts:
        if not TEXTS.fullmatch(text):
            raise ValueError(f"texts: no prompt has a part {text!r}; see debate_gym.envs.render")
    seats = protocol.seats
    if not set(seats) <= set(SPEAKING_SEATS) or len(set(seats)) != len(seats) or len(seats) > 2:
        raise ValueError(f"seats must be at most two different of {SPEAKING_SEATS}, got {seats}")


def _check_rounds(protocol: Protocol) -> None:
    rounds, seats = protocol.rounds, protocol.seats
    if not isinstance(rounds, int) or (rounds > 0) != bool(seats):
        raise ValueError(
            f"protocol {protocol.name!r} with seats {seats} needs "
            f"{'at least 1 round' if seats else '0 rounds'}, got {rounds!r}"
        )
    if rounds < 0:
        raise ValueError(f"rounds must not be negative, got {rounds}")


def _conflicts(protocol: Protocol) -> tuple[tuple[bool, str], ...]:
    """What cannot be played, and why."""
    whole = protocol.shown == "all" and protocol.verify
    return (
        (
            protocol.judge_asks and protocol.rounds < 2,
            f"judge_asks needs at least 2 rounds, for nobody answers after the last, got "
            f"{protocol.rounds}",
        ),
        (
            protocol.blind and len(protocol.seats) != 2,
            f"blind needs two seats, got {protocol.seats}",
        ),
        (
            protocol.blind and protocol.judge_asks,
            "blind and judge_asks exclude each other: a question carries one side's words to "
            "the other",
        ),
        (
            protocol.chooser is not None and protocol.chooser not in protocol.seats,
            f"chooser must be one of the seats {protocol.seats}, got {protocol.chooser!r}",
        ),
        (
            protocol.shown == "passages" and not protocol.verify,
            "shown: passages shows verified passages, so verify must be true",
        ),
        (
            protocol.judge_sees_article and not whole,
            "a judge who sees the article needs shown: all and verify: true, got "
            f"shown: {protocol.shown} and verify: {protocol.verify}",
        ),
    )
