"""The one state machine: a pure function from a state and the utterances that are due to the next.

    state = start(question, protocol)
    while seats := due(state):
        state = advance(state, {seat: utterance_of(observe(state, seat)) for seat in seats})

`due` is empty once the judge may decide. Nothing here calls a model or draws a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from debate_gym.envs.nouns import (
    CONSULTANT_0,
    DEBATER_0,
    DEBATER_1,
    JUDGE_0,
    Observation,
    Question,
    Transcript,
    Turn,
    Utterance,
)
from debate_gym.envs.passages import check_passages, strip_thinking
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.render import render
from debate_gym.envs.tasks import default_prompts


@dataclass(frozen=True, slots=True)
class State:
    """A game under way.

    Attributes:
        sides: speaking seat -> index of the answer that it argues.
        seed: of the episode; see `Observation.seed`.
    """

    question: Question
    protocol: Protocol
    sides: Mapping[str, int]
    turns: Transcript
    id: str
    seed: int

    @property
    def prompts(self) -> str:
        """Folder of the prompts in use."""
        return self.protocol.prompts or default_prompts(self.question.task)


def start(
    question: Question,
    protocol: Protocol,
    *,
    sides: Mapping[str, int] | None = None,
    seed: int = 0,
    id: str | None = None,
) -> State:
    """Opens a game.

    Args:
        sides: which answer each speaking seat argues; debater_0 argues answers[0] and debater_1
            answers[1] if None, and a consultant answers[seed % 2].

    Raises:
        ValueError: if `sides` does not name exactly the speaking seats, or two debaters argue
            the same answer.
    """
    chosen = dict(default_sides(protocol, seed) if sides is None else sides)
    if set(chosen) != set(protocol.seats) or not set(chosen.values()) <= {0, 1}:
        raise ValueError(f"sides must give 0 or 1 to each of {protocol.seats}, got {chosen}")
    if protocol.debate and chosen[DEBATER_0] == chosen[DEBATER_1]:
        raise ValueError(f"debaters must argue different answers, got {chosen}")
    name = f"{question.id}:{protocol.name}:{seed}" if id is None else id
    return State(question, protocol, chosen, (), name, seed)


def default_sides(protocol: Protocol, seed: int) -> dict[str, int]:
    """Debaters argue the answer of their number; a consultant's alternates with the seed."""
    fixed = {DEBATER_0: 0, DEBATER_1: 1, CONSULTANT_0: seed % 2}
    return {seat: fixed[seat] for seat in protocol.seats}


def due(state: State) -> tuple[str, ...]:
    """The seats that speak now, all at once; empty when the judge may decide."""
    played = 0
    for seats in state.protocol.steps:
        if played == len(state.turns):
            return seats
        played += len(seats)
    return ()


def advance(state: State, utterances: Mapping[str, Utterance]) -> State:
    """Takes the utterances of exactly the seats that are due.

    Thinking is split off and passages are checked here, once, so that nobody else ever sees a
    raw utterance.

    Raises:
        ValueError: if the utterances are not those of the due seats.
    """
    seats = due(state)
    if set(utterances) != set(seats):
        raise ValueError(f"expected utterances of {seats}, got {tuple(utterances)}")
    turns = tuple(_turn(state, seat, utterances[seat]) for seat in seats)
    return replace(state, turns=state.turns + turns)


def observe(state: State, seat: str, order: tuple[int, int] = (0, 1)) -> Observation:
    """What a seat knows now, its prompt included.

    Args:
        order: how the answers are shown to the judge; a speaking seat sees the question's order.

    Raises:
        ValueError: if the seat is not in the protocol.
    """
    if seat != JUDGE_0 and seat not in state.protocol.seats:
        raise ValueError(f"{seat!r} has no place in {state.protocol.name!r}")
    judge = seat == JUDGE_0
    article = None if judge and not state.protocol.judge_sees_article else state.question.article
    system, user = render(
        prompts=state.prompts,
        protocol=state.protocol,
        question=state.question.question,
        answers=state.question.answers,
        article=article,
        seat=seat,
        side=state.sides.get(seat),
        turns=state.turns,
        order=order if judge else (0, 1),
    )
    return Observation(
        episode=state.id,
        seat=seat,
        round=current_round(state),
        seed=_seat_seed(state, seat),
        side=state.sides.get(seat),
        question=state.question.question,
        answers=state.question.answers,
        article=article,
        turns=tuple(
            turn if turn.seat == seat else replace(turn, thinking="") for turn in state.turns
        ),
        system=system,
        user=user,
        images=state.question.images,
    )


def current_round(state: State) -> int:
    """The round being played, counted from 0; the number of rounds once all have spoken."""
    return len(state.turns) // max(1, len(state.protocol.seats))


def _turn(state: State, seat: str, utterance: Utterance) -> Turn:
    thinking, speech = strip_thinking(utterance.text)
    argument, passages, untagged = check_passages(speech, state.question.article)
    return Turn(
        seat=seat,
        round=current_round(state),
        thinking=thinking,
        argument=argument,
        passages=passages,
        untagged=untagged,
        prompt_tokens=utterance.prompt_tokens,
        completion_tokens=utterance.completion_tokens,
        finish=utterance.finish,
        overhead=utterance.overhead,
    )


def _seat_seed(state: State, seat: str) -> int:
    number = (*state.protocol.seats, JUDGE_0).index(seat)
    words = np.random.SeedSequence([state.seed, number, len(state.turns)]).generate_state(1)
    return int(words[0])
