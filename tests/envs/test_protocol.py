from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.protocol import TURNS, Protocol, load_protocol, protocol_names

BOTH = ("debater_0", "debater_1")


@given(st.sampled_from(protocol_names()), st.integers(1, 6), st.sampled_from(TURNS))
def test_everybody_speaks_once_a_round(name: str, rounds: int, turns: str) -> None:
    seats = load_protocol(name).seats
    protocol = load_protocol(name, rounds=rounds if seats else None, turns=turns)
    spoken = [seat for step in protocol.steps for seat in step]
    assert spoken == list(seats) * protocol.rounds
    assert len(protocol.steps) == protocol.rounds * (len(seats) if turns == TURNS[1] else 1)


def test_options_of_none_change_nothing() -> None:
    assert load_protocol("debate", rounds=None, turns=None) == load_protocol("debate")


def test_only_two_opposed_seats_are_a_debate() -> None:
    debates = {name: load_protocol(name).debate for name in ("debate", "consultancy", "direct-qa")}
    assert debates == {"debate": True, "consultancy": False, "direct-qa": False}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seats": BOTH, "rounds": 0}, "at least 1 round"),
        ({"seats": BOTH, "rounds": -1}, "at least 1 round"),
        ({"seats": BOTH, "rounds": 1.5}, "got 1.5"),
        ({"seats": (), "rounds": 1}, "0 rounds"),
        ({"seats": (), "rounds": -1}, "negative"),
        ({"seats": BOTH, "rounds": 1, "turns": "serial"}, "simultaneous"),
    ],
)
def test_protocols_that_cannot_be_played(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Protocol(name="odd", **fields)
