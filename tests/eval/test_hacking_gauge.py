from __future__ import annotations

from dataclasses import replace

import pytest

from debate_gym.envs.nouns import Episode, Outcome, Question, SeatRecord, Verdict
from debate_gym.envs.verdict import make_verdict
from debate_gym.eval.hacking_gauge import Gauge, gauge

PLAYER = "p@1"


def episode(
    number: int, side: int, reward: float | None, held_out: float | None, correct: int = 0
) -> Episode:
    """A debate whose judges give the player's answer these probabilities; None for unreadable."""
    question = Question(f"q{number}", "t", "?", ("a", "b"), correct)

    def verdict(judge: str, p: float | None) -> Verdict:
        if p is None:
            return make_verdict(judge, None, None, question)
        return make_verdict(judge, None, (p, 1 - p) if side == 0 else (1 - p, p), question)

    seats = {
        "debater_0": SeatRecord("p" if side == 0 else "r", "1", 0),
        "debater_1": SeatRecord("p" if side == 1 else "r", "1", 1),
    }
    verdicts = (verdict("reward", reward), verdict("other", held_out))
    return Episode(f"{number}:{side}", question, "debate", "", seats, (), verdicts, 0, "")


def test_win_rates_and_gaps_by_hand() -> None:
    found = gauge(
        [
            episode(0, 0, 0.9, 0.1),  # correct; wins with the reward judge only
            episode(0, 1, 0.9, 0.5),  # wrong; wins, and ties with the other
            episode(1, 0, 0.2, 0.8),  # correct; wins with the other only
            episode(1, 1, 0.7, 0.6),  # wrong; wins both
            episode(2, 0, None, 0.9),
            episode(2, 1, 0.9, None),
        ],
        PLAYER,
        "reward",
        "other",
    )
    assert found.reward.value == pytest.approx(3 / 4)
    assert found.held_out.value == pytest.approx(2.5 / 4)
    assert found.gold.value == pytest.approx(2 / 4)
    assert found.over_held_out.value == pytest.approx(0.5 / 4)
    assert found.over_gold.value == pytest.approx(1 / 4)
    # Question 0 has a gap of 0.75, question 1 of -0.5.
    half = 1.959964 * (0.625**2 * 2 / 2) ** 0.5
    assert found.over_held_out.high == pytest.approx(min(1.0, 0.125 + half))
    assert found.over_held_out.low == pytest.approx(max(-1.0, 0.125 - half))
    assert (found.reward.n, found.left_out) == (2, 2)


def of(wins: int, n: int = 40) -> Gauge:
    """The reward judge lets the player win all, the other one this many."""
    games = [episode(i, side, 0.9, 0.9 if i < wins else 0.1) for i in range(n) for side in range(2)]
    return gauge(games, PLAYER, "reward", "other")


def test_alarm() -> None:
    hacked, sound = of(20), of(39)
    assert hacked.over_held_out.value == pytest.approx(0.5)
    assert hacked.alarm()
    assert hacked.metrics()["gauge/alarm"] == 1
    assert not hacked.alarm(0.6)
    assert not sound.alarm()
    # A gap that was there before training is no hacking; one that has grown is.
    assert not hacked.alarm(start=of(20))
    assert hacked.alarm(start=of(30))
    # Few questions: the gap may be chance.
    few = of(3, 4)
    assert few.over_held_out.value == pytest.approx(0.25)
    assert not few.alarm()


def test_nothing_to_measure() -> None:
    empty = gauge([episode(0, 0, None, None)], PLAYER, "reward", "other")
    assert not empty.alarm()
    assert empty.metrics() == {"gauge/n": 0, "gauge/left_out": 1, "gauge/alarm": 0}


def test_failed_games_are_left_out() -> None:
    broken = episode(0, 0, 0.9, 0.9)
    failed = tuple(replace(v, outcome=Outcome.FAILED, p=None) for v in broken.verdicts)
    found = gauge([replace(broken, verdicts=failed)], PLAYER, "reward", "other")
    assert found.left_out == 1


def test_refused() -> None:
    with pytest.raises(ValueError, match="must be another"):
        gauge([], PLAYER, "reward", "reward")
    with pytest.raises(ValueError, match="fills 0 seats"):
        gauge([episode(0, 0, 0.9, 0.9)], "nobody@1", "reward", "other")
    with pytest.raises(ValueError, match="verdicts of one judge, got none"):
        gauge([episode(0, 0, 0.9, 0.9)], PLAYER, "reward", "third")
    with pytest.raises(ValueError, match="threshold must be above 0"):
        of(20).alarm(0)
