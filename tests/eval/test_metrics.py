from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.nouns import (
    Episode,
    Outcome,
    Passage,
    PassageStatus,
    Question,
    SeatRecord,
    Turn,
    Verdict,
)
from debate_gym.envs.verdict import failed_verdict, make_verdict
from debate_gym.eval import metrics


def episode(question: str, first: float | None, correct: int = 0, **models: str) -> Episode:
    item = Question(question, "t", "?", ("a", "b"), correct)
    p = None if first is None else (first, 1 - first)
    verdict: Verdict = make_verdict("j", (0, 1), p, item)
    seats = {
        seat: SeatRecord(model, "", i) for i, (seat, model) in enumerate(sorted(models.items()))
    }
    return Episode(f"{question}", item, "debate", "", seats, (), (verdict,), 0, "h")


def test_accuracy_by_hand() -> None:
    episodes = [episode("1", 0.9), episode("2", 0.5), episode("3", 0.2), episode("4", None)]
    estimate = metrics.accuracy(episodes)
    assert (estimate.value, estimate.n) == (0.5, 3)
    half = 1.959964 * math.sqrt(0.25 / 3)
    assert estimate.low == pytest.approx(max(0, 0.5 - half))
    assert estimate.high == pytest.approx(min(1, 0.5 + half))


def test_episodes_of_one_question_count_once() -> None:
    estimate = metrics.accuracy([episode("1", 0.9)] * 5 + [episode("2", 0.1)])
    assert (estimate.value, estimate.n) == (0.5, 2)


def test_win_rate_looks_at_the_seat_of_the_policy() -> None:
    episodes = [
        episode("1", 0.9, debater_0="x", debater_1="y"),
        episode("1", 0.9, debater_0="y", debater_1="x"),
        episode("2", 0.9, debater_0="x", debater_1="y"),
    ]
    assert metrics.win_rate(episodes, "x@").value == pytest.approx(0.75)
    assert metrics.win_rate(episodes, "y@").value == pytest.approx(0.25)
    with pytest.raises(ValueError, match="fills 0 seats"):
        metrics.win_rate(episodes, "z@")


def test_nothing_is_undefined_and_says_so() -> None:
    assert math.isnan(metrics.accuracy([]).value)
    assert math.isnan(metrics.accuracy([episode("1", None)]).value)
    assert math.isnan(metrics.accuracy([episode("1", 0.9)]).low)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=30), st.booleans())
def test_outcomes_add_up_to_n(shares: list[float | None], fail: bool) -> None:
    episodes = [episode(str(i), share) for i, share in enumerate(shares)]
    if fail:
        broken = episode("x", None)
        episodes.append(
            Episode("x", broken.question, "debate", "", {}, (), (failed_verdict("j"),), 0, "h")
        )
    counts = metrics.outcome_counts(episodes)
    assert sum(counts.values()) == len(episodes)
    assert list(counts) == list(Outcome)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_relabelling_changes_no_accuracy(shares: list[float]) -> None:
    plain = [episode(str(i), share) for i, share in enumerate(shares)]
    flipped = [episode(str(i), 1 - share, correct=1) for i, share in enumerate(shares)]
    assert metrics.accuracy(plain).value == pytest.approx(metrics.accuracy(flipped).value)


def consultancy(question: str, side: int, first: float | None) -> Episode:
    """A consultant that argues `side` of a question whose correct answer is 0."""
    return replace(
        episode(question, first), protocol="consultancy", seats={"c": SeatRecord("m", "", side)}
    )


def test_consultants_by_side() -> None:
    episodes = [
        consultancy("1", 0, 0.9),
        consultancy("1", 1, 0.4),
        consultancy("2", 0, 0.5),
        consultancy("2", 1, None),
    ]
    assert metrics.side_win_rate(episodes, correct=True).value == pytest.approx(0.75)
    wrong = metrics.side_win_rate(episodes, correct=False)
    assert (wrong.value, wrong.n) == (1.0, 1)
    # Question 1: right and misled, 1/2; question 2: a tie, and the unreadable one is left out.
    assert metrics.accuracy(episodes).value == pytest.approx(0.5)


def turn(*found: bool) -> Turn:
    statuses = (PassageStatus.EXACT if f else PassageStatus.MISSING for f in found)
    passages = tuple(Passage("a b", status) for status in statuses)
    return Turn("debater_0", 0, "", "one two three", passages)


def test_verified_share_and_words_by_hand() -> None:
    spoken = replace(episode("1", 0.9), turns=(turn(True), turn(True, False), turn(), turn(True)))
    assert metrics.verified_share([spoken]).value == 0.5
    assert metrics.argument_words([spoken]) == 3
    assert math.isnan(metrics.argument_words([]))


def test_both_orders_of_a_judge_are_one_verdict() -> None:
    one = episode("1", 0.9)
    other = make_verdict("j", (1, 0), (0.2, 0.8), one.question)
    both = replace(one, verdicts=(*one.verdicts, other))
    assert metrics.accuracy([both]).value == 1.0
    assert metrics.outcome_counts([both])[Outcome.CORRECT] == 1
    assert metrics.order_dependent_share([both, episode("2", 0.9)]).value == 0.5


def test_several_judges_must_be_told_apart() -> None:
    one = episode("1", 0.9)
    two = replace(
        one, verdicts=(*one.verdicts, make_verdict("k", (0, 1), (0.2, 0.8), one.question))
    )
    assert metrics.accuracy([two], "k").value == 0.0
    with pytest.raises(ValueError, match="verdicts of one judge"):
        metrics.accuracy([two])


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1)), max_size=20))
def test_the_interval_stays_in_its_range(pairs: list[tuple[int, float]]) -> None:
    estimate = metrics.mean_over_questions((str(question), value) for question, value in pairs)
    assert estimate.n == len({question for question, _ in pairs})
    if estimate.n > 1:
        assert 0 <= estimate.low <= estimate.value + 1e-12
        assert estimate.value - 1e-12 <= estimate.high <= 1


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=20), st.randoms())
def test_the_order_of_episodes_changes_nothing(
    drawn: list[tuple[int, float]], random: Random
) -> None:
    episodes = [episode(str(question), first) for question, first in drawn]
    shuffled = random.sample(episodes, len(episodes))
    assert metrics.outcome_counts(shuffled) == metrics.outcome_counts(episodes)
    assert metrics.accuracy(shuffled).value == pytest.approx(
        metrics.accuracy(episodes).value, nan_ok=True
    )


@given(st.lists(st.floats(0, 1), max_size=20))
def test_win_rates_of_two_policies_add_up_to_one(shares: list[float]) -> None:
    episodes = [episode(str(i), p, debater_0="x", debater_1="y") for i, p in enumerate(shares)]
    total = metrics.win_rate(episodes, "x@").value + metrics.win_rate(episodes, "y@").value
    assert total == pytest.approx(1.0) or not shares
