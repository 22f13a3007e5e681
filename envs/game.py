"""The one state machine: a pure function from a state and the utterances that are due to the next.

    state = start(question, protocol)
    while seats := due(state):
        state = advance(state, {seat: utterance_of(observe(state, seat)) for seat in seats})

`due` is empty once the judge may decide, and once the game has broken (`State.error`). Nothing here
calls a model or draws a number.

In an open protocol the first step is a choice: the seat answers the question as a judge does in
direct QA, with the article where there is one, and so gets its side (K24 section 3.2.3, by fresh
games rather than by filtering assigned ones, so that the questions stay the same). The judge is
not told that a side was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from debate_gym.envs.nouns import (
    CHOICE_ROUND,
    CONSULTANT_0,
    CONSULTANT_1,
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
from debate_gym.envs.protocol import Protocol, Step, load_protocol
from debate_gym.envs.render import render
from debate_gym.envs.tasks import default_prompts
from debate_gym.envs.view import visible

ANSWER = re.compile(
    r"\banswer\W{1,4}([12])\b(?!\.\d|\s*(?:[|/,&]|or\b|and\b)\s*[12])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class State:
    """A game under way.

    Attributes:
        sides: speaking seat -> index of the answer that it argues; empty until it is chosen in an
            open protocol.
        seed: of the episode; see `Observation.seed`.
        error: why the game cannot go on; its verdict is `failed`.
    """

    question: Question
    protocol: Protocol
    sides: Mapping[str, int]
    turns: Transcript
    id: str
    seed: int
    error: str | None = None

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
            answers[1] if None, and consultant_0 answers[seed % 2]. None where a seat chooses.

    Raises:
        ValueError: if `sides` does not name exactly the speaking seats, or two of them argue the
            same answer, or they are chosen in the game; on a question without an article where
            passages are all that is shown.
    """
    if protocol.shown == "passages" and question.article is None:
        raise ValueError(
            f"protocol {protocol.name!r} shows nothing but passages, and question {question.id!r} "
            "has no article to quote"
        )
    name = f"{question.id}:{protocol.name}:{seed}" if id is None else id
    return State(question, protocol, _sides(protocol, sides, seed), (), name, seed)


def default_sides(protocol: Protocol, seed: int) -> dict[str, int]:
    """Debaters argue the answer of their number; a consultant's alternates with the seed."""
    first = seed % 2
    fixed = {DEBATER_0: 0, DEBATER_1: 1, CONSULTANT_0: first, CONSULTANT_1: 1 - first}
    return {seat: fixed[seat] for seat in protocol.seats}


def due(state: State) -> tuple[str, ...]:
    """The seats that speak now, all at once; empty when the judge may decide."""
    step = _step(state)
    return () if step is None or state.error is not None else step.seats


def advance(state: State, utterances: Mapping[str, Utterance]) -> State:
    """Takes the utterances of exactly the seats that are due.

    Thinking is split off and passages are checked here, once, so that nobody else ever sees a
    raw utterance. A choice that cannot be read breaks the game: it is not guessed.

    Raises:
        ValueError: if the utterances are not those of the due seats.
    """
    seats = due(state)
    if set(utterances) != set(seats):
        raise ValueError(f"expected utterances of {seats}, got {tuple(utterances)}")
    turns = tuple(_turn(state, seat, utterances[seat]) for seat in seats)
    after = replace(state, turns=state.turns + turns)
    return _chosen(after, turns[0]) if turns[0].round == CHOICE_ROUND else after


def observe(state: State, seat: str, order: tuple[int, int] = (0, 1)) -> Observation:
    """What a seat knows now, its prompt included.

    Args:
        order: how the answers are shown to the judge; a speaking seat sees the question's order.

    A seat whose side is yet to be chosen sees the question as in direct QA.

    Raises:
        ValueError: if the seat is not in the protocol.
    """
    if seat != JUDGE_0 and seat not in state.protocol.seats:
        raise ValueError(f"{seat!r} has no place in {state.protocol.name!r}")
    judge = seat == JUDGE_0
    if not (judge or state.sides):
        return _choice(state, seat)
    protocol = state.protocol
    article = None if judge and not protocol.judge_sees_article else state.question.article
    turns = visible(state.turns, seat, protocol)
    prompt = render(
        prompts=state.prompts,
        protocol=protocol,
        question=state.question.question,
        answers=state.question.answers,
        article=article,
        closed=state.question.article is None,
        seat=seat,
        side=state.sides.get(seat),
        turns=turns,
        round=current_round(state),
        order=order if judge else (0, 1),
        asking=JUDGE_0 in due(state),
    )
    return _observation(state, seat, article, turns, prompt)


def current_round(state: State) -> int:
    """The round being played, counted from 0 (`CHOICE_ROUND` while a side is chosen); the number
    of rounds once all have spoken."""
    step = _step(state)
    return state.protocol.rounds if step is None else step.round


def read_answer(text: str) -> int | None:
    """The index of the answer that a reply names as `Answer: 1` or `Answer: 2`.

    None if it names none, or both.
    """
    named = {int(match[1]) - 1 for match in ANSWER.finditer(text)}
    return named.pop() if len(named) == 1 else None


def _step(state: State) -> Step | None:
    played = 0
    for step in state.protocol.schedule:
        if played == len(state.turns):
            return step
        played += len(step.seats)
    return None


def _sides(protocol: Protocol, sides: Mapping[str, int] | None, seed: int) -> dict[str, int]:
    if protocol.chooser is not None:
        if sides is not None:
            raise ValueError(
                f"{protocol.chooser} chooses its side in {protocol.name!r}: sides must be None, "
                f"got {dict(sides)}"
            )
        return {}
    chosen = dict(default_sides(protocol, seed) if sides is None else sides)
    if set(chosen) != set(protocol.seats) or not set(chosen.values()) <= {0, 1}:
        raise ValueError(f"sides must give 0 or 1 to each of {protocol.seats}, got {chosen}")
    if len(set(chosen.values())) != len(chosen):
        raise ValueError(f"two seats must argue different answers, got {chosen}")
    return chosen


def _chosen(state: State, turn: Turn) -> State:
    answer = read_answer(turn.argument)
    if answer is None:
        said = f"{turn.argument:.60}"
        error = f"{turn.seat} chose no side: expected 'Answer: 1' or 'Answer: 2', got {said!r}"
        return replace(state, error=error)
    seats = state.protocol.seats
    return replace(state, sides={s: answer if s == turn.seat else 1 - answer for s in seats})


def _choice(state: State, seat: str) -> Observation:
    """Direct QA by a speaking seat."""
    question = state.question
    prompt = render(
        prompts=state.prompts,
        protocol=load_protocol("direct-qa", judge_sees_article=question.article is not None),
        question=question.question,
        answers=question.answers,
        article=question.article,
        closed=question.article is None,
        seat=JUDGE_0,
        side=None,
        turns=(),
        round=0,
        order=(0, 1),
    )
    return _observation(state, seat, question.article, (), prompt)


def _observation(
    state: State, seat: str, article: str | None, turns: Transcript, prompt: tuple[str, str]
) -> Observation:
    return Observation(
        episode=state.id,
        seat=seat,
        round=current_round(state),
        seed=_seat_seed(state, seat),
        side=state.sides.get(seat),
        question=state.question.question,
        answers=state.question.answers,
        article=article,
        turns=turns,
        system=prompt[0],
        user=prompt[1],
        images=state.question.images,
        protocol=state.protocol,
    )


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
