"""What moves a judge besides the truth: position, length, and kinship (P24 section A.7)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from debate_gym.envs.nouns import Episode, Verdict
from debate_gym.envs.verdict import order_dependent
from debate_gym.eval.bootstrap import DRAWS, resampled
from debate_gym.eval.metrics import (
    Estimate,
    credit,
    mean_over_questions,
    player,
    pooled,
    question_means,
)


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How a judge depends on which answer it is shown first.

    Attributes:
        gap: accuracy with the correct answer shown first minus with it shown second, in [-1, 1];
            P24 figure 17 shows half of it as an error bar.
        flips: share of episodes, among those judged in both orders, whose choice changes.
        first: share of verdicts for the answer shown first, ties counting one half; 1/2 if both
            orders are judged without bias.
    """

    gap: Estimate
    flips: Estimate
    first: Estimate


def position_bias(
    episodes: Iterable[Episode],
    judge: str | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> PositionBias:
    """Measures single verdicts, before orders are averaged; unreadable ones are left out."""
    shown: tuple[list[tuple[str, float]], list[tuple[str, float]]] = ([], [])
    flips, first = [], []
    for episode in episodes:
        question, both = episode.question, _readable(episode, judge)
        for verdict, leading in both:
            second = leading != question.correct
            shown[second].append((question.id, credit(verdict, question.correct) or 0.0))
            first.append((question.id, credit(verdict, leading) or 0.0))
        if len({leading for _, leading in both}) == 2:
            changed = order_dependent([verdict for verdict, _ in both])
            flips.append((question.id, float(changed)))
    columns = [question_means(side) for side in shown]
    gap = resampled(columns, lambda means: means[:, 0] - means[:, 1], draws=draws, seed=seed)
    return PositionBias(gap, mean_over_questions(flips), mean_over_questions(first))


@dataclass(frozen=True, slots=True)
class Verbosity:
    """How debates depend on length.

    Attributes:
        longer_wins: win rate of the side with more words; debates of equal length are left out.
        slope: change of the log-odds to win for a lead of one standard deviation in words,
            whatever the side, by a logistic regression.
        spread: that standard deviation, in words.
    """

    longer_wins: Estimate
    slope: float
    spread: float


def verbosity(episodes: Iterable[Episode], judge: str | None = None) -> Verbosity:
    """Win rate against the difference in words between two debaters."""
    rows = [row for row in _length_rows(episodes, judge) if row.lead]
    wins = mean_over_questions((r.question, r.won if r.lead > 0 else 1 - r.won) for r in rows)
    if not rows:
        return Verbosity(wins, math.nan, math.nan)
    leads = np.array([row.lead for row in rows])
    # Both points of view of each debate, so that no side has an advantage of its own.
    sides = np.concatenate([leads, -leads])
    won = np.concatenate([[r.won for r in rows], [1 - r.won for r in rows]])
    spread = float(sides.std())
    _, slope = _logistic(sides / spread, won)
    return Verbosity(wins, slope, spread)


def length_controlled_win_rate(
    episodes: Sequence[Episode],
    model: str,
    judge: str | None = None,
    *,
    draws: int = 200,
    seed: int = 0,
) -> Estimate:
    """What a policy's win rate would be if both sides spoke at the same length.

    As the length-controlled AlpacaEval does: log-odds to win = a + b tanh(lead in words / its
    standard deviation), and the rate is 1 / (1 + exp(-a)). The slope is shrunk by a prior of
    variance 1, so that few debates give a finite one. Questions are resampled.

    Args:
        episodes: debates in which exactly one seat is `model@revision`, in both assignments.

    Raises:
        ValueError: if the policy fills no seat of an episode, or both.
    """
    rows = [row if row.one == model else row.turned() for row in _length_rows(episodes, judge)]
    for row in rows:
        if row.one != model or row.other == model:
            raise ValueError(f"expected {model!r} in one seat, got {row.one!r} and {row.other!r}")
    grouped: dict[str, list[_Length]] = defaultdict(list)
    for row in rows:
        grouped[row.question].append(row)
    if not grouped:
        return Estimate(math.nan, math.nan, math.nan, 0)
    rng, groups = np.random.default_rng(seed), [grouped[q] for q in sorted(grouped)]
    drawn = [_controlled(_draw(groups, rng)) for _ in range(draws)]
    low, high = np.percentile(drawn, (2.5, 97.5)) if drawn else (math.nan, math.nan)
    return Estimate(_controlled(rows), float(low), float(high), len(groups))


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """How a judge treats debaters of its own family.

    Attributes:
        own: win rate of the debater of the judge's family against one of another family.
        neutral: win rate of the same debaters, in the same transcripts, before judges of neither
            family.
        preference: own minus neutral on the questions that have both; 0 without favour.
    """

    own: Estimate
    neutral: Estimate
    preference: Estimate


def self_preference(
    episodes: Iterable[Episode],
    family: Callable[[str], str],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> SelfPreference:
    """Compares judges of the same transcripts; a plain same-family win rate would mistake a strong
    family for a favoured one.

    Args:
        episodes: debates, each with the verdicts of several judges.
        family: of a judge's or a model's name.
    """
    own: list[tuple[str, float]] = []
    neutral: list[tuple[str, float]] = []
    for episode in episodes:
        judges = {name: family(name) for name in {v.judge for v in episode.verdicts}}
        sides = {r.answer: family(r.model) for r in episode.seats.values() if r.answer is not None}
        if set(sides) == {0, 1} and sides[0] != sides[1]:
            _book(episode, sides, judges, own, neutral)
    columns = [question_means(own), question_means(neutral)]
    shared = columns[0].keys() & columns[1].keys()
    both = [{question: column[question] for question in shared} for column in columns]
    favour = resampled(both, lambda means: means[:, 0] - means[:, 1], draws=draws, seed=seed)
    return SelfPreference(mean_over_questions(own), mean_over_questions(neutral), favour)


@dataclass(frozen=True, slots=True)
class _Length:
    question: str
    one: str
    other: str
    won: float
    lead: int

    def turned(self) -> _Length:
        return _Length(self.question, self.other, self.one, 1 - self.won, -self.lead)


def _length_rows(episodes: Iterable[Episode], judge: str | None) -> list[_Length]:
    rows = []
    for episode in episodes:
        sides = {r.answer: s for s, r in episode.seats.items() if r.answer is not None}
        won = credit(pooled(episode, judge), 0)
        if won is None or set(sides) != {0, 1}:
            continue
        words = [_words(episode, sides[answer]) for answer in (0, 1)]
        records = [episode.seats[sides[answer]] for answer in (0, 1)]
        one, other = (player(record.model, record.revision) for record in records)
        rows.append(_Length(episode.question.id, one, other, won, words[0] - words[1]))
    return rows


def _words(episode: Episode, seat: str) -> int:
    turns = (turn for turn in episode.turns if turn.seat == seat and turn.speech)
    return sum(len(turn.argument.split()) for turn in turns)


def _readable(episode: Episode, judge: str | None) -> list[tuple[Verdict, int]]:
    """The verdicts of one judge with the answer that each was shown first."""
    name = pooled(episode, judge).judge
    return [
        (verdict, verdict.order[0])
        for verdict in episode.verdicts
        if verdict.judge == name and verdict.order is not None and verdict.p is not None
    ]


def _draw(groups: Sequence[Sequence[_Length]], rng: np.random.Generator) -> list[_Length]:
    return [row for i in rng.integers(len(groups), size=len(groups)) for row in groups[i]]


def _controlled(rows: Sequence[_Length]) -> float:
    leads = np.array([row.lead for row in rows], float)
    spread = leads.std() or 1.0
    level, _ = _logistic(np.tanh(leads / spread), np.array([row.won for row in rows]))
    return 1 / (1 + math.exp(-level))


def _logistic(x: np.ndarray, won: np.ndarray) -> tuple[float, float]:
    """Intercept and slope; a tie is half a win and half a loss."""
    from sklearn.linear_model import LogisticRegression

    if np.all(won == 1) or np.all(won == 0):
        # No fit has an end: one game more on each side keeps it finite, as Laplace's rule does.
        x, won = np.append(x, [0.0, 0.0]), np.append(won, [1.0, 0.0])
    outcomes = np.repeat([1, 0], len(x))
    fit = LogisticRegression(C=1.0)
    fit.fit(np.tile(x, 2)[:, None], outcomes, sample_weight=np.concatenate([won, 1 - won]))
    return float(fit.intercept_[0]), float(fit.coef_[0, 0])


def _book(
    episode: Episode,
    sides: Mapping[int, str],
    judges: Mapping[str, str],
    own: list[tuple[str, float]],
    neutral: list[tuple[str, float]],
) -> None:
    kin = {kind for kind in judges.values() if kind in sides.values()}
    for answer, kind in sides.items():
        if kind not in kin or answer is None:
            continue
        for name, judged_by in judges.items():
            worth = credit(pooled(episode, name), answer)
            if worth is not None and judged_by == kind:
                own.append((episode.question.id, worth))
            elif worth is not None and judged_by not in sides.values():
                neutral.append((episode.question.id, worth))
