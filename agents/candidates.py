"""Several candidates for one turn: how they are drawn, read and paid for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from debate_gym.envs.markup import strip_thinking
from debate_gym.envs.nouns import JUDGE_0, Episode, Observation, Overhead, Turn, Utterance
from debate_gym.envs.passages import check_passages
from debate_gym.envs.seats import Policy
from debate_gym.envs.view import visible

# What a seed is drawn for; a seat's own seed serves its first candidate.
SAMPLES, PICK, CRITIQUE, REFINE = 1, 2, 3, 4
SHOWN_PASSAGE = re.compile(r"<([uv])_passage>.*?</\1_passage>", re.DOTALL)


@runtime_checkable
class Sampler(Protocol):
    """A policy that has its own way to write several candidates."""

    def sample(self, observations: Sequence[Observation], n: int) -> list[list[Utterance]]:
        """For each observation, n utterances."""
        ...


def sample(policy: Policy, observations: Sequence[Observation], n: int) -> list[list[Utterance]]:
    """Draws n utterances for each observation, in one call of the policy.

    The first is what the policy says when it is asked once; the others differ from it in their
    seed only.
    """
    if isinstance(policy, Sampler):
        return policy.sample(observations, n)
    copies = [_copy(observation, k) for observation in observations for k in range(n)]
    said = act(policy, copies)
    return [said[i : i + n] for i in range(0, len(said), n)]


def act(policy: Policy, observations: Sequence[Observation]) -> list[Utterance]:
    """
    Raises:
        RuntimeError: if the policy does not give one utterance per observation.
    """
    said = list(policy.act(observations)) if observations else []
    if len(said) != len(observations):
        raise RuntimeError(
            f"policy {policy.name!r} gave {len(said)} utterances for {len(observations)} prompts"
        )
    return said


def derived_seed(seed: int, *path: int) -> int:
    """A seed of its own for each path, equal for equal arguments."""
    return int(np.random.SeedSequence([seed, *path]).generate_state(1)[0])


def read(observation: Observation, utterance: Utterance) -> Turn:
    """The turn that an utterance would become: thinking split off, passages checked."""
    thinking, speech = strip_thinking(utterance.text)
    argument, passages, untagged = check_passages(speech, observation.article)
    return Turn(observation.seat, observation.round, thinking, argument, passages, untagged)


def shown(observation: Observation, turn: Turn) -> Turn:
    """A turn as the judge will see it under the protocol of the game."""
    if observation.protocol is None:
        return turn
    (seen,) = visible((turn,), JUDGE_0, observation.protocol)
    return seen


def prose(argument: str) -> str:
    """An argument as others read it, without its passages."""
    return SHOWN_PASSAGE.sub(" ", argument)


def cost(utterance: Utterance) -> Overhead:
    """All that was spent on an utterance, its own call included."""
    call = Overhead(1, utterance.prompt_tokens, utterance.completion_tokens)
    return call + utterance.overhead


def total(costs: Iterable[Overhead]) -> Overhead:
    return sum(costs, Overhead())


def events(**counts: int) -> Overhead:
    """Names what happened; costs nothing."""
    return Overhead() + Overhead(events=tuple(counts.items()))


def charged(utterance: Utterance, *costs: Overhead) -> Utterance:
    """The utterance with more overhead."""
    return replace(utterance, overhead=total((utterance.overhead, *costs)))


def count_events(episodes: Iterable[Episode]) -> Counter[str]:
    """How often what happened over all turns of all episodes, by the names in `Overhead.events`."""
    counts: Counter[str] = Counter()
    for episode in episodes:
        for turn in episode.turns:
            counts.update(dict(turn.overhead.events))
    return counts


@dataclass(frozen=True, slots=True)
class Slate:
    """The candidates of one turn.

    Attributes:
        utterances: all of them.
        places: indices into `utterances`, one for each argument that differs from those before it
            in what others would read.
        turns: those arguments, in the same order.
    """

    observation: Observation
    utterances: tuple[Utterance, ...]
    places: tuple[int, ...]
    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, observation: Observation, utterances: Sequence[Utterance]) -> Slate:
        """Reads candidates as the judge will see them."""
        distinct: dict[str, tuple[int, Turn]] = {}
        for place, utterance in enumerate(utterances):
            turn = shown(observation, read(observation, utterance))
            distinct.setdefault(turn.argument, (place, turn))
        places, turns = zip(*distinct.values(), strict=True)
        return cls(observation, tuple(utterances), places, turns)

    def settle(self, chosen: int, *costs: Overhead) -> Utterance:
        """The utterance of an argument, charged with `costs` and with all that lost to it."""
        place = self.places[chosen]
        lost = [cost(u) for i, u in enumerate(self.utterances) if i != place]
        same = events(identical_candidates=len(self.utterances) - len(self.turns))
        return charged(self.utterances[place], same, *lost, *costs)


def _copy(observation: Observation, number: int) -> Observation:
    if number == 0:
        return observation
    return replace(observation, seed=derived_seed(observation.seed, SAMPLES, number))
