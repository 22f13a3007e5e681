"""From questions to training rows: plays episodes and keeps the tokens of the seats that learn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.local import cut_at_end
from debate_gym.agents.rollout import Job, play
from debate_gym.envs.nouns import Episode, Observation, Question, Utterance
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.reward import rewards
from debate_gym.envs.seats import Judge, Policy
from debate_gym.envs.verdict import average_orders

LEARNER = "learner"
OPPONENT = "opponent"
Tokens = tuple[list[int], list[int]]


class RecordingPolicy:
    """The policy being trained, which remembers what it read and sampled.

    Args:
        generate: from prompts to completions, both token ids; a completion ends with its end
            token unless it was cut.
        ends: the tokens that end a reply.
    """

    def __init__(
        self,
        tokenizer: Any,
        generate: Callable[[list[list[int]]], list[list[int]]],
        ends: set[int],
        context: int,
    ) -> None:
        self.name = LEARNER
        self.revision = ""
        self.tokens: dict[tuple[str, str, int], Tokens] = {}
        self._tokenizer = tokenizer
        self._generate = generate
        self._ends = ends
        self._context = context

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        prompts = [encode_prompt(self._tokenizer, o.system, o.user) for o in observations]
        for observation, prompt in zip(observations, prompts, strict=True):
            if len(prompt) > self._context:
                raise ValueError(
                    f"{observation.episode}: a prompt of {len(prompt)} tokens exceeds the "
                    f"{self._context} that the context leaves; set max_article_words"
                )
        completions = self._generate(prompts)
        said = []
        for observation, prompt, completion in zip(observations, prompts, completions, strict=True):
            kept, finish = cut_at_end(completion, self._ends)
            self.tokens[observation.episode, observation.seat, observation.round] = (prompt, kept)
            text = self._tokenizer.decode(kept, skip_special_tokens=True)
            said.append(Utterance(text, len(prompt), len(kept), finish))
        return said


@dataclass(frozen=True, slots=True)
class Row:
    """One turn of a seat that learns; without tokens where the turn was never spoken.

    Attributes:
        reward: of the seat's whole episode.
        baseline: what the seat could expect on this question; see `baselines`.
        seat: index into the protocol's seats.
    """

    prompt: list[int]
    completion: list[int]
    reward: float
    seat: int
    last: bool
    baseline: float = 0.0


@dataclass(frozen=True, slots=True)
class Rollout:
    """What one iteration played.

    Attributes:
        rows: rows_per_episode rows for every episode, in the order of the episodes.
        chains: row numbers of each seat's turns in an episode, in playing order.
    """

    rows: list[Row]
    chains: list[list[int]]
    episodes: list[Episode]


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """How training episodes are set up.

    Attributes:
        opponent: fills the seat that does not learn; None when every seat learns.
        reward: see `debate_gym.envs.reward.rewards`.
        shuffle: pay every episode what another one earned: the control in which nothing can be
            learnt. A debate's two payments stay together, so that it stays zero-sum.
    """

    protocol: Protocol
    judge: Judge
    opponent: Policy | None
    reward: str
    shuffle: bool

    @property
    def rows_per_episode(self) -> int:
        """Learning turns in an episode."""
        seats = 1 if self.opponent is not None else len(self.protocol.seats)
        return seats * self.protocol.rounds

    def collect(
        self, questions: Sequence[Question], learner: RecordingPolicy, rng: np.random.Generator
    ) -> Rollout:
        """Plays one episode for each entry of `questions`, which may repeat."""
        jobs = [self._job(question, number, rng) for number, question in enumerate(questions)]
        policies: dict[str, Policy] = {LEARNER: learner}
        if self.opponent is not None:
            policies[OPPONENT] = self.opponent
        learner.tokens.clear()
        episodes = list(play(jobs, policies, self.judge, slots=len(jobs)))
        return self._rows(jobs, episodes, learner.tokens, rng)

    def _job(self, question: Question, number: int, rng: np.random.Generator) -> Job:
        seats = dict.fromkeys(self.protocol.seats, LEARNER)
        if self.opponent is not None:
            learning = self.protocol.seats[int(rng.integers(len(self.protocol.seats)))]
            seats = {seat: LEARNER if seat == learning else OPPONENT for seat in seats}
        # An even and an odd number a pair, so that a consultant argues either side equally often.
        seed = 2 * int(rng.integers(2**31)) + number % 2
        return Job(question, self.protocol, seats, seed=seed, id=f"{number}:{question.id}")

    def _rows(
        self,
        jobs: Sequence[Job],
        episodes: list[Episode],
        tokens: Mapping[tuple[str, str, int], Tokens],
        rng: np.random.Generator,
    ) -> Rollout:
        pay = [self._pay(episode) for episode in episodes]
        if self.shuffle:
            pay = [pay[i] for i in rng.permutation(len(pay))]
        rows: list[Row] = []
        chains: list[list[int]] = []
        expected = baselines(episodes, pay)
        for i, (job, episode, earned) in enumerate(zip(jobs, episodes, pay, strict=True)):
            broken = episode.error is not None
            for number, seat in enumerate(self.protocol.seats):
                if job.seats[seat] != LEARNER:
                    continue
                chains.append(list(range(len(rows), len(rows) + self.protocol.rounds)))
                for turn in range(self.protocol.rounds):
                    said = None if broken else tokens.get((episode.id, seat, turn))
                    prompt, completion = said or ([], [])
                    last = turn == self.protocol.rounds - 1
                    rows.append(
                        Row(prompt, completion, earned[seat], number, last, expected[i][seat])
                    )
        return Rollout(rows, chains, episodes)

    def _pay(self, episode: Episode) -> dict[str, float]:
        verdict = average_orders(episode.verdicts, episode.question.correct)
        sides = {seat: record.answer or 0 for seat, record in episode.seats.items()}
        return rewards(verdict, sides, self.reward)


def baselines(
    episodes: Sequence[Episode], pay: Sequence[Mapping[str, float]]
) -> list[dict[str, float]]:
    """What each seat of each episode could expect: the mean pay of the same seat, arguing the same
    answer, in the other episodes of the same question.

    How strongly an article leans decides most of a reward, and nobody's turns change that. Since
    an episode's own pay is left out (RLOO, arXiv 2402.14740), subtracting this leaves the expected
    gradient as it is. It is 0 where there is no other episode, and where the verdict of the
    episode is unreadable or failed, which must pay nobody.
    """
    read = [average_orders(e.verdicts, e.question.correct).p is not None for e in episodes]
    groups: dict[tuple[str, str, int | None], list[float]] = defaultdict(list)
    for episode, earned, readable in zip(episodes, pay, read, strict=True):
        for seat, record in episode.seats.items():
            if readable:
                groups[episode.question.id, seat, record.answer].append(earned[seat])
    expected = []
    for episode, earned, readable in zip(episodes, pay, read, strict=True):
        row = dict.fromkeys(episode.seats, 0.0)
        for seat, record in episode.seats.items():
            group = groups[episode.question.id, seat, record.answer]
            if readable and len(group) > 1:
                row[seat] = (sum(group) - earned[seat]) / (len(group) - 1)
        expected.append(row)
    return expected
