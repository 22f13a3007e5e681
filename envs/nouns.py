"""The words of the game, as frozen values.

Everything else in the package imports these and adds none of its own. A wrong value is hard to
build: the constructors check what they are given and say what they expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from debate_gym.envs.protocol import Protocol

DEBATER_0 = "debater_0"
DEBATER_1 = "debater_1"
CONSULTANT_0 = "consultant_0"
CONSULTANT_1 = "consultant_1"
JUDGE_0 = "judge_0"
CHOICE_ROUND = -1

Finish = Literal["stop", "length", "error"]
EPISODE_SCHEMA = "debate_gym/episode/1"


class Outcome(StrEnum):
    """What became of a verdict. The five add up to N in every table.

    `TIE` is a judge that found both answers equally likely. `UNREADABLE` is a reply without a
    verdict. `FAILED` is an episode that never got one (an error in a policy or a judge).
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    TIE = "tie"
    UNREADABLE = "unreadable"
    FAILED = "failed"


class PassageStatus(StrEnum):
    """How a passage was found in the article; the first two count as verified."""

    EXACT = "exact"
    NORMALISED = "normalised"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Question:
    """A binary question.

    Attributes:
        answers: in the order of the item; the permutation that made it is kept in `meta`.
        correct: index (0 or 1) of the correct answer.
        article: what debaters may quote; None on closed tasks.
        images: paths or data URIs; `<image k>` in the question or an answer names `images[k - 1]`.
        meta: provenance, licence, permutation; any JSON values.

    Raises:
        ValueError: on a `correct` other than 0 or 1, or two equal answers.
    """

    id: str
    task: str
    question: str
    answers: tuple[str, str]
    correct: int
    article: str | None = None
    images: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.answers) != 2 or self.answers[0] == self.answers[1]:
            raise ValueError(
                f"question {self.id!r} needs two different answers, got {self.answers!r}"
            )
        if self.correct not in (0, 1):
            raise ValueError(f"question {self.id!r}: correct must be 0 or 1, got {self.correct!r}")

    def to_json(self) -> dict[str, Any]:
        """The `question` file record."""
        return {
            "id": self.id,
            "task": self.task,
            "question": self.question,
            "answers": list(self.answers),
            "correct": self.correct,
            "article": self.article,
            "images": list(self.images),
            "meta": dict(self.meta),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Question:
        """Reads a `question` record; keys it does not know are kept in `meta`.

        Raises:
            ValueError: if a required key is missing.
        """
        known = {"id", "task", "question", "answers", "correct", "article", "images", "meta"}
        missing = {"id", "task", "question", "answers", "correct"} - record.keys()
        if missing:
            raise ValueError(f"question record lacks {sorted(missing)}; it has {sorted(record)}")
        first, second = record["answers"]
        extra = {key: value for key, value in record.items() if key not in known}
        return cls(
            id=record["id"],
            task=record["task"],
            question=record["question"],
            answers=(first, second),
            correct=record["correct"],
            article=record.get("article"),
            images=tuple(record.get("images") or ()),
            meta={**(record.get("meta") or {}), **extra},
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """One quotation of a speech, checked against the article."""

    text: str
    status: PassageStatus

    @property
    def verified(self) -> bool:
        return self.status is not PassageStatus.MISSING


@dataclass(frozen=True, slots=True)
class Overhead:
    """What was spent on an utterance besides writing it (candidates that lost, selections,
    critiques), or on a verdict. Two of them add up.

    Attributes:
        generations: texts that a model wrote.
        prompt_tokens: read for those, and for readings of log-probabilities, which write nothing.
        completion_tokens: written.
        events: (name, how often) of what happened on the way, sorted by name, without zeros; the
            names are in the policies and judges that count them.
    """

    generations: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    events: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Overhead) -> Overhead:
        counts = dict(self.events)
        for name, count in other.events:
            counts[name] = counts.get(name, 0) + count
        return Overhead(
            self.generations + other.generations,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            tuple(sorted((name, count) for name, count in counts.items() if count)),
        )

    def to_json(self) -> dict[str, Any]:
        """The `overhead` of a turn, or the `spent` of a verdict, in an `episode` record."""
        return {
            "generations": self.generations,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "events": dict(self.events),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Overhead:
        return cls(
            record["generations"],
            record["prompt_tokens"],
            record["completion_tokens"],
            tuple(sorted(record["events"].items())),
        )


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a policy wrote, raw: private thinking and unchecked passages included.

    Attributes:
        prompt_tokens, completion_tokens: of the call that wrote this text.
        overhead: all that was spent besides that call.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: Finish = "stop"
    overhead: Overhead = Overhead()


@dataclass(frozen=True, slots=True)
class Turn:
    """An utterance once the game has taken it.

    Attributes:
        round: counted from 0; `CHOICE_ROUND` for the choice that opens an open protocol, which no
            seat reads.
        thinking: private; only the seat itself and the episode file ever hold it.
        argument: the public speech, with `<v_passage>` / `<u_passage>` in place of the seat's tags;
            what each reader sees of it is in `debate_gym.envs.view`.
        untagged: number of quotations outside any passage tag.
        overhead: as in `Utterance`.
    """

    seat: str
    round: int
    thinking: str
    argument: str
    passages: tuple[Passage, ...] = ()
    untagged: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: Finish = "stop"
    overhead: Overhead = Overhead()

    @property
    def speech(self) -> bool:
        """Whether an answer is argued here: neither a judge's question nor an opening choice."""
        return self.seat != JUDGE_0 and self.round != CHOICE_ROUND

    def to_json(self) -> dict[str, Any]:
        """One entry of the `turns` of an `episode` record; without `overhead` where nothing was
        spent besides the turn."""
        spent = {} if self.overhead == Overhead() else {"overhead": self.overhead.to_json()}
        return {
            "seat": self.seat,
            "round": self.round,
            "argument": self.argument,
            "thinking": self.thinking,
            "passages": {
                "verified": sum(passage.verified for passage in self.passages),
                "unverified": sum(not passage.verified for passage in self.passages),
                "untagged": self.untagged,
                "items": [{"text": p.text, "status": p.status.value} for p in self.passages],
            },
            "tokens": {"prompt": self.prompt_tokens, "completion": self.completion_tokens},
            "finish": self.finish,
            **spent,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Turn:
        passages = record["passages"]
        return cls(
            seat=record["seat"],
            round=record["round"],
            thinking=record["thinking"],
            argument=record["argument"],
            passages=tuple(
                Passage(item["text"], PassageStatus(item["status"]))
                for item in passages.get("items", ())
            ),
            untagged=passages["untagged"],
            prompt_tokens=record["tokens"]["prompt"],
            completion_tokens=record["tokens"]["completion"],
            finish=record["finish"],
            overhead=Overhead.from_json(record["overhead"]) if "overhead" in record else Overhead(),
        )


Transcript = tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reading of a transcript by a judge.

    Attributes:
        order: the answers as the judge saw them (indices into `Question.answers`), None once
            the orders have been averaged.
        p: probability of `answers[0]` and `answers[1]`, in the question's order and adding up to
            one; None when there is no verdict.
        choice: the likelier answer; None on a tie and when there is no verdict.
        label_mass: probability that the judge put on the two labels before they were normalised,
            in [0, 1]; None when the judge does not give it.
        spent: what the judge read and wrote for it.
    """

    judge: str
    order: tuple[int, int] | None
    p: tuple[float, float] | None
    choice: int | None
    outcome: Outcome
    reasoning: str = ""
    label_mass: float | None = None
    spent: Overhead = Overhead()

    def to_json(self) -> dict[str, Any]:
        """One entry of the `verdicts` of an `episode` record; without `spent` where nothing
        was."""
        spent = {} if self.spent == Overhead() else {"spent": self.spent.to_json()}
        return {
            "judge": self.judge,
            "order": None if self.order is None else list(self.order),
            "choice": self.choice,
            "p": None if self.p is None else list(self.p),
            "outcome": self.outcome.value,
            "reasoning": self.reasoning,
            "label_mass": self.label_mass,
            **spent,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Verdict:
        order, p = record["order"], record["p"]
        return cls(
            judge=record["judge"],
            order=None if order is None else (order[0], order[1]),
            p=None if p is None else (p[0], p[1]),
            choice=record["choice"],
            outcome=Outcome(record["outcome"]),
            reasoning=record.get("reasoning", ""),
            label_mass=record.get("label_mass"),
            spent=Overhead.from_json(record["spent"]) if "spent" in record else Overhead(),
        )


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat knows when it is due: its rendered prompt, and the facts behind it.

    Attributes:
        episode: id of the episode.
        seed: derived from the episode's seed, the seat and the round; a policy that draws takes a
            generator from it, so that what it says does not depend on how calls were batched.
        side: index of the answer that the seat argues; None for a judge.
        article: None where the seat may not see it.
        round: `CHOICE_ROUND` when the seat is to choose the answer that it will argue.
        turns: the turns that this seat may see, as it may see them, in playing order, thinking
            removed.
        system, user: the rendered prompt.
        images: the question's, which every seat sees, the judge too (K24 section 3.1).
        protocol: the rules of the game, None where they are not known; what others will see of a
            speech is `debate_gym.envs.view.visible` with it.
    """

    episode: str
    seat: str
    round: int
    seed: int
    side: int | None
    question: str
    answers: tuple[str, str]
    article: str | None
    turns: Transcript
    system: str
    user: str
    images: tuple[str, ...] = ()
    protocol: Protocol | None = None

    @property
    def choosing(self) -> bool:
        """Whether `Answer: 1` or `Answer: 2` is asked for, and no speech."""
        return self.round == CHOICE_ROUND


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """Who filled a seat: policy name, revision of its weights, index of the answer that it argued
    (None for a judge who asks, and where no answer was chosen)."""

    model: str
    revision: str
    answer: int | None

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model, "revision": self.revision, "answer": self.answer}


@dataclass(frozen=True, slots=True)
class Episode:
    """A finished game, one line of an `episode` file.

    Attributes:
        verdicts: one per judge and answer order; never empty (a failed episode has one `FAILED`).
        error: why it failed; None otherwise.
    """

    id: str
    question: Question
    protocol: str
    condition: str
    seats: Mapping[str, SeatRecord]
    turns: Transcript
    verdicts: tuple[Verdict, ...]
    seed: int
    prompt_hash: str
    error: str | None = None

    def __post_init__(self) -> None:
        if not self.verdicts:
            raise ValueError(f"episode {self.id!r} has no verdict; a failed one holds FAILED")

    @property
    def chooser(self) -> str | None:
        """The seat that chose its answer; None where answers were assigned."""
        chosen = (turn.seat for turn in self.turns if turn.round == CHOICE_ROUND)
        return next(chosen, None)

    def to_json(self) -> dict[str, Any]:
        """The `episode` file record; with the `canary` of a question whose authors ask for one."""
        canary = self.question.meta.get("canary")
        spent = sum((turn.overhead for turn in self.turns), Overhead())
        spent = sum((verdict.spent for verdict in self.verdicts), spent)
        return {
            "schema": EPISODE_SCHEMA,
            "id": self.id,
            "question_id": self.question.id,
            "task": self.question.task,
            "question": self.question.question,
            "protocol": self.protocol,
            "condition": self.condition,
            "answers": list(self.question.answers),
            "correct": self.question.correct,
            "seats": {seat: record.to_json() for seat, record in self.seats.items()},
            "turns": [turn.to_json() for turn in self.turns],
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
            "cost": {
                "generations": len(self.turns) + spent.generations,
                "prompt_tokens": sum(t.prompt_tokens for t in self.turns) + spent.prompt_tokens,
                "completion_tokens": sum(t.completion_tokens for t in self.turns)
                + spent.completion_tokens,
            },
            "seed": self.seed,
            "prompt_hash": self.prompt_hash,
            "error": self.error,
            **({} if canary is None else {"canary": canary}),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Episode:
        """Reads an `episode` record.

        The article and the images are not in the file, so the question comes back without them.

        Raises:
            KeyError: if a key of the contract is missing.
        """
        question = Question(
            id=record["question_id"],
            task=record["task"],
            question=record.get("question", ""),
            answers=(record["answers"][0], record["answers"][1]),
            correct=record["correct"],
            meta={"canary": record["canary"]} if "canary" in record else {},
        )
        return cls(
            id=record["id"],
            question=question,
            protocol=record["protocol"],
            condition=record["condition"],
            seats={
                seat: SeatRecord(value["model"], value["revision"], value["answer"])
                for seat, value in record["seats"].items()
            },
            turns=tuple(Turn.from_json(turn) for turn in record["turns"]),
            verdicts=tuple(Verdict.from_json(verdict) for verdict in record["verdicts"]),
            seed=record["seed"],
            prompt_hash=record["prompt_hash"],
            error=record.get("error"),
        )
