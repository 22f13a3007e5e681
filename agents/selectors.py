"""Which of several arguments to say: the debater's own pick, or a judge-like model's preference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from debate_gym.agents.candidates import PICK, Slate, act, cost, derived_seed, events
from debate_gym.agents.scoring import MISSING, Reading, Scorer, score
from debate_gym.agents.strength_prompts import argued, blind, fill, numbered, sides, spoken
from debate_gym.envs.markup import strip_thinking
from debate_gym.envs.nouns import DEBATER_0, DEBATER_1, Observation, Overhead, Transcript, Turn
from debate_gym.envs.seats import Policy
from debate_gym.envs.verdict import BOTH_ORDERS

Item = TypeVar("Item")
MARKED = re.compile(r"\bchoice\b\W{0,4}(\d+)\b(?!\.\d)", re.IGNORECASE)
BARE = re.compile(r"\W*(?:(?:draft|speech|number|option)\W{1,3}){0,2}(\d+)\W*", re.IGNORECASE)
PRIMED, LABELS = "Answer:", ("1", "2")
NOTHING = Overhead()
OPPONENT = {DEBATER_0: DEBATER_1, DEBATER_1: DEBATER_0}


@dataclass(frozen=True, slots=True)
class Choice:
    """An index into `Slate.turns`, and what it took to choose."""

    chosen: int
    spent: Overhead = NOTHING


class Selector(Protocol):
    """Chooses among arguments.

    Attributes:
        name: as the options of a policy spec.
        revision: of what it asks, where that is not the debater itself.
    """

    name: str
    revision: str

    def select(self, slates: Sequence[Slate]) -> list[Choice]:
        """For each slate of two arguments or more, one of them."""
        ...


class SelfSelector:
    """The debater names the draft that is the most likely to persuade the judge (K24 section 4.1).

    It sees its own prompt and the numbered drafts, in an order that the observation's seed draws.
    A reply counts if it can be read (see `read_choice`). One that cannot be is counted as
    `unreadable_picks`, and one of the drafts is drawn by the seed in its place, each equally
    likely: what is said is then distributed as if there had been no selection.

    Args:
        picker: the debater, best at temperature 0.
    """

    name = "selector=self"
    revision = ""

    def __init__(self, picker: Policy) -> None:
        self.picker = picker

    def select(self, slates: Sequence[Slate]) -> list[Choice]:
        rngs = [_generator(slate.observation) for slate in slates]
        pairs = zip(slates, rngs, strict=True)
        orders = [rng.permutation(len(slate.turns)).tolist() for slate, rng in pairs]
        asked = [_question(slate, order) for slate, order in zip(slates, orders, strict=True)]
        choices = []
        for said, order, rng in zip(act(self.picker, asked), orders, rngs, strict=True):
            number = read_choice(said.text, len(order))
            chosen = int(rng.integers(len(order))) if number is None else order[number - 1]
            unreadable = events(unreadable_picks=int(number is None))
            choices.append(Choice(chosen, cost(said) + unreadable))
        return choices


def read_choice(text: str, n: int) -> int | None:
    """The number of the draft that a reply names, from 1 to n; None if it cannot be told.

    Thinking is left out. The numbers after `Choice:` must all be the same. Without that mark the
    reply must be a number and nothing else, but for a word such as "Draft" before it.
    """
    _, reply = strip_thinking(text)
    bare = BARE.fullmatch(reply)
    named = set(MARKED.findall(reply)) or ({bare[1]} if bare else set())
    number = named.pop() if len(named) == 1 else ""
    return int(number) if number.isdecimal() and 1 <= int(number) <= n else None


class PreferenceSelector:
    """A judge-like model that cannot see the article scores each argument (P24 appendix D.3).

    An argument's score is the log-probability of the label of its seat's answer, after the
    transcript with the argument in it; the highest one wins, the earliest of equals. In a debate
    whose opponent has not spoken in this round, a fixed line stands for its turn. A label that is
    missing scores -100. Where that is all there is, nothing was measured: it is counted as
    `unscored_picks`, and the seed draws one of the arguments, each equally likely. Readings are
    counted as `readings`.

    Departs from P24 in that both orders of the answers are read and their scores averaged.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.name = f"selector=preference, judge={scorer.name}"
        self.revision = scorer.revision

    def select(self, slates: Sequence[Slate]) -> list[Choice]:
        prompts = [
            _judged(slate.observation, turn, order)
            for slate in slates
            for turn in slate.turns
            for order in BOTH_ORDERS
        ]
        readings = self.scorer.log_probabilities(prompts, PRIMED, LABELS)
        sizes = [len(slate.turns) * len(BOTH_ORDERS) for slate in slates]
        parts = split(readings, sizes)
        return [_preferred(slate, part) for slate, part in zip(slates, parts, strict=True)]


def likeliest(scores: Sequence[float], observation: Observation) -> tuple[int, Overhead]:
    """The place of the highest score; drawn by the seed, and counted, where all are missing."""
    if max(scores) > MISSING:
        return scores.index(max(scores)), Overhead()
    drawn = int(_generator(observation).integers(len(scores)))
    return drawn, events(unscored_picks=1)


def split(items: Sequence[Item], sizes: Sequence[int]) -> list[list[Item]]:
    """Cuts a list into parts of the given sizes.

    Raises:
        ValueError: if the sizes do not add up to its length.
    """
    if sum(sizes) != len(items):
        raise ValueError(f"expected {sum(sizes)} results, got {len(items)}")
    rest = iter(items)
    return [[next(rest) for _ in range(size)] for size in sizes]


def reading_cost(readings: Sequence[Reading]) -> Overhead:
    tokens = sum(reading.prompt_tokens for reading in readings)
    return Overhead(prompt_tokens=tokens) + events(readings=len(readings))


def _question(slate: Slate, order: Sequence[int]) -> Observation:
    observation = slate.observation
    drafts = numbered([slate.turns[i].argument for i in order])
    own = sides(observation)["own"]
    request = fill("pick", count=len(order), drafts=drafts, own=own)
    seed = derived_seed(observation.seed, PICK)
    return replace(observation, user=f"{observation.user}\n{request}", seed=seed)


def _preferred(slate: Slate, readings: Sequence[Reading]) -> Choice:
    side = argued(slate.observation)
    scores = []
    for place in range(len(slate.turns)):
        pair = readings[place * len(BOTH_ORDERS) :][: len(BOTH_ORDERS)]
        shown = zip(pair, BOTH_ORDERS, strict=True)
        scores.append(sum(score(r.log_probabilities[o.index(side)]) for r, o in shown) / len(pair))
    chosen, unscored = likeliest(scores, slate.observation)
    return Choice(chosen, reading_cost(readings) + unscored)


def _judged(observation: Observation, turn: Turn, order: tuple[int, int]) -> Observation:
    first, second = (observation.answers[i] for i in order)
    transcript = spoken(_with(observation, turn))
    question = observation.question
    user = fill("preference", question=question, transcript=transcript, first=first, second=second)
    return blind(observation, user)


def _with(observation: Observation, turn: Turn) -> Transcript:
    """The transcript with an argument in it, and the fixed line where the opponent is still due."""
    opponent = OPPONENT.get(observation.seat)
    spoke = any(t.seat == opponent and t.round == turn.round for t in observation.turns)
    if opponent is None or spoke:
        return (*observation.turns, turn)
    dummy = Turn(opponent, turn.round, "", fill("dummy"))
    return (*observation.turns, *sorted((turn, dummy), key=lambda t: t.seat))


def _generator(observation: Observation) -> np.random.Generator:
    return np.random.default_rng([observation.seed, PICK])
