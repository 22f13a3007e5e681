"""Open roles: a judge and an agent that argues what it holds to be right (K24 3.2.3).

An agent that is wrong must not win: accuracy where the protagonist is wrong shows how far a
protocol amplifies its errors. But questions on which it is wrong are the harder ones, so part of
the difference is difficulty; two adjustments take that out, by strata and by weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from debate_gym.envs.nouns import Episode
from debate_gym.eval.bootstrap import DRAWS, interval
from debate_gym.eval.metrics import Estimate, credit, mean_over_questions, pooled

STRATA = 4
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OpenRole:
    """One game in which a protagonist argued its own answer.

    Attributes:
        right: whether that answer was the correct one.
        accuracy: 1 where the judge chose the correct answer, 0 where not, one half on a tie.
    """

    question: str
    right: bool
    accuracy: float

    @property
    def won(self) -> float:
        """What the protagonist made of it."""
        return self.accuracy if self.right else 1 - self.accuracy


@dataclass(frozen=True, slots=True)
class Amplification:
    """What a protocol does with an agent's errors.

    Attributes:
        win_rate: of the protagonist.
        right_rate: how often it is right.
        when_right, when_wrong: accuracy of the judge.
        expected: accuracy at the protagonist's rate of being right, right_rate x when_right +
            (1 - right_rate) x when_wrong.
        amplified: expected - right_rate: above 0 the judge mends the agent's errors, below 0 it
            adds its own.
    """

    win_rate: Estimate
    right_rate: Estimate
    when_right: Estimate
    when_wrong: Estimate
    expected: Estimate
    amplified: Estimate


@dataclass(frozen=True, slots=True)
class Adjusted:
    """when_right - when_wrong at equal difficulty.

    Attributes:
        raw: without adjustment, on the same games.
        stratified: mean over strata of difficulty, weighted by their games; strata without both
            right and wrong protagonists say nothing and are left out.
        covered: share of games in the strata that count.
        reweighted: the right games weighted by the odds of being wrong at their difficulty, so that
            they are as hard as the wrong ones.
        effective: number of right games that those weights are worth (Kish), at most their number.
        left_out: games of questions without a known difficulty.
    """

    raw: Estimate
    stratified: Estimate
    covered: float
    reweighted: Estimate
    effective: float
    left_out: int


def open_roles(
    episodes: Iterable[Episode], judge: str | None = None, *, seat: str | None = None
) -> list[OpenRole]:
    """Reads games with a protagonist; those without a readable verdict are left out.

    Args:
        seat: the protagonist's; the one that chose its answer in each game if None.

    Raises:
        ValueError: on a game in which nobody chose, or the seat argues nothing.
    """
    roles = []
    for episode in episodes:
        verdict, correct = pooled(episode, judge), episode.question.correct
        worth = credit(verdict, correct)
        if worth is not None:
            answer = _protagonist(episode, seat)
            roles.append(OpenRole(episode.question.id, answer == correct, worth))
    return roles


def chosen_answers(direct: Iterable[Episode], judge: str | None = None) -> dict[str, int]:
    """What an agent answers in direct QA, by question; ties and unreadable ones are left out.

    Raises:
        ValueError: if it answers a question in two ways.
    """
    chosen: dict[str, int] = {}
    for episode in direct:
        choice, question = pooled(episode, judge).choice, episode.question.id
        if choice is not None and chosen.setdefault(question, choice) != choice:
            raise ValueError(f"question {question!r} is answered in two ways: choose one of them")
    return chosen


def own_answer_only(
    assigned: Iterable[Episode], chosen: Mapping[str, int], seat: str
) -> list[Episode]:
    """The games with assigned sides in which `seat` was given its own direct-QA answer: the other
    way to open roles (K24), beside games in which the agent chooses."""
    return [
        episode
        for episode in assigned
        if episode.question.id in chosen
        and episode.seats[seat].answer == chosen[episode.question.id]
    ]


def amplification(
    roles: Sequence[OpenRole],
    right_rate: float | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Amplification:
    """Sums up.

    Args:
        right_rate: of the agent, where it is known from elsewhere (direct QA on all questions);
            that of these games if None.

    Raises:
        ValueError: on a rate outside [0, 1].
    """
    if right_rate is not None and not 0 <= right_rate <= 1:
        raise ValueError(f"right_rate must be in [0, 1], got {right_rate}")
    right = mean_over_questions((r.question, float(r.right)) for r in roles)
    if right_rate is not None:
        right = Estimate(right_rate, right_rate, right_rate, right.n)

    def expected(counts: Floats, table: _Table) -> float:
        rate = table.rate(counts) if right_rate is None else right_rate
        yes, no = table.accuracy(counts, True), table.accuracy(counts, False)
        return (rate * yes if rate else 0.0) + ((1 - rate) * no if rate < 1 else 0.0)

    def amplified(counts: Floats, table: _Table) -> float:
        rate = table.rate(counts) if right_rate is None else right_rate
        return expected(counts, table) - rate

    return Amplification(
        mean_over_questions((r.question, r.won) for r in roles),
        right,
        mean_over_questions((r.question, r.accuracy) for r in roles if r.right),
        mean_over_questions((r.question, r.accuracy) for r in roles if not r.right),
        _resampled(roles, expected, draws, seed),
        _resampled(roles, amplified, draws, seed),
    )


def difficulty_adjusted(
    roles: Sequence[OpenRole],
    difficulty: Mapping[str, float],
    *,
    strata: int = STRATA,
    draws: int = 200,
    seed: int = 0,
) -> Adjusted:
    """The difference between right and wrong protagonists on questions equally hard.

    Args:
        difficulty: of each question, its direct-QA accuracy in [0, 1] (of the naive judge, or of
            several models), measured in games other than these.
        strata: how many groups of about equal size the questions fall into; equal difficulties stay
            together, so there may be fewer.

    Raises:
        ValueError: on fewer than one stratum.
    """
    if strata < 1:
        raise ValueError(f"expected at least one stratum, got {strata}")
    known = [role for role in roles if role.question in difficulty]
    hard = np.array([difficulty[role.question] for role in known], float)
    groups = _strata(hard, strata)
    table = _Table(known)

    def stratified(counts: Floats, table: _Table) -> float:
        return _stratified(table, counts, groups)[0]

    def reweighted(counts: Floats, table: _Table) -> float:
        return _reweighted(table, counts, hard)[0]

    whole = np.ones(len(known))
    return Adjusted(
        _resampled(known, _raw, draws, seed),
        _resampled(known, stratified, draws, seed),
        _stratified(table, whole, groups)[1],
        _resampled(known, reweighted, draws, seed),
        _reweighted(table, whole, hard)[1],
        len(roles) - len(known),
    )


class _Table:
    """Games as columns; `counts` says how often each of them is taken."""

    def __init__(self, roles: Sequence[OpenRole]) -> None:
        self.right = np.array([role.right for role in roles], bool)
        self.value = np.array([role.accuracy for role in roles], float)

    def rate(self, counts: Floats) -> float:
        return _mean(self.right.astype(float), counts)

    def accuracy(self, counts: Floats, right: bool) -> float:
        return _mean(self.value, counts * (self.right == right))


def _raw(counts: Floats, table: _Table) -> float:
    return table.accuracy(counts, True) - table.accuracy(counts, False)


def _stratified(
    table: _Table, counts: Floats, groups: npt.NDArray[np.int64]
) -> tuple[float, float]:
    """The difference, and the share of games in strata that have both kinds."""
    total = covered = 0.0
    for group in np.unique(groups):
        inside = counts * (groups == group)
        gap, size = _raw(inside, table), float(inside.sum())
        if not math.isnan(gap):
            total, covered = total + size * gap, covered + size
    share = covered / float(counts.sum()) if counts.any() else math.nan
    return (total / covered if covered else math.nan), share


def _reweighted(table: _Table, counts: Floats, hard: Floats) -> tuple[float, float]:
    """The difference, and the effective number of right games."""
    taken = counts > 0
    if len(set(table.right[taken].tolist())) < 2:
        return math.nan, math.nan
    from sklearn.linear_model import LogisticRegression

    fit = LogisticRegression(C=100.0).fit(
        hard[taken, None], ~table.right[taken], sample_weight=counts[taken]
    )
    wrong = fit.predict_proba(hard[:, None])[:, 1]
    weights = counts * table.right * wrong / (1 - wrong)
    effective = float(weights.sum() ** 2 / (weights**2).sum())
    return _mean(table.value, weights) - table.accuracy(counts, False), effective


def _strata(hard: Floats, strata: int) -> npt.NDArray[np.int64]:
    if not len(hard):
        return np.empty(0, np.int64)
    edges = np.unique(np.quantile(hard, np.arange(1, strata) / strata))
    return np.asarray(np.searchsorted(edges, hard, side="right"), np.int64)


def _resampled(
    roles: Sequence[OpenRole], figure: Callable[[Floats, _Table], float], draws: int, seed: int
) -> Estimate:
    """A figure of the games, its interval by resampling questions."""
    questions = {q: i for i, q in enumerate(sorted({role.question for role in roles}))}
    place = np.array([questions[role.question] for role in roles], np.int64)
    table, rng = _Table(roles), np.random.default_rng(seed)
    if not roles:
        return Estimate(math.nan, math.nan, math.nan, 0)
    size = len(questions)
    share = np.full(size, 1 / size)
    value = figure(np.ones(len(roles)), table)
    drawn = [figure(rng.multinomial(size, share)[place].astype(float), table) for _ in range(draws)]
    return Estimate(value, *interval(np.array(drawn, float)), size)


def _mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total else math.nan


def _protagonist(episode: Episode, seat: str | None) -> int:
    seat = seat or episode.chooser
    record = episode.seats.get(seat) if seat else None
    if record is None or record.answer is None:
        raise ValueError(
            f"episode {episode.id!r}: expected a protagonist with an answer, got seat {seat!r} of "
            f"{sorted(episode.seats)}; name the seat where sides were assigned"
        )
    return record.answer
