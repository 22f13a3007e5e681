"""Rejection sampling: speeches outside the word limits are written again (P24 appendix D.6,
algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debate_gym.agents.best_of_n import where_argued
from debate_gym.agents.candidates import charged, cost, events, sample, total
from debate_gym.agents.strength_prompts import fill, revision_of
from debate_gym.agents.word_limits import (
    argument_of,
    count_words,
    limits_of,
    truncated,
)
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.seats import Policy


class RejectionSampling:
    """Writes several candidates for every utterance that is wanted and gives the valid ones first.

    A candidate is valid if the words of its argument are within the limits of its seat. Where too
    few are, the earliest others fill up, cut to the upper limit where they exceed it; one that is
    too short stays as it is. A seat without a side (one that chooses it, or a judge who asks) is
    not limited.

    Counted in the overhead: `invalid_candidates` among all written; `truncated` and
    `too_short` among those given. What the others cost is charged to the first one given.

    Args:
        limits: `p24` (debater 70-150 words, asked for about 100; consultant 140-300, about 200) or
            `k24` (at most 150).
        candidates: for each utterance wanted; P24 takes 3.

    Raises:
        ValueError: on unknown limits, or candidates below 1; by `act`, on a seat that the limits
            do not know.
    """

    def __init__(
        self, base: Policy, limits: str = "p24", candidates: int = 3, *, name: str | None = None
    ) -> None:
        if candidates < 1:
            raise ValueError(f"rejection needs at least 1 candidate, got {candidates}")
        limits_of(limits, "debater_0")
        self.base = base
        self.limits = limits
        self.per_wanted = candidates
        self.name = name or f"rejection-{candidates}({base.name}, limits={limits})"
        self.revision = revision_of(base.revision)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        def one_each(arguing: Sequence[Observation]) -> list[Utterance]:
            return [said[0] for said in self.sample(arguing, 1)]

        return where_argued(observations, self.base, one_each)

    def sample(self, observations: Sequence[Observation], n: int) -> list[list[Utterance]]:
        """For each observation, n utterances, the valid ones first."""
        asked = [self._asked(observation) for observation in observations]
        pools = sample(self.base, asked, n * self.per_wanted)
        pairs = zip(observations, pools, strict=True)
        return [self._sift(observation, pool, n) for observation, pool in pairs]

    def _asked(self, observation: Observation) -> Observation:
        limits = limits_of(self.limits, observation.seat)
        if limits.target is None:
            return observation
        request = fill("words", target=limits.target, low=limits.low, high=limits.high)
        return replace(observation, user=f"{observation.user}\n{request}")

    def _sift(self, observation: Observation, pool: list[Utterance], n: int) -> list[Utterance]:
        limits = limits_of(self.limits, observation.seat)
        good = [limits.hold(argument_of(utterance)) for utterance in pool]
        order = sorted(range(len(pool)), key=lambda i: not good[i])
        given = [pool[i] if good[i] else _cut(pool[i], limits.high) for i in order[:n]]
        left = total(cost(pool[i]) for i in order[n:])
        given[0] = charged(given[0], left, events(invalid_candidates=good.count(False)))
        return given


def _cut(utterance: Utterance, limit: int) -> Utterance:
    """An invalid utterance as it may be used."""
    if count_words(argument_of(utterance)) <= limit:
        return charged(utterance, events(too_short=1))
    cut = replace(utterance, text=truncated(utterance.text, limit))
    return charged(cut, events(truncated=1))
