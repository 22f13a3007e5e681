"""Metrics over episodes: the same code for training callbacks and for reports.

Verdicts are read with the answer orders averaged first. A tie counts one half; unreadable and
failed episodes are left out of a mean and counted beside it. Intervals are 95 % normal intervals
over questions (K24 appendix D): the episodes of one question are averaged before anything else,
because they are not independent.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from debate_gym.envs.nouns import Episode, Outcome, Verdict
from debate_gym.envs.verdict import average_orders, order_dependent

Z = 1.959964


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval, all as fractions.

    Attributes:
        value, low, high: NaN when n is 0; low and high are NaN when n is 1.
        n: questions that the mean runs over.
    """

    value: float
    low: float
    high: float
    n: int


def mean_over_questions(pairs: Iterable[tuple[str, float]]) -> Estimate:
    """Mean of per-question means.

    Args:
        pairs: (question id, value in [0, 1]); the interval is clipped to that range.
    """
    means = list(question_means(pairs).values())
    n = len(means)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = sum(means) / n
    if n == 1:
        return Estimate(mean, math.nan, math.nan, 1)
    variance = sum((value - mean) ** 2 for value in means) / (n - 1)
    half = Z * math.sqrt(variance / n)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), n)


def question_means(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean value of each question, by its id, in order of first appearance."""
    grouped: dict[str, list[float]] = defaultdict(list)
    for question, value in pairs:
        grouped[question].append(value)
    return {question: sum(values) / len(values) for question, values in grouped.items()}


def pooled(episode: Episode, judge: str | None = None) -> Verdict:
    """The episode's verdict with the answer orders averaged.

    Args:
        judge: whose verdict; the episode's only judge if None.

    Raises:
        ValueError: if that judge is not there, or None was given and there are several.
    """
    verdicts = [v for v in episode.verdicts if judge is None or v.judge == judge]
    return average_orders(verdicts, episode.question.correct)


def outcome_counts(episodes: Iterable[Episode], judge: str | None = None) -> dict[Outcome, int]:
    """How often each outcome came; the five add up to the number of episodes."""
    counted = Counter(pooled(episode, judge).outcome for episode in episodes)
    return {outcome: counted[outcome] for outcome in Outcome}


def accuracy(episodes: Iterable[Episode], judge: str | None = None) -> Estimate:
    """How often the judge picks the correct answer."""
    return _share(episodes, lambda episode: episode.question.correct, judge)


def question_accuracy(episodes: Iterable[Episode], judge: str | None = None) -> dict[str, float]:
    """The accuracy of each question, by its id: what paired tests and resampling work on.

    Questions without a readable verdict are left out.
    """
    return question_means(_values(episodes, lambda episode: episode.question.correct, judge))


def credit(verdict: Verdict, answer: int) -> float | None:
    """What a verdict is worth to an answer: 1, 0, one half on a tie, None without a verdict."""
    if verdict.outcome in (Outcome.UNREADABLE, Outcome.FAILED):
        return None
    return 0.5 if verdict.choice is None else float(verdict.choice == answer)


def win_rate(episodes: Iterable[Episode], model: str, judge: str | None = None) -> Estimate:
    """How often the judge picks the answer that a policy argued (P24 equations 1 and 2).

    Args:
        episodes: in which exactly one seat is `model@revision`; both assignments of each question
            should be there, so that the pull of the correct answer cancels out.

    Raises:
        ValueError: if a policy fills no seat of an episode, or more than one.
    """
    return _share(episodes, lambda episode: answer_of(episode, model), judge)


def side_win_rate(
    episodes: Sequence[Episode], *, correct: bool, judge: str | None = None
) -> Estimate:
    """How often a consultant convinces the judge, on the episodes in which its side is (or is
    not) the correct one."""
    chosen = [
        episode
        for episode in episodes
        if (_only_answer(episode) == episode.question.correct) is correct
    ]
    return _share(chosen, _only_answer, judge)


def verified_share(episodes: Iterable[Episode]) -> Estimate:
    """Share of speeches that quote, and whose passages are all verified.

    A turn without a passage counts as zero: silence is no evidence.
    """
    return mean_over_questions(
        (episode.question.id, float(bool(turn.passages) and all(p.verified for p in turn.passages)))
        for episode in episodes
        for turn in episode.turns
        if turn.speech
    )


def order_dependent_share(episodes: Iterable[Episode]) -> Estimate:
    """Share of episodes whose verdict changes with the order of the answers."""
    return mean_over_questions(
        (episode.question.id, float(order_dependent(episode.verdicts))) for episode in episodes
    )


def argument_words(episodes: Iterable[Episode]) -> float:
    """Mean number of words of a speech; NaN without speeches."""
    turns = (turn for episode in episodes for turn in episode.turns if turn.speech)
    lengths = [len(turn.argument.split()) for turn in turns]
    return sum(lengths) / len(lengths) if lengths else math.nan


def player(model: str, revision: str) -> str:
    """The name under which `win_rate` knows a policy."""
    return f"{model}@{revision}"


def answer_of(episode: Episode, model: str) -> int:
    """Index of the answer that a policy argued, by the name of `player`.

    Raises:
        ValueError: if it fills no arguing seat, or more than one.
    """
    answers = [
        record.answer
        for record in episode.seats.values()
        if player(record.model, record.revision) == model and record.answer is not None
    ]
    if len(answers) != 1:
        raise ValueError(f"episode {episode.id!r}: {model!r} fills {len(answers)} seats, not one")
    return answers[0]


def _share(
    episodes: Iterable[Episode], answer: Callable[[Episode], int], judge: str | None
) -> Estimate:
    return mean_over_questions(_values(episodes, answer, judge))


def _values(
    episodes: Iterable[Episode], answer: Callable[[Episode], int], judge: str | None
) -> list[tuple[str, float]]:
    worth = ((e.question.id, credit(pooled(e, judge), answer(e))) for e in episodes)
    return [(question, value) for question, value in worth if value is not None]


def _only_answer(episode: Episode) -> int:
    answers = [record.answer for record in episode.seats.values() if record.answer is not None]
    if len(answers) != 1:
        raise ValueError(f"episode {episode.id!r} has {len(answers)} arguing seats, not one")
    return answers[0]
