from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.nouns import Episode, Outcome, Question, SeatRecord, Verdict
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
