"""What the three faces share: the questions, the other seats, and how an ended game is settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces

from debate_gym.envs.asking import ask, rule
from debate_gym.envs.game import State, advance, current_round, due, observe, start
from debate_gym.envs.nouns import JUDGE_0, Observation, Question, Utterance, Verdict
from debate_gym.envs.protocol import Protocol, load_protocol
from debate_gym.envs.render import render_transcript
from debate_gym.envs.reward import rewards
from debate_gym.envs.scripted import scripted_judge, scripted_policy
from debate_gym.envs.seats import Judge, Policy
from debate_gym.envs.spaces import TextSpace
from debate_gym.envs.tasks import load_task
from debate_gym.envs.verdict import average_orders, failed_verdict

ARTICLE_LIMIT = 1_000_000
SPEECH_LIMIT = 20_000
POOL = 128
ASKER = "scripted:asking"
Seat = TypeVar("Seat")


def observation_space() -> Any:
    """A rendered prompt: system and user message."""
    return spaces.Dict({"system": TextSpace(ARTICLE_LIMIT), "user": TextSpace(ARTICLE_LIMIT)})


def action_space() -> TextSpace:
    """What a seat says, raw: thinking and `<passage>` tags included."""
    return TextSpace(SPEECH_LIMIT)


def prompt(observation: Observation) -> dict[str, str]:
    return {"system": observation.system, "user": observation.user}


def as_utterance(action: Any) -> Utterance:
    """Takes an action.

    Raises:
        ValueError: if it is no string within the limit.
    """
    if not isinstance(action, str) or len(action) > SPEECH_LIMIT:
        raise ValueError(
            f"an action is a string of at most {SPEECH_LIMIT} characters, got "
            f"{type(action).__name__} {str(action)[:60]!r}"
        )
    return Utterance(action)


@dataclass(frozen=True)
class Table:
    """The settings of an environment.

    Attributes:
        judge, opponent: the seats that the environment fills.
        asker: speaks for the judge between rounds, where the protocol lets it ask.
        questions: the pool that `reset` draws from.
    """

    protocol: Protocol
    judge: Judge
    opponent: Policy
    asker: Policy
    reward: str
    questions: tuple[Question, ...]

    def deal(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> State:
        """Opens a game on a question of the pool, or on `options["question"]`."""
        question = (options or {}).get("question")
        if question is not None and not isinstance(question, Question):
            raise ValueError(f"options['question'] must be a Question, got {type(question)}")
        seed = int(rng.integers(2**31))
        drawn = self.questions[int(rng.integers(len(self.questions)))]
        return start(question or drawn, self.protocol, seed=seed)

    def utterance(self, action: Any) -> Utterance:
        """See `as_utterance`."""
        return as_utterance(action)

    def answer_for(
        self, states: Sequence[State], mine: Sequence[Mapping[str, Utterance]]
    ) -> list[State | Exception]:
        """Advances games by the learner's utterances and, where other seats are due too, theirs.

        The opponent, and a judge who asks, are called once for all games; a game for which they
        raise, or which breaks, comes back as the exception.
        """
        missing = [
            (i, seat)
            for i, state in enumerate(states)
            for seat in due(state)
            if seat not in mine[i]
        ]
        said: list[dict[str, Utterance]] = [dict(utterances) for utterances in mine]
        broken: dict[int, Exception] = {}
        for policy, who, asked in (
            (self.opponent, "opponent", [item for item in missing if item[1] != JUDGE_0]),
            (self.asker, "asker", [item for item in missing if item[1] == JUDGE_0]),
        ):
            observations = [observe(states[i], seat) for i, seat in asked]
            replies = ask(policy, observations, f"{who} {policy.name!r}")
            for (i, seat), reply in zip(asked, replies, strict=True):
                if isinstance(reply, Exception):
                    broken[i] = reply
                else:
                    said[i][seat] = reply
        return [
            broken[i] if i in broken else _advanced(state, said[i])
            for i, state in enumerate(states)
        ]

    def play_on(self, states: Sequence[State | Exception], *seats: str) -> list[State | Exception]:
        """Lets the others speak in every game until one of `seats` is due or the game is over.

        Games that are exceptions already stay as they are.
        """
        result = list(states)
        while True:
            waiting = {
                i: state
                for i, state in enumerate(result)
                if not isinstance(state, Exception)
                and due(state)
                and not set(seats) & set(due(state))
            }
            if not waiting:
                return result
            played = self.answer_for(list(waiting.values()), [{}] * len(waiting))
            for i, state in zip(waiting, played, strict=True):
                result[i] = state

    def settle(self, states: Sequence[State]) -> list[Verdict]:
        """The verdicts of ended games, orders averaged; `failed` where the judge raises."""
        return [
            self.failed()
            if isinstance(ruling, Exception)
            else average_orders(ruling, state.question.correct)
            for state, ruling in zip(states, rule(self.judge, states), strict=True)
        ]

    def failed(self) -> Verdict:
        """The verdict of a game that broke."""
        return failed_verdict(self.judge.name)

    def pay(self, verdict: Verdict, state: State) -> dict[str, float]:
        """Each speaking seat's reward; nothing where no side was chosen."""
        nothing = dict.fromkeys(self.protocol.seats, 0.0)
        return nothing | rewards(verdict, state.sides, self.reward)


