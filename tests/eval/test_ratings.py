from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from debate_gym.eval.matches import Match, split_sides
from debate_gym.eval.ratings import Ratings, rate

PLAYERS = ("a", "b", "c", "d")
STEP = 400 / math.log(10)


def published(matches: list[Match], loss: str, scale: float = 400) -> dict[str, float]:
    """The objective as the papers print it, minimised by BFGS without derivatives."""
    names = sorted({n for match in matches for n in (match.a, match.b)})

    def cost(elo: np.ndarray) -> float:
        total = 0.0
        for match in matches:
            gap = elo[names.index(match.b)] - elo[names.index(match.a)]
            expected, seen = 1 / (1 + 10 ** (gap / scale)), match.wins_a / match.games
            if loss == "squared":
                total += (expected - seen) ** 2
            else:
                total -= seen * math.log(expected) + (1 - seen) * math.log(1 - expected)
        return total

    found = minimize(cost, np.zeros(len(names)), method="BFGS", options={"gtol": 1e-9}).x
    return dict(zip(names, found - found.mean(), strict=True))


def values(ratings: Ratings) -> dict[str, float]:
    return {name: rating.rating for name, rating in ratings.players.items()}


@pytest.mark.parametrize("loss", ["squared", "nll"])
@pytest.mark.parametrize("scale", [400, 500])
def test_two_players_by_hand(loss: str, scale: float) -> None:
    # 75 %: 10^(gap / S) = 3.
    found = rate([Match("x", "y", 75, 100)], loss=loss, scale=scale, prior=0, draws=0)
    gap = found.players["x"].rating - found.players["y"].rating
    assert gap == pytest.approx(scale * math.log10(3), abs=1e-3)
    assert math.isnan(found.players["x"].low)


@pytest.mark.parametrize("loss", ["squared", "nll"])
def test_prior_0_is_the_published_estimator(loss: str) -> None:
    rng = np.random.default_rng(3)
    matches = [
        Match(a, b, int(rng.integers(20, 81)), 100)
        for i, a in enumerate(PLAYERS)
        for b in PLAYERS[:i]
    ]
    found = values(rate(matches, loss=loss, prior=0, draws=0))
    for name, rating in published(matches, loss).items():
        assert found[name] == pytest.approx(rating, abs=0.05)
    close = values(rate(matches, loss=loss, draws=0))
    assert all(abs(close[name] - found[name]) < 0.1 for name in PLAYERS)


def test_pairs_weigh_the_same_or_by_their_games() -> None:
    matches = [Match("a", "b", 60, 100), Match("b", "c", 6, 10), Match("c", "a", 500, 1000)]
    found = values(rate(matches, prior=0, draws=0))
    for name, rating in published(matches, "squared").items():
        assert found[name] == pytest.approx(rating, abs=0.05)
    # 1,000 games against 10: the even pair is nearly even.
    heavy = values(rate(matches, prior=0, draws=0, weights="games"))
    assert abs(heavy["a"] - heavy["c"]) < abs(found["a"] - found["c"]) / 5


@pytest.mark.parametrize("loss", ["squared", "nll"])
def test_extreme_players_are_finite_ordered_and_unsure(loss: str) -> None:
    matches = [
        Match("top", "x", 10, 10),
        Match("x", "y", 60, 100),
        Match("y", "bottom", 10, 10),
        Match("far", "away", 5, 10),
    ]
    found = rate(matches, loss=loss)
    order = [name for name in found.players if name not in ("far", "away")]
    assert order == ["top", "x", "y", "bottom"]
    for rating in found.players.values():
        assert math.isfinite(rating.rating)
        assert -3000 < rating.low <= rating.rating <= rating.high < 3000
    top, x = found.players["top"], found.players["x"]
    assert top.high - top.low > 2 * (x.high - x.low) > 0
    assert found.components == [["bottom", "top", "x", "y"], ["away", "far"]]
    text = " ".join(found.warnings)
    assert "2 groups of players that never met" in text
    assert "'top': never lost a game" in text
    assert "'bottom': never won a game" in text


@pytest.mark.parametrize("loss", ["squared", "nll"])
def test_more_wins_without_a_loss_rate_higher(loss: str) -> None:
    even = [Match("x", "y", 50, 100)]
    few = rate([*even, Match("t", "x", 2, 2)], loss=loss, draws=0, weights="games")
    many = rate([*even, Match("t", "x", 50, 50)], loss=loss, draws=0, weights="games")
    gaps = [r.players["t"].rating - r.players["x"].rating for r in (few, many)]
    assert 0 < gaps[0] < gaps[1]


