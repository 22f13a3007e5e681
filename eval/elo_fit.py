"""Fits Elo ratings to win rates: the two published objectives, with a prior.

Ratings are fitted in logits, t = E ln(10) / S, so that the expected win rate of i over j is
sigma(t_i - t_j) (P24 section D.5, K24 appendix E).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from debate_gym.envs.names import unknown
from debate_gym.eval.matches import Match

LOSSES = ("squared", "nll")
WEIGHTS = ("pairs", "games")
DEFAULT_WEIGHTS = {"squared": "pairs", "nll": "games"}
STANDSTILL = 1e-12
SLOPE = 1e-8
LARGEST_GRADIENT = 1e-5
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Data = tuple[Ints, Ints, Floats, Floats, float]


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is known of each pair that met, P pairs of the players in `names`.

    Attributes:
        names: all players, sorted.
        first, second: (P,) indices into `names`, first < second; sorted, so that the order of the
            matches changes nothing.
        wins, games: (P,) or (draws, P), of `first`.
    """

    names: tuple[str, ...]
    first: Ints
    second: Ints
    wins: Floats
    games: Floats


def collect(matches: Sequence[Match]) -> Pairs:
    """Adds up the games of each pair; games of a player against itself are left out."""
    names = tuple(sorted({name for match in matches for name in (match.a, match.b)}))
    order, wins, games = pair_sums(matches, names)
    first, second = (np.array([pair[i] for pair in order], np.int64) for i in range(2))
    return Pairs(names, first, second, wins, games)


def pair_sums(
    matches: Sequence[Match], names: Sequence[str]
) -> tuple[list[tuple[int, int]], Floats, Floats]:
    """Pairs in order, and for each the wins of its first player and the games."""
    index = {name: i for i, name in enumerate(names)}
    sums: dict[tuple[int, int], list[float]] = {}
    for match in matches:
        i, j = index[match.a], index[match.b]
        if i == j or not match.games:
            continue
        won = match.wins_a if i < j else match.games - match.wins_a
        cell = sums.setdefault((min(i, j), max(i, j)), [0.0, 0.0])
        cell[0] += won
        cell[1] += match.games
    order = sorted(sums)
    table = np.array([sums[pair] for pair in order], float).reshape(-1, 2)
    return order, table[:, 0], table[:, 1]


@dataclass(frozen=True, slots=True)
class Objective:
    """What is minimised over t, with r the observed and w = sigma(t_i - t_j) the expected win rate
    of each pair and c its weight:

        squared: sum of c (w - r)^2                                   (P24 section D.5)
        nll:     sum of -c (r log w + (1 - r) log(1 - w))             (K24 appendix E)

    plus the prior: for each player `prior` / G times t^2 / 16 (squared) or t^2 / 8 (nll), G being
    the mean number of games of a pair. That is, to second order, what `prior` drawn games against
    a phantom rated 0 would add. It makes the minimum finite for players that always win, always
    lose or never meet, and weighs little beside the games of all others.

    Attributes:
        weights: `pairs` (c = 1, whatever the number of games, as P24 prints it) or `games`
            (c = games / G, which for nll makes it the likelihood of the games).

    Raises:
        ValueError: on an unknown loss or weighting, or a negative prior.
    """

    loss: str
    weights: str
    prior: float

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise ValueError(unknown("loss", self.loss, LOSSES))
        if self.weights not in WEIGHTS:
            raise ValueError(unknown("weighting", self.weights, WEIGHTS))
        if not 0 <= self.prior < np.inf:
            raise ValueError(f"prior must be a number of games, 0 or more, got {self.prior}")

    def fit(self, pairs: Pairs, start: Floats | None = None) -> Floats:
        """Minimises, for squared by Levenberg and Marquardt, which gets on where the error is
        flat, for nll by BFGS.

        Args:
            pairs: with `wins` and `games` of shape (P,).
            start: (N,) where to begin; all 0 if None, as P24 does.

        Returns:
            (N,) ratings in logits; with prior 0 their mean is 0.

        Raises:
            ArithmeticError: if no minimum was found.
        """
        begin = np.zeros(len(pairs.names)) if start is None else start
        data = (pairs.first, pairs.second, pairs.wins / np.maximum(pairs.games, 1e-300))
        search = self._least_squares if self.loss == "squared" else self._most_likely
        found, slope = search(begin, (*data, *self._weights(pairs)))
        steepest = np.abs(slope).max(initial=0)
        if not (np.isfinite(found).all() and steepest < LARGEST_GRADIENT):
            raise ArithmeticError(f"no {self.loss} ratings fit: the gradient stays {steepest:.1e}")
        return found if self.prior else found - found.mean()

    def _least_squares(self, begin: Floats, data: Data) -> tuple[Floats, Floats]:
        from scipy.optimize import least_squares

        limits = dict.fromkeys(("ftol", "xtol", "gtol"), STANDSTILL)
        slopes: Any = _miss_slopes
        found = least_squares(_misses, begin, slopes, method="lm", args=data, **limits)
        return np.asarray(found.x), np.asarray(found.grad)

    def _most_likely(self, begin: Floats, data: Data) -> tuple[Floats, Floats]:
        from scipy.optimize import minimize

        found = minimize(_surprise, begin, data, method="BFGS", jac=True, options={"gtol": SLOPE})
        return np.asarray(found.x), np.asarray(found.jac)

    def _weights(self, pairs: Pairs) -> tuple[Floats, float]:
        """c of each pair, and that of the phantom."""
        mean_games = float(pairs.games.mean()) if pairs.games.any() else 1.0
        by_games = self.weights == "games"
        share = pairs.games / mean_games if by_games else (pairs.games > 0).astype(np.float64)
        return np.asarray(share, np.float64), self.prior / mean_games


def _misses(
    t: Floats, first: Ints, second: Ints, rates: Floats, share: Floats, prior: float
) -> Floats:
    """(P + N,) weighted differences of expected and observed win rates."""
    pairs = np.sqrt(share) * (_sigma(t[first] - t[second]) - rates)
    return np.concatenate([pairs, np.sqrt(prior / 16) * t])


def _miss_slopes(
    t: Floats, first: Ints, second: Ints, rates: Floats, share: Floats, prior: float
) -> Floats:
    """(P + N, N) derivatives of `_misses`."""
    slopes, rows = np.zeros((len(first) + len(t), len(t))), np.arange(len(first))
    expected = _sigma(t[first] - t[second])
    bend = np.sqrt(share) * expected * (1 - expected)
    slopes[rows, first], slopes[rows, second] = bend, -bend
    slopes[len(first) :][np.diag_indices(len(t))] = np.sqrt(prior / 16)
    return slopes


def _surprise(
    t: Floats, first: Ints, second: Ints, rates: Floats, share: Floats, prior: float
) -> tuple[float, Floats]:
    """Negative log-likelihood and its derivative."""
    gap = t[first] - t[second]
    value = share @ (np.logaddexp(0, -gap) + (1 - rates) * gap)
    miss = share * (_sigma(gap) - rates)
    slope = np.bincount(first, miss, len(t)) - np.bincount(second, miss, len(t))
    return float(value + prior * (t @ t) / 8), slope + prior * t / 4


def _sigma(gap: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(gap, -500, 500))))
