from __future__ import annotations

import pytest

from debate_gym.eval.cycles import dominance, wilson_low
from debate_gym.eval.matches import Match


def test_wilson_by_hand() -> None:
    # 1 of 1: z^2 / (1 + z^2) is the upper end's distance, the lower end is 1 / (1 + z^2).
    assert wilson_low(1, 1) == pytest.approx(1 / (1 + 1.959964**2))
    assert wilson_low(0, 5) == pytest.approx(0)
    assert wilson_low(0, 0) == 0


def test_a_circle_is_flagged() -> None:
    circle = [Match("c", "a", 70, 100), Match("a", "b", 70, 100), Match("b", "c", 70, 100)]
    found = dominance([*circle, Match("a", "weak", 90, 100)])
    assert found.cyclic
    assert found.cycles == (("a", "b", "c"),)
    assert found.beats == (("a", "b"), ("a", "weak"), ("b", "c"), ("c", "a"))


def test_an_order_is_none() -> None:
    order = [Match("a", "b", 70, 100), Match("b", "c", 70, 100), Match("a", "c", 70, 100)]
    assert not dominance(order).cyclic


def test_unsure_wins_make_no_circle() -> None:
    circle = [Match("a", "b", 6, 10), Match("b", "c", 6, 10), Match("c", "a", 6, 10)]
    assert dominance(circle).beats == ()
    assert not dominance(circle).cyclic


def test_the_shortest_circle_is_shown() -> None:
    wins = ["ab", "bc", "cd", "da", "ca"]
    found = dominance([Match(one, other, 90, 100) for one, other in wins])
    assert found.cycles == (("a", "b", "c"),)
