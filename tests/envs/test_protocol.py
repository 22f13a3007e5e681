from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs import protocol as module
from debate_gym.envs.protocol import TURNS, Protocol, Step, load_protocol, protocol_names

BOTH = ("debater_0", "debater_1")
NAMES = {
    "direct-qa",
    "consultancy",
    "interactive-consultancy",
    "double-consultancy",
    "open-consultancy",
    "propaganda",
    "debate",
    "interactive-debate",
    "open-debate",
    "evidence-only",
    "argument-only",
    "unverified",
}


def test_the_protocols_of_the_papers_are_there_and_say_what_they_are() -> None:
    assert set(protocol_names()) >= NAMES
    assert all(load_protocol(name).about.endswith(".") for name in protocol_names())


@given(st.sampled_from(protocol_names()), st.integers(2, 6), st.sampled_from(TURNS))
def test_everybody_speaks_once_a_round(name: str, rounds: int, turns: str) -> None:
    seats = load_protocol(name).seats
    protocol = load_protocol(name, rounds=rounds if seats else None, turns=turns)
    steps = [step for step in protocol.schedule if step.seats != ("judge_0",)]
    chosen = [step for step in steps if step.round < 0]
    rest = steps[len(chosen) :]
    assert [seat for step in rest for seat in step.seats] == list(seats) * protocol.rounds
    assert len(rest) == protocol.rounds * (len(seats) if turns == TURNS[1] else 1)
    assert [step.seats for step in chosen] == ([(protocol.chooser,)] if protocol.chooser else [])


def test_schedules_by_hand() -> None:
    alice, bob, judge = ("debater_0",), ("debater_1",), ("judge_0",)
    assert load_protocol("interactive-debate", turns="sequential", rounds=2).schedule == (
        Step(alice, 0),
        Step(bob, 0),
        Step(judge, 0),
        Step(alice, 1),
        Step(bob, 1),
    )
    assert load_protocol("open-debate", chooser="debater_1").schedule == (
        Step(bob, -1),
        Step(BOTH, 0),
        Step(BOTH, 1),
    )
    assert load_protocol("propaganda").schedule == (Step(("consultant_0",), 0),)
    assert load_protocol("direct-qa").schedule == ()


def test_who_speaks_first_is_a_switch() -> None:
    swapped = load_protocol("debate", seats=BOTH[::-1], turns="sequential")
    assert [step.seats for step in swapped.schedule[:2]] == [("debater_1",), ("debater_0",)]


def test_the_papers_defaults() -> None:
    assert [load_protocol(name).rounds for name in ("debate", "consultancy")] == [2, 2]
    assert load_protocol("interactive-debate").rounds == 3
    assert {name for name in NAMES if load_protocol(name).words != 150} == {"propaganda"}


def test_options_of_none_change_nothing() -> None:
    assert load_protocol("debate", rounds=None, turns=None) == load_protocol("debate")
    assert hash(load_protocol("propaganda")) == hash(load_protocol("propaganda"))


def test_only_two_opposed_debaters_are_a_debate() -> None:
    debates = {name for name in NAMES if load_protocol(name).debate}
    assert debates == {
        "debate",
        "interactive-debate",
        "open-debate",
        "evidence-only",
        "argument-only",
        "unverified",
    }


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seats": BOTH, "rounds": 0}, "at least 1 round"),
        ({"seats": BOTH, "rounds": -1}, "at least 1 round"),
        ({"seats": BOTH, "rounds": 1.5}, "got 1.5"),
        ({"seats": (), "rounds": 1}, "0 rounds"),
        ({"seats": (), "rounds": -1}, "negative"),
        ({"rounds": 1, "turns": "serial"}, "simultaneous"),
        ({"shown": "none"}, "'passages', 'prose'.*got 'none'"),
        ({"blind": "yes"}, "blind must be true or false, got 'yes'"),
        ({"words": 0}, "words must be a positive"),
        ({"words": True}, "words must be a positive"),
        ({"seats": ("judge_0",)}, "seats must be at most two different"),
        ({"seats": ("debater_0", "debater_0")}, "seats must be at most two different"),
        ({"seats": ("debater_0", "consultant_0", "debater_1")}, "at most two"),
        ({"texts": {"judges": "judge"}}, "no prompt has a part 'judges'"),
        ({"judge_asks": True, "rounds": 1}, "judge_asks needs at least 2 rounds"),
        ({"judge_asks": True, "rounds": 0, "seats": ()}, "judge_asks needs at least 2 rounds"),
        ({"blind": True, "seats": ("consultant_0",)}, "blind needs two seats"),
        ({"blind": True, "judge_asks": True}, "blind and judge_asks exclude each other"),
        ({"chooser": "consultant_0"}, "chooser must be one of the seats"),
        ({"shown": "passages", "verify": False}, "so verify must be true"),
        ({"shown": "passages", "judge_sees_article": True}, "a judge who sees the article"),
        ({"shown": "prose", "judge_sees_article": True}, "a judge who sees the article"),
        ({"verify": False, "judge_sees_article": True}, "a judge who sees the article"),
    ],
)
def test_protocols_that_cannot_be_played(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Protocol(**{"name": "odd", "seats": BOTH, "rounds": 2, **fields})


def write(folder: Path, text: str) -> None:
    (folder / "mine.yaml").write_text(text, encoding="utf-8")


def test_a_new_protocol_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    write(tmp_path, "seats: [debater_1, debater_0]\nrounds: 2\njudge_asks: true\n")
    mine = load_protocol("mine")
    assert mine.speakers == ("debater_1", "debater_0", "judge_0")
    assert [step.seats[0] for step in mine.schedule] == ["debater_1", "judge_0", "debater_1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seats: []\nrounds: 0\njudge_ask: true\n", "mine.yaml: .*did you mean 'judge_asks'"),
        ("rounds: 2\n", "expected a mapping with seats and rounds"),
        ("- debate\n", "expected a mapping with seats and rounds"),
    ],
)
def test_a_file_that_is_no_protocol(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    write(tmp_path, text)
    with pytest.raises(ValueError, match=message):
        load_protocol("mine")
