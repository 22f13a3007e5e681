"""A panel: seats that answer a multiple-choice question alone, and then revise (L26, Method).

    state = open_panel(question, PanelRules())
    while seats := panel_due(state):
        state = panel_advance(state, {s: utterance_of(panel_observe(state, s)) for s in seats})

Round 0 is answered alone. In every later round each seat reads its own last answer and, in a
debate, the last answers of all others; in private revision, the control arm, it reads its own only.
Nobody judges: the panel's answer is the majority of its last round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from debate_gym.envs.answer_reader import Reading, read_option
from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.panel_prompts import panel_prompt
from debate_gym.envs.passages import neutralise, strip_thinking


@dataclass(frozen=True, slots=True)
class PanelRules:
    """How a panel is played.

    Attributes:
        seats: how many answer, at least 1.
        rounds: revisions after round 0, at least 1.
        private: whether a seat revises without reading the others.

    Raises:
        ValueError: on a number out of range.
    """

    seats: int = 3
    rounds: int = 3
    private: bool = False

    def __post_init__(self) -> None:
        for name in ("seats", "rounds"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 1:
                raise ValueError(f"a panel needs at least 1 of {name}, got {getattr(self, name)!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The seats: `panelist_0`, `panelist_1`, ..."""
        return tuple(f"panelist_{number}" for number in range(self.seats))


@dataclass(frozen=True, slots=True)
class PanelObservation(Observation):
    """What a panelist knows when it is due.

    `answers` holds the first two options, for policies that know of no more; `side` is None and
    `turns` empty.

    Attributes:
        options: all of them.
        last: the letters of the last round that this seat may read, its own first; None for an
            answer that could not be read. Empty in round 0.
    """

    options: tuple[str, ...] = ()
    last: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PanelState:
    """A panel under way.

    Attributes:
        texts: round -> what each seat has said publicly.
        readings: the letters of those, and the rule that read each.
    """

    question: ChoiceQuestion
    rules: PanelRules
    id: str
    seed: int
    texts: tuple[tuple[str, ...], ...] = ()
    readings: tuple[tuple[Reading, ...], ...] = ()

    @property
    def letters(self) -> tuple[tuple[str | None, ...], ...]:
        """Round -> each seat's letter; None for an answer that could not be read."""
        return tuple(tuple(reading.letter for reading in row) for row in self.readings)


def open_panel(
    question: ChoiceQuestion, rules: PanelRules, *, seed: int = 0, id: str | None = None
) -> PanelState:
    """Opens a panel."""
    arm = "private" if rules.private else "panel"
    return PanelState(question, rules, f"{question.id}:{arm}:{seed}" if id is None else id, seed)


def panel_due(state: PanelState) -> tuple[str, ...]:
    """The seats that answer now, all at once; empty when the panel is done."""
    return () if len(state.texts) > state.rules.rounds else state.rules.names


def panel_advance(state: PanelState, utterances: Mapping[str, Utterance]) -> PanelState:
    """Takes one answer of every seat. Thinking is stripped, and what could pass for a mark of the
    game loses its brackets.

    Raises:
        ValueError: if the utterances are not those of the due seats.
    """
    seats = panel_due(state)
    if not seats or set(utterances) != set(seats):
        raise ValueError(f"expected utterances of {seats}, got {tuple(utterances)}")
    texts = tuple(neutralise(strip_thinking(utterances[seat].text)[1]) for seat in seats)
    read = tuple(read_option(text, len(state.question.options)) for text in texts)
    return replace(state, texts=(*state.texts, texts), readings=(*state.readings, read))


def panel_observe(state: PanelState, seat: str) -> PanelObservation:
    """What a seat knows now, its prompt included.

    Raises:
        ValueError: if the panel has no such seat.
    """
    if seat not in state.rules.names:
        raise ValueError(f"the panel has the seats {state.rules.names}, not {seat!r}")
    number, round = state.rules.names.index(seat), len(state.texts)
    order = _read_by(number, state.rules)
    heard = [(other, state.texts[-1][other]) for other in order] if round else []
    system, user = panel_prompt(state.question, state.rules.seats, heard, state.rules.private)
    return PanelObservation(
        episode=state.id,
        seat=seat,
        round=round,
        seed=int(np.random.SeedSequence([state.seed, number, round]).generate_state(1)[0]),
        side=None,
        question=state.question.question,
        answers=(state.question.options[0], state.question.options[1]),
        article=state.question.article,
        turns=(),
        system=system,
        user=user,
        options=state.question.options,
        last=tuple(state.letters[-1][other] for other in order) if round else (),
    )


def top_letters(letters: Sequence[str | None]) -> tuple[str, ...]:
    """The letters that most seats chose, in alphabetical order: one for a majority, several for a
    tie, none if no answer could be read."""
    counts = Counter(letter for letter in letters if letter is not None)
    return tuple(sorted(x for x, count in counts.items() if count == max(counts.values())))


def _read_by(number: int, rules: PanelRules) -> list[int]:
    """The seats that a seat reads, its own first."""
    return [number] + [n for n in range(rules.seats) if n != number and not rules.private]