def _advanced(state: State, said: Mapping[str, Utterance]) -> State | Exception:
    after = advance(state, said)
    return after if after.error is None else ValueError(after.error)


def facts(state: State, seat: str, verdict: Verdict | None = None) -> dict[str, Any]:
    """The `info` of a step; the correct answer is in it only once the game has ended."""
    info: dict[str, Any] = {
        "question_id": state.question.id,
        "seat": seat,
        "side": state.sides.get(seat, -1),
        "round": current_round(state),
    }
    if verdict is not None:
        passages = [p for turn in state.turns if turn.seat == seat for p in turn.passages]
        info |= {
            "outcome": verdict.outcome.value,
            "correct": state.question.correct,
            "p": [] if verdict.p is None else list(verdict.p),
            "verified": sum(passage.verified for passage in passages),
            "unverified": sum(not passage.verified for passage in passages),
        }
    return info


def make_table(
    protocol: str,
    *,
    task: str = "evidence",
    judge: str | Judge = "evidence",
    opponent: str | Policy = "scripted:random",
    asker: str | Policy | None = None,
    reward: str = "win",
    rounds: int | None = None,
    turns: str | None = None,
    split: str = "train",
    questions: Sequence[Question] | None = None,
    **fields: Any,
) -> Table:
    """Builds the settings of an environment.

    Args:
        judge, opponent: the name of one that needs no model, or an object; see
            `debate_gym.envs.seats`.
        asker: the same for the questions of a judge who asks; `scripted:asking` if None.
        questions: the pool; drawn from the task's split if None.
        fields: other fields of the protocol.

    Raises:
        ValueError: on an unknown name, on an object that can fill no seat, and on an `asker` where
            the judge asks nothing.
    """
    rewards(failed_verdict("check"), {}, reward)
    pool = tuple(load_task(task, split, POOL) if questions is None else questions)
    if not pool:
        raise ValueError("the pool of questions is empty")
    loaded = load_protocol(protocol, rounds=rounds, turns=turns, **fields)
    if asker is not None and not loaded.judge_asks:
        raise ValueError(f"asker means nothing here: the judge of {protocol!r} does not ask")
    return Table(
        loaded,
        _seated("judge", judge, scripted_judge, "judge"),
        _seated("opponent", opponent, scripted_policy, "act"),
        _seated("asker", ASKER if asker is None else asker, scripted_policy, "act"),
        reward,
        pool,
    )


def without(settings: dict[str, Any], names: Sequence[str], reason: str) -> dict[str, Any]:
    """The settings, if none of these is among them.

    Raises:
        ValueError: on one that would be ignored.
    """
    for name in names:
        if name in settings:
            raise ValueError(f"{name} means nothing here: {reason}")
    return settings


def learning_seat(protocol: Protocol, seat: str | None) -> str:
    """The seat of that name; the protocol's first one if None.

    Raises:
        ValueError: if the protocol has no such seat.
    """
    if seat is not None and seat not in protocol.seats:
        raise ValueError(f"seat must be one of {protocol.seats}, got {seat!r}")
    return protocol.seats[0] if seat is None else seat


def _seated(kind: str, given: str | Seat, scripted: Callable[[str], Seat], method: str) -> Seat:
    if isinstance(given, str):
        try:
            return scripted(given)
        except ValueError as error:
            raise ValueError(f"{error}; one with a model is passed as an object") from None
    if not (isinstance(getattr(given, "name", None), str) and hasattr(given, method)):
        raise ValueError(
            f"{kind} must be the name of a scripted one, or an object with a `name` and "
            f"`{method}()`, got {given!r:.80}"
        )
    return given


def render_state(state: State) -> str:
    """The game so far, to read."""
    first, second = state.question.answers
    head = f"{state.question.question}\n1: {first}   2: {second}"
    return "\n".join(part for part in (head, render_transcript(state.turns)) if part)
