from __future__ import annotations

import math

import numpy as np
import pytest

from debate_gym.eval.matches import Match
from debate_gym.eval.ratings import rate
from debate_gym.eval.skill import agreement, skills
from debate_gym.eval.swiss import swiss_pairing


def test_one_game_by_the_published_update() -> None:
    """Herbrich et al. 2006: equal players, c^2 = 2 beta^2 + 2 sigma^2, v = phi(0) / Phi(0)."""
    sigma, beta = 25 / 3, 25 / 6
    tau = sigma / 100
    before = sigma**2 + tau**2
    c = math.sqrt(2 * beta**2 + 2 * before)
    gain = before / c * math.sqrt(2 / math.pi)
    found = skills([Match("x", "y", 1, 1)])
    assert list(found) == ["x", "y"]
    assert found["x"].mu == pytest.approx(25 + gain, abs=1e-3)
    assert found["y"].mu == pytest.approx(25 - gain, abs=1e-3)
    assert found["x"].sigma < sigma


def test_ties_bring_players_together_and_order_changes_nothing() -> None:
    matches = [Match("x", "y", 8, 10), Match("z", "x", 2.5, 5), Match("y", "z", 1, 4)]
    found = skills(matches)
    turned = [Match(m.b, m.a, m.games - m.wins_a, m.games) for m in reversed(matches)]
    assert skills(turned) == found
    drawn = skills([Match("x", "y", 5, 10), Match("x", "y", 0.5, 1)])
    assert abs(drawn["x"].mu - drawn["y"].mu) < 3


def test_it_agrees_with_elo_on_a_tournament_like_that_of_the_paper() -> None:
    """20 players, four Swiss rounds of 291 questions with both assignments: P24 table D.5 finds
    Pearson's r of 0.989 to 0.998 on its own games, which are not public."""
    rng = np.random.default_rng(0)
    strength = dict(zip([f"p{i:02}" for i in range(20)], rng.normal(0, 120, 20), strict=True))
    scores, met, matches = dict.fromkeys(strength, 0.0), set(), []
    for _ in range(4):
        for a, b in swiss_pairing(list(strength), scores, met).pairs:
            won = int(rng.binomial(582, 1 / (1 + 10 ** ((strength[b] - strength[a]) / 400))))
            matches.append(Match(a, b, won, 582))
            met.add(frozenset((a, b)))
            scores[a if won > 291 else b] += 1
    assert len(matches) == 40
    elo = {name: r.rating for name, r in rate(matches, draws=0).players.items()}
    mus = {name: skill.mu for name, skill in skills(matches).items()}
    assert agreement(elo, mus) > 0.95
    assert agreement(elo, strength) > 0.97


def test_agreement_by_hand() -> None:
    assert agreement({"a": 1, "b": 2, "c": 3}, {"a": 10, "b": 30, "c": 20}) == pytest.approx(0.5)
    assert math.isnan(agreement({"a": 1.0}, {"a": 2.0}))
    with pytest.raises(ValueError, match="same players"):
        agreement({"a": 1.0}, {"b": 1.0})
