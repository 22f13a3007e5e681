"""Measures one policy on held-out questions, against itself and against where it started."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from debate_gym.agents.rollout import Job, play
from debate_gym.envs.nouns import Episode, Outcome, Question
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.seats import Judge, Policy
from debate_gym.eval import metrics
from debate_gym.eval.metrics import Estimate

SELF = "self-play"
VERSUS = "versus-start"
REFERENCE = "reference"
LineUps = Sequence[tuple[str, int, dict[str, str], int | None]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The episodes of one policy, and what they say.

    Attributes:
        episodes: condition `PLAYER:self-play`: the policy in every seat (a consultant argues both
            sides of every question). Condition `PLAYER:versus-start`, debates only: the policy
            against the reference, in both assignments of every question.
        player: name of the policy, as `debate_gym.eval.metrics.win_rate` takes it.
    """

    episodes: tuple[Episode, ...]
    player: str

    def of(self, condition: str) -> list[Episode]:
        """The episodes of one condition, `SELF` or `VERSUS`."""
        return [episode for episode in self.episodes if episode.condition.endswith(condition)]

    @property
    def speakers(self) -> int:
        """2 in a debate, 1 in a consultancy, 0 where the judge decides alone."""
        return len(self.episodes[0].seats) if self.episodes else 0

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """Of the self-play episodes."""
        return metrics.outcome_counts(self.of(SELF))

    def estimates(self) -> dict[str, Estimate]:
        """Every figure with an interval, by its metric name."""
        own = self.of(SELF)
        figures = {
            "judge_accuracy": metrics.accuracy(own),
            "verified_share": metrics.verified_share(own),
            "order_dependent_share": metrics.order_dependent_share(own),
        }
        if self.speakers == 2:
            figures["win_rate_vs_start"] = metrics.win_rate(self.of(VERSUS), self.player)
        elif self.speakers == 1:
            figures["win_rate_correct_side"] = metrics.side_win_rate(own, correct=True)
            figures["win_rate_wrong_side"] = metrics.side_win_rate(own, correct=False)
        return figures

    def metrics(self) -> dict[str, float]:
        """Flat metrics for logging: `eval/NAME`, with `_low`, `_high` and `_n` beside it;
        undefined ones are left out."""
        flat: dict[str, float] = {}
        for name, estimate in self.estimates().items():
            flat[f"eval/{name}"] = estimate.value
            flat[f"eval/{name}_low"], flat[f"eval/{name}_high"] = estimate.low, estimate.high
            flat[f"eval/{name}_n"] = estimate.n
        for outcome, count in self.outcomes.items():
            flat[f"eval/outcome/{outcome.value}"] = count
        flat["eval/argument_words"] = metrics.argument_words(self.of(SELF))
        return {name: value for name, value in flat.items() if not math.isnan(value)}


def evaluate_policy(
    policy: Policy,
    reference: Policy,
    questions: Sequence[Question],
    protocol: Protocol,
    judge: Judge,
    seed: int,
    *,
    slots: int = 128,
    done: Sequence[Episode] = (),
    keep: Callable[[Episode], None] = lambda episode: None,
) -> Evaluation:
    """Plays a policy's evaluation.

    An episode's seed depends on `seed`, on the place of its question and on the assignment, so
    that two policies meet the same luck.

    Args:
        reference: the policy as it was before training.
        done: episodes of an earlier, interrupted call with the same arguments; not played again.
        keep: called with each episode as it ends.
    """
    player = metrics.player(policy.name, policy.revision)
    played = {episode.id: episode for episode in done}
    policies = {player: policy, REFERENCE: reference}
    jobs = list(evaluation_jobs(questions, protocol, player, seed))
    waiting = [job for job in jobs if job.id not in played]
    for episode in play(waiting, policies, judge, slots=slots):
        keep(episode)
        played[episode.id] = episode
    return Evaluation(tuple(played[job.id or ""] for job in jobs), player)


def evaluation_jobs(
    questions: Sequence[Question], protocol: Protocol, player: str, seed: int
) -> Iterator[Job]:
    """The episodes of an evaluation; ids and conditions carry the player, so that a store can
    hold many."""
    for number, question in enumerate(questions):
        for kind, variant, seats, side in _line_ups(protocol, player):
            yield Job(
                question,
                protocol,
                seats,
                sides=None if side is None else dict.fromkeys(protocol.seats, side),
                seed=2 * (seed * 1_000_003 + number) + variant,
                id=f"{player}:{question.id}:{protocol.name}:{kind}:{variant}",
                condition=f"{player}:{kind}",
            )


def _line_ups(
    protocol: Protocol, player: str
) -> Sequence[tuple[str, int, dict[str, str], int | None]]:
    """Kind, number within its kind, who fills the seats, and the side of a lone speaker that does
    not choose it."""
    alone = dict.fromkeys(protocol.seats, player)
    if len(protocol.seats) == 1 and protocol.chooser is not None:
        return [(SELF, 0, alone, None)]
    if len(protocol.seats) < 2:
        return [(SELF, side, alone, side) for side in range(2)][: 1 + len(protocol.seats)]
    first, second = protocol.seats
    return [
        (SELF, 0, alone, None),
        (VERSUS, 0, {first: player, second: REFERENCE}, None),
        (VERSUS, 1, {first: REFERENCE, second: player}, None),
    ]