@pytest.mark.parametrize(
    ("matches", "reason"),
    [
        ([Match("x", "y", 3, 3)], "never"),
        ([Match("x", "y", 1, 2), Match("u", "v", 1, 2)], "2 groups that never met"),
    ],
)
def test_prior_0_refuses_what_has_no_finite_rating(matches: list[Match], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        rate(matches, prior=0)


def test_the_interval_is_that_of_the_games() -> None:
    # Standard error of 75 of 100 in logits: 1 / sqrt(100 * 3 / 16) = 0.231, so 78.6 points of Elo.
    found = rate([Match("x", "y", 75, 100)], reference="y", draws=2000)
    rating = found.players["x"]
    assert rating.high - rating.low == pytest.approx(2 * 1.96 * 0.2309 * STEP, rel=0.1)
    assert found.players["y"].rating == found.players["y"].high == 0


def test_questions_are_resampled_whole() -> None:
    """Ten games of one question that always end alike are one observation, not ten."""
    alike = [Match("x", "y", 10 * (q % 2), 10, None, f"q{q}") for q in range(20)]
    apart = [Match("x", "y", g % 2, 1, None, f"q{g}") for g in range(200)]
    spread = [
        r.players["x"].high - r.players["x"].low
        for r in (rate(alike, reference="y"), rate(apart, reference="y"))
    ]
    assert spread[0] == pytest.approx(spread[1] * math.sqrt(10), rel=0.25)


def test_the_truth_has_an_advantage() -> None:
    """True strengths: each player 100 points better on the correct side."""
    true = {"x": 0.0, "y": 80.0, "z": -60.0}
    matches = [
        Match(a, b, 1000 / (1 + 10 ** ((true[b] - true[a] - 100) / 400)), 1000, "correct")
        for a in true
        for b in true
        if a != b
    ]
    split = rate(split_sides(matches), draws=20)
    for name in true:
        gap = split.difference(f"{name} (correct)", f"{name} (incorrect)")
        assert gap.rating == pytest.approx(100, abs=0.5)
        assert gap.low < 100 < gap.high


def test_uneven_assignments_and_own_games_are_warned_of() -> None:
    matches = [Match("x", "y", 1, 2, "correct"), Match("x", "x", 1, 2, "correct")]
    warnings = " ".join(rate(matches, draws=0).warnings)
    assert "against itself were left out" in warnings
    assert "both assignments" in warnings


def test_games_and_a_player_without_any() -> None:
    found = rate([Match("x", "y", 2, 4), Match("z", "x", 0, 0)], draws=10)
    assert {name: r.games for name, r in found.players.items()} == {"x": 4, "y": 4, "z": 0}
    assert found.players["z"].rating == 0
    assert math.isnan(found.players["z"].low)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "xx"}, "did you mean 'x'"),
        ({"scale": 0}, "scale must be a positive"),
        ({"loss": "square"}, "did you mean 'squared'"),
        ({"weights": "game"}, "did you mean 'games'"),
        ({"prior": -1}, "prior must be a number of games"),
        ({"draws": -1}, "must not be negative"),
    ],
)
def test_wrong_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rate([Match("x", "y", 1, 2)], **options)  # type: ignore[arg-type]


results = st.lists(
    st.tuples(
        st.sampled_from(PLAYERS), st.sampled_from(PLAYERS), st.integers(0, 8), st.integers(0, 8)
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=8,
).map(lambda rows: [Match(a, b, won, won + lost) for a, b, won, lost in rows])


@settings(deadline=None, max_examples=25)
@given(results, st.sampled_from(["squared", "nll"]), st.permutations(PLAYERS))
def test_swapping_names_swaps_ratings(matches: list[Match], loss: str, shuffled: list[str]) -> None:
    other = dict(zip(PLAYERS, shuffled, strict=True))
    renamed = [Match(other[m.a], other[m.b], m.wins_a, m.games) for m in matches]
    before, after = (
        values(rate(matches, loss=loss, draws=0)),
        values(rate(renamed, loss=loss, draws=0)),
    )
    assert {other[name]: pytest.approx(v, abs=0.1) for name, v in before.items()} == after


@settings(deadline=None, max_examples=25)
@given(results, st.sampled_from(["squared", "nll"]), st.randoms())
def test_order_and_point_of_view_change_nothing(
    matches: list[Match], loss: str, random: Random
) -> None:
    turned = [Match(m.b, m.a, m.games - m.wins_a, m.games) for m in matches]
    random.shuffle(turned)
    assert rate(matches, loss=loss, draws=3).players == rate(turned, loss=loss, draws=3).players


@settings(deadline=None, max_examples=25)
@given(results, st.sampled_from(["squared", "nll"]))
def test_ratings_are_always_finite_and_inside_their_interval(
    matches: list[Match], loss: str
) -> None:
    for rating in rate(matches, loss=loss, draws=5).players.values():
        assert math.isfinite(rating.rating)
        if rating.games:
            assert rating.low <= rating.rating <= rating.high
