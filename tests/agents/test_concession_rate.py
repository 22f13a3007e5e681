"""Rates of concessions over episodes, by the rule and by a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from debate_gym.agents.concession_rate import ConcessionRate, concession_rate
from debate_gym.agents.concession_reader import ConcessionReader
from debate_gym.envs.nouns import (
    CONSULTANT_0,
    DEBATER_0,
    DEBATER_1,
    JUDGE_0,
    Episode,
    Observation,
    Question,
    SeatRecord,
    Turn,
)
from debate_gym.envs.verdict import failed_verdict

Make = Callable[..., Any]
QUESTION = Question("q", "evidence", "Who did it?", ("Anna", "Bert"), 0)


def episode(seats: dict[str, int | None], *said: tuple[str, str], error: str = "") -> Episode:
    rounds: dict[str, int] = {}
    turns = []
    for seat, text in said:
        rounds[seat] = rounds.get(seat, -1) + 1
        turns.append(Turn(seat, rounds[seat], "", text))
    return Episode(
        id="e",
        question=QUESTION,
        protocol="debate",
        condition="",
        seats={seat: SeatRecord("m", "", answer) for seat, answer in seats.items()},
        turns=tuple(turns),
        verdicts=(failed_verdict("j"),),
        seed=0,
        prompt_hash="",
        error=error or None,
    )


DEBATE: dict[str, int | None] = {DEBATER_0: 0, DEBATER_1: 1}
# Alice argues Anna, which is correct, and Bob argues Bert.
EPISODES = [
    episode(
        DEBATE,
        (DEBATER_0, "Anna ran."),
        (DEBATER_1, "The right answer is Anna."),
        (DEBATER_0, "Bob is right."),
        (DEBATER_1, "I am sure of Bert."),
    ),
    episode(DEBATE, (DEBATER_0, "Anna ran."), (DEBATER_1, "Bert ran.")),
    episode(
        {CONSULTANT_0: 1, JUDGE_0: None}, (CONSULTANT_0, "I concede."), (JUDGE_0, "I concede.")
    ),
    episode(DEBATE, (DEBATER_0, "I concede."), error="broken"),
]


def test_sides_that_conceded_once_are_counted_once() -> None:
    # Sides: 2 + 2 + 1; conceding: both of the first debate, and the consultant.
    rate = concession_rate(EPISODES)
    assert rate == ConcessionRate(sides=5, conceded=3, unread=0, failed=1)
    assert rate.value == pytest.approx(3 / 5)
    assert concession_rate(EPISODES, correct=True) == ConcessionRate(2, 1, 0, 1)
    assert concession_rate(EPISODES, correct=False) == ConcessionRate(3, 2, 0, 1)


def test_a_choice_of_a_side_is_no_speech() -> None:
    choice = Turn(CONSULTANT_0, -1, "", "The correct answer is Anna.")
    chosen = episode({CONSULTANT_0: 1}, (CONSULTANT_0, "Bert ran."))
    assert concession_rate([replace(chosen, turns=(choice, *chosen.turns))]).conceded == 0


def test_without_sides_it_is_undefined() -> None:
    assert concession_rate([]).value is None
    assert concession_rate(EPISODES[3:]).value is None
    with pytest.raises(ValueError, match="readings of 4 episodes, got 1"):
        concession_rate(EPISODES, [{}])


def for_anna(observation: Observation) -> tuple[float | None, float | None]:
    """Hears Anna in every speech with `ran` in it, Bert in others, and nothing in `...`."""
    if "> ..." in observation.user:
        return (None, -0.1)
    anna, bert = (-0.1, -3.0) if "ran" in observation.user else (-3.0, -0.1)
    return (anna, bert) if "1: Anna" in observation.user else (bert, anna)


def test_a_model_reads_every_speech_in_both_orders(make_rater: Make) -> None:
    rater = make_rater(for_anna)
    readings = ConcessionReader(rater).read(EPISODES[:2])
    # Alice's second speech has no `ran`; Bob's "Bert ran." is heard as Anna.
    assert readings == [{DEBATER_0: True, DEBATER_1: False}, {DEBATER_0: False, DEBATER_1: True}]
    (prompts,) = rater.calls
    assert len(prompts) == 2 * 6
    assert all("Who did it?" in prompt.user and prompt.article is None for prompt in prompts)
    assert concession_rate(EPISODES[:2], readings).value == 0.5


def test_what_cannot_be_read_is_no_guess(make_rater: Make) -> None:
    silent = episode(DEBATE, (DEBATER_0, "..."), (DEBATER_1, "..."), (DEBATER_0, "It was him."))
    readings = ConcessionReader(make_rater(for_anna)).read([silent])
    assert readings == [{DEBATER_0: True, DEBATER_1: None}]
    rate = concession_rate([silent], readings)
    assert rate == ConcessionRate(sides=2, conceded=1, unread=1, failed=0)
    assert rate.value == 1.0


def test_position_bias_alone_is_no_concession(make_rater: Make) -> None:
    reader = ConcessionReader(make_rater(lambda o: (-0.01, -5.0)))
    assert reader.read(EPISODES[1:2]) == [{DEBATER_0: False, DEBATER_1: False}]
    assert ConcessionReader(make_rater(for_anna)).read([]) == []
