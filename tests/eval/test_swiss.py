from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_gym.eval.swiss import round_robin, swiss_pairing, swiss_rounds


@pytest.mark.parametrize(
    ("players", "rounds"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (20, 5), (32, 5)]
)
def test_rounds(players: int, rounds: int) -> None:
    assert swiss_rounds(players) == rounds


def test_neighbours_meet_in_order_of_score_then_seed() -> None:
    assert swiss_pairing("abcd", {}, set()).pairs == (("a", "b"), ("c", "d"))
    scores = {"d": 2.0, "a": 1.0, "c": 1.0, "b": 0.0}
    assert swiss_pairing("abcd", scores, set()).pairs == (("d", "a"), ("c", "b"))


def test_no_rematch_even_where_greedy_pairing_gets_stuck() -> None:
    # Greedy takes a-b and leaves c-d, who have met.
    pairing = swiss_pairing("abcd", {}, {frozenset("cd")})
    assert pairing.pairs == (("a", "c"), ("b", "d"))
    assert pairing.byes == ()


def test_the_last_without_a_bye_rests() -> None:
    assert swiss_pairing("abc", {}, set()).byes == ("c",)
    assert swiss_pairing("abc", {}, set(), {"c": 1}).byes == ("b",)
    assert swiss_pairing("abc", {}, set(), {"a": 1, "b": 1, "c": 1}).byes == ("c",)


def test_who_has_met_everybody_rests() -> None:
    met = {frozenset(pair) for pair in ("ab", "ac", "ad")}
    pairing = swiss_pairing("abcd", {}, met)
    assert pairing.pairs == (("b", "c"),)
    assert pairing.byes == ("a", "d")


def test_names_must_differ() -> None:
    with pytest.raises(ValueError, match="named twice"):
        swiss_pairing(["a", "a"], {}, set())
    with pytest.raises(ValueError, match="named twice"):
        round_robin(["a", "a"])


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 13), st.data())
def test_swiss_rounds_never_repeat_a_pair(players: int, data: st.DataObject) -> None:
    names = [f"p{i:02}" for i in range(players)]
    met: set[frozenset[str]] = set()
    rested: dict[str, int] = {}
    for _ in range(swiss_rounds(players)):
        scores = dict.fromkeys(names, 0.0) | data.draw(
            st.dictionaries(st.sampled_from(names), st.integers(0, 4).map(float))
        )
        pairing = swiss_pairing(names, scores, met, rested)
        new = {frozenset(pair) for pair in pairing.pairs}
        assert not new & met
        assert len(new) == players // 2
        playing = [name for pair in pairing.pairs for name in pair]
        assert sorted([*playing, *pairing.byes]) == names
        assert len(pairing.byes) == players % 2
        met |= new
        for name in pairing.byes:
            rested[name] = rested.get(name, 0) + 1
    assert max(rested.values(), default=0) <= 1


@given(st.integers(2, 12))
def test_round_robin_is_everybody_once(players: int) -> None:
    names = [f"p{i:02}" for i in range(players)]
    rounds = round_robin(names)
    assert len(rounds) == players - 1 + players % 2
    seen = [frozenset(pair) for pairing in rounds for pair in pairing.pairs]
    assert sorted(map(sorted, seen)) == sorted(map(list, combinations(names, 2)))
    for pairing in rounds:
        playing = [name for pair in pairing.pairs for name in pair]
        assert sorted([*playing, *pairing.byes]) == names
