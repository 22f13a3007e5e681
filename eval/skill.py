"""TrueSkill beside Elo, as P24 section D.5 does: the library `trueskill`, one game at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from debate_gym.eval.elo_fit import Pairs, collect
from debate_gym.eval.matches import Match


@dataclass(frozen=True, slots=True)
class Skill:
    """Mean and standard deviation of a player's skill; players start at 25 and 25 / 3."""

    mu: float
    sigma: float


def skills(matches: Sequence[Match], seed: int = 0) -> dict[str, Skill]:
    """Rates all players, best first.

    TrueSkill depends on the order of the games. They are played in an order drawn from `seed`
    after sorting, so that the order of the matches changes nothing; the whole wins of a pair are
    games won, and what is left of a win is a draw.
    """
    import trueskill

    pairs = collect(matches)
    games = np.array(list(_games(pairs)), dtype=np.int64).reshape(-1, 3)
    np.random.default_rng(seed).shuffle(games)
    draws = float((games[:, 2] == 1).mean()) if len(games) else 0.0
    world = trueskill.TrueSkill(draw_probability=min(max(draws, 1e-6), 1 - 1e-6))
    rated = [world.create_rating() for _ in pairs.names]
    for winner, loser, drawn in games.tolist():
        rated[winner], rated[loser] = trueskill.rate_1vs1(
            rated[winner], rated[loser], drawn=bool(drawn), env=world
        )
    found = {name: Skill(r.mu, r.sigma) for name, r in zip(pairs.names, rated, strict=True)}
    return dict(sorted(found.items(), key=lambda item: (-item[1].mu, item[0])))


def agreement(ratings: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Pearson's r of two ratings of the same players, in [-1, 1] (P24 section D.5); NaN for fewer
    than two players, or where all are rated alike.

    Raises:
        ValueError: if the players are not the same.
    """
    if ratings.keys() != other.keys():
        raise ValueError(f"expected the same players, got {sorted(ratings)} and {sorted(other)}")
    names = sorted(ratings)
    one, two = (np.array([values[name] for name in names]) for values in (ratings, other))
    if len(names) < 2 or not (np.ptp(one) and np.ptp(two)):
        return math.nan
    return float(np.corrcoef(one, two)[0, 1])


def _games(pairs: Pairs) -> Iterator[tuple[int, int, int]]:
    """Winner, loser, and 1 for a draw."""
    for i, j, won, played in zip(pairs.first, pairs.second, pairs.wins, pairs.games, strict=True):
        wins, losses = math.floor(won), math.floor(played - won)
        yield from [(int(i), int(j), 0)] * wins
        yield from [(int(j), int(i), 0)] * losses
        yield from [(int(i), int(j), 1)] * math.ceil(played - wins - losses - 1e-9)
