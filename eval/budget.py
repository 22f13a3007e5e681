"""What a protocol costs, and how accurate a rival of equal cost is.

Debate writes many texts before the judge decides. The fair rival is direct QA asked as often as
that would pay for, decided by majority.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from debate_gym.envs.nouns import Episode
from debate_gym.eval.metrics import Estimate, credit, mean_over_questions

UNITS = ("generations", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent.

    Attributes:
        generations: texts that a model wrote, and verdicts of the judge, which count as one each
            however they are read; that of K24 for a debate of best-of-4 and three rounds is 24 for
            debaters, 6 for selectors and 1 for the judge.
        prompt_tokens, completion_tokens: of the speakers; a verdict's are not in an episode.
    """

    generations: float
    prompt_tokens: float
    completion_tokens: float


@dataclass(frozen=True, slots=True)
class Rival:
    """Direct QA under majority vote at a protocol's cost.

    Attributes:
        votes: that the cost pays for, at least one, or as many as there are of each question.
        paid: votes that the cost would pay for; where it is above `votes`, more rows of direct QA
            are needed for a comparison at equal cost.
        accuracy: of the majority.
    """

    votes: int
    paid: int
    accuracy: Estimate

    @property
    def short(self) -> bool:
        """Whether the rival spends less than it might."""
        return self.paid > self.votes


def cost(episode: Episode, judge: str | None = None) -> Cost:
    """Of one episode, with the verdicts of one judge, or of all if None."""
    spent = episode.to_json()["cost"]
    verdicts = sum(judge is None or verdict.judge == judge for verdict in episode.verdicts)
    return Cost(spent["generations"] + verdicts, spent["prompt_tokens"], spent["completion_tokens"])


def cost_per_question(episodes: Iterable[Episode], judge: str | None = None) -> Cost:
    """Mean over questions of what all their episodes cost together (both assignments of a
    consultant, say); NaN without episodes."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(UNITS))
    for episode in episodes:
        spent = cost(episode, judge)
        for i, unit in enumerate(UNITS):
            totals[episode.question.id][i] += getattr(spent, unit)
    if not totals:
        return Cost(math.nan, math.nan, math.nan)
    return Cost(*(sum(total[i] for total in totals.values()) / len(totals) for i in range(3)))


def vote_counts(
    episodes: Iterable[Episode], judge: str | None = None
) -> dict[str, tuple[int, int]]:
    """Votes of direct QA for and against the correct answer, by question.

    Every readable verdict is one vote, so answer orders are balanced where both were asked; a tie
    and an unreadable reply are none.
    """
    votes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for episode in episodes:
        for verdict in episode.verdicts:
            worth = credit(verdict, episode.question.correct)
            if worth in (0, 1) and judge in (None, verdict.judge):
                votes[episode.question.id][worth == 0] += 1
    return {question: (right, wrong) for question, (right, wrong) in votes.items()}


def majority_accuracy(right: int, wrong: int, votes: int) -> float:
    """How often the majority of `votes` of the right + wrong votes is correct, over all subsets of
    that size (P24 section B.4); a tied vote counts one half. All votes where there are fewer.

    Raises:
        ValueError: without any vote.
    """
    if votes < 1 or right + wrong < 1:
        raise ValueError(f"expected at least one vote, got {votes} of {right + wrong}")
    drawn = min(votes, right + wrong)
    total = 0.0
    for yes in range(drawn + 1):
        worth = 1.0 if 2 * yes > drawn else 0.5 * (2 * yes == drawn)
        total += worth * math.comb(right, yes) * math.comb(wrong, drawn - yes)
    return total / math.comb(right + wrong, drawn)


def vote_curve(votes: Mapping[str, tuple[int, int]], sizes: Sequence[int]) -> dict[int, Estimate]:
    """Accuracy of the majority of each number of votes."""
    return {
        size: mean_over_questions(
            (question, majority_accuracy(right, wrong, size))
            for question, (right, wrong) in votes.items()
        )
        for size in sizes
    }


def equal_cost_rival(
    protocol: Cost,
    vote: Cost,
    votes: Mapping[str, tuple[int, int]],
    unit: str = "generations",
) -> Rival:
    """Direct QA with as many votes a question as the protocol's cost pays for.

    Args:
        protocol: cost a question.
        vote: cost of one vote.
        votes: for and against the correct answer, see `vote_counts`.
        unit: what is counted: one of `UNITS`.

    Raises:
        ValueError: on an unknown unit, a vote that costs nothing, or no votes.
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {UNITS}, got {unit!r}")
    price = getattr(vote, unit)
    if not price > 0:
        raise ValueError(f"a vote must cost some {unit}, got {price}; choose another unit")
    if not votes:
        raise ValueError("expected the votes of at least one question, got none")
    paid = max(1, math.floor(getattr(protocol, unit) / price + 1e-9))
    used = min(paid, min(right + wrong for right, wrong in votes.values()))
    return Rival(used, paid, vote_curve(votes, [used])[used])
