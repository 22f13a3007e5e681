"""What the checks of `debate_gym.agents.doctor` look at, and what they report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from typing import Any, Literal

from debate_gym.agents.encoding import encode_prompt
from debate_gym.envs.game import advance, due, observe, start
from debate_gym.envs.nouns import JUDGE_0, Observation, Question, Utterance
from debate_gym.envs.protocol import Protocol

Status = Literal["pass", "warn", "fail"]
Finding = tuple[Status, str, str]


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    Attributes:
        status: `fail` for what makes games or training wrong, `warn` for what costs or needs care.
        seen: what was looked at, in words.
        cure: what to do; empty for a pass.
    """

    name: str
    status: Status
    seen: str
    cure: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Patient:
    """A model with its tokenizer, and the game that it is to play.

    Attributes:
        question: the longest of its task.
        max_new_tokens: most tokens of a speech.
        game: the prompts of one game whose speeches are as long as they may be, in playing order,
            the judge's last.
    """

    model: Any
    tokenizer: Any
    protocol: Protocol
    question: Question
    max_new_tokens: int
    game: tuple[Observation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", tuple(_played(self)))

    def encode(self, observation: Observation) -> list[int]:
        return encode_prompt(self.tokenizer, observation.system, observation.user)


def examine(name: str, look: Callable[[Patient], Finding], patient: Patient) -> Check:
    """One check; what a model or its tokenizer raises is that check's failure."""
    try:
        return Check(name, *look(patient))
    except Exception as error:  # noqa: BLE001  whatever a broken model raises is what was seen
        return Check(name, "fail", f"{type(error).__name__}: {error}", "see the error")


def longest(questions: list[Question]) -> Question:
    """The question with the most text."""
    return max(questions, key=lambda q: len("".join((q.article or "", q.question, *q.answers))))


def _played(patient: Patient) -> list[Observation]:
    state, seen = start(patient.question, patient.protocol), []
    while seats := due(state):
        seen += [observe(state, seat) for seat in seats]
        speech = "Answer: 1" if seen[-1].choosing else _speech(patient)
        state = advance(state, {seat: Utterance(speech) for seat in seats})
    return [*seen, observe(state, JUDGE_0)]


def _speech(patient: Patient) -> str:
    """As many words of the question as a speech may have, in no more tokens than it can have."""
    question = patient.question
    text = f"{question.article or ''} {question.question} {' '.join(question.answers)}"
    words = " ".join(islice(cycle(text.split()), patient.protocol.words))
    ids = patient.tokenizer(words, add_special_tokens=False)["input_ids"][: patient.max_new_tokens]
    return str(patient.tokenizer.decode(ids, clean_up_tokenization_spaces=False))
