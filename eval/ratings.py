"""Elo ratings with intervals that stay finite and say how sure they are.

A rating E means an expected win rate of 1 / (1 + 10^((E_j - E_i) / S)) against player j: S = 400
and the squared error in P24 (section D.5), S = 500 and the likelihood in K24 (appendix E).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.eval.connection import components, open_ends, strong_parts
from debate_gym.eval.elo_fit import DEFAULT_WEIGHTS, Floats, Objective, Pairs, collect, pair_sums
from debate_gym.eval.matches import Match, unbalanced

PRIOR = 0.01
LEVEL = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's rating.

    Attributes:
        low, high: 95 % interval of the bootstrap, always around `rating`; NaN without draws, and
            for a player without a game.
        games: played, with a readable verdict.
    """

    rating: float
    low: float
    high: float
    games: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of all players.

    Attributes:
        players: by name, best first.
        components: players of different ones never met, directly or through others: the distance
            between them is the prior's alone.
        warnings: sentences for people.
        names, draws: (draws, N) ratings of the bootstrap, for the players in `names`.
    """

    players: dict[str, Rating]
    components: list[list[str]]
    warnings: list[str]
    names: tuple[str, ...]
    draws: Floats

    def difference(self, one: str, other: str) -> Rating:
        """Rating of `one` minus that of `other`, with its interval; `games` are the lesser's."""
        i, j = self.names.index(one), self.names.index(other)
        value = self.players[one].rating - self.players[other].rating
        games = min(self.players[one].games, self.players[other].games)
        return Rating(value, *_interval(value, self.draws[:, i] - self.draws[:, j]), games)


def rate(
    matches: Sequence[Match],
    *,
    scale: float = 400.0,
    loss: str = "squared",
    weights: str | None = None,
    prior: float = PRIOR,
    reference: str | None = None,
    draws: int = 500,
    seed: int = 0,
) -> Ratings:
    """Rates all players of the matches.

    The bootstrap resamples questions, with all their games, where every match names its question;
    single games otherwise. Where one side won every game between two groups of players there is
    nothing to resample: in each draw such a pair's win rate comes from the Jeffreys posterior
    Beta(wins + 1/2, losses + 1/2). Draws are fitted with a prior of at least `PRIOR`, as they may
    lack a connection that the data have.

    Args:
        loss: `squared` or `nll`.
        weights: `pairs` or `games`, see `Objective`; by default `pairs` for squared and `games`
            for nll.
        prior: its weight in games, see `Objective`; 0 is the published estimator.
        reference: the player rated 0; without one the mean of each component is 0.
        draws: of the bootstrap; 0 for none.

    Raises:
        ValueError: on an unknown reference, a scale or a number out of range, or with prior 0 if
            the games leave a rating without a bound.
    """
    _check(scale, draws)
    pairs = collect(matches)
    if reference is not None and reference not in pairs.names:
        raise ValueError(unknown("player", reference, pairs.names))
    objective = Objective(loss, weights or DEFAULT_WEIGHTS.get(loss, loss), prior)
    groups = components(pairs)
    if not prior:
        _demand_connection(pairs, groups)
    best = objective.fit(pairs)
    drawn = _bootstrap(matches, pairs, objective, best, draws, np.random.default_rng(seed))
    logits = _anchored(np.vstack([best, drawn]), pairs.names, reference)
    elo = logits * scale / math.log(10)
    players = _players(pairs, elo[0], elo[1:])
    return Ratings(players, groups, _warnings(matches, pairs, groups), pairs.names, elo[1:])


def _check(scale: float, draws: int) -> None:
    if not 0 < scale < math.inf:
        raise ValueError(f"scale must be a positive number, got {scale}")
    if draws < 0:
        raise ValueError(f"the number of bootstrap draws must not be negative, got {draws}")


def _demand_connection(pairs: Pairs, groups: Sequence[Sequence[str]]) -> None:
    if len(groups) > 1 or len(strong_parts(pairs)) > 1:
        reasons = open_ends(pairs) or [f"there are {len(groups)} groups that never met"]
        raise ValueError(
            f"with prior 0 these games have no finite ratings ({reasons[0]}): give a prior above 0"
        )


def _anchored(logits: Floats, names: Sequence[str], reference: str | None) -> Floats:
    return logits if reference is None else logits - logits[:, [names.index(reference)]]


def _players(pairs: Pairs, elo: Floats, drawn: Floats) -> dict[str, Rating]:
    size = len(pairs.names)
    games = np.bincount(pairs.first, pairs.games, size)
    games += np.bincount(pairs.second, pairs.games, size)
    rows = [
        (name, Rating(float(elo[i]), *_interval(elo[i], seen), _number(games[i])))
        for i, name in enumerate(pairs.names)
        for seen in [drawn[:, i] if games[i] else drawn[:0, i]]
    ]
    return dict(sorted(rows, key=lambda row: (-row[1].rating, row[0])))


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else float(value)


def _interval(value: float, drawn: Floats) -> tuple[float, float]:
    if not len(drawn):
        return math.nan, math.nan
    low, high = np.percentile(drawn, LEVEL)
    return min(float(low), float(value)), max(float(high), float(value))


def _bootstrap(
    matches: Sequence[Match],
    pairs: Pairs,
    objective: Objective,
    best: Floats,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    if not draws or not len(pairs.games):
        return np.empty((0, len(pairs.names)))
    wins, games = _resampled(matches, pairs, draws, rng)
    for p in _open_pairs(pairs):
        rate = rng.beta(pairs.wins[p] + 0.5, pairs.games[p] - pairs.wins[p] + 0.5, draws)
        wins[:, p] = rate * games[:, p]
    fitted = dataclasses.replace(objective, prior=max(objective.prior, PRIOR))
    resampled = (
        dataclasses.replace(pairs, wins=wins[draw], games=games[draw]) for draw in range(draws)
    )
    return np.array([fitted.fit(sample, best) for sample in resampled])


def _open_pairs(pairs: Pairs) -> list[int]:
    """Pairs across two strong parts: one of the two has won every game."""
    part = {name: number for number, names in enumerate(strong_parts(pairs)) for name in names}
    ends = zip(pairs.first, pairs.second, strict=True)
    return [p for p, (i, j) in enumerate(ends) if part[pairs.names[i]] != part[pairs.names[j]]]


def _resampled(
    matches: Sequence[Match], pairs: Pairs, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(draws, P) wins and games of each pair."""
    if all(match.question_id is not None for match in matches):
        wins, games = _by_question(matches, pairs)
        counts = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), draws)
        return np.asarray(counts @ wins, np.float64), np.asarray(counts @ games, np.float64)
    cells = np.concatenate([pairs.wins, pairs.games - pairs.wins])
    total = cells.sum()
    tallies = rng.multinomial(round(total), cells / total, draws).astype(np.float64)
    won, lost = tallies[:, : len(pairs.wins)], tallies[:, len(pairs.wins) :]
    return won, won + lost


def _by_question(matches: Sequence[Match], pairs: Pairs) -> tuple[Floats, Floats]:
    """(Q, P) wins and games of each question and pair, questions sorted by id."""
    grouped: dict[str, list[Match]] = {}
    for match in matches:
        grouped.setdefault(str(match.question_id), []).append(match)
    place = {
        (int(i), int(j)): p for p, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True))
    }
    wins, games = (np.zeros((len(grouped), len(place))) for _ in range(2))
    for row, question in enumerate(sorted(grouped)):
        order, won, played = pair_sums(grouped[question], pairs.names)
        columns = [place[pair] for pair in order]
        wins[row, columns], games[row, columns] = won, played
    return wins, games


def _warnings(matches: Sequence[Match], pairs: Pairs, groups: Sequence[Sequence[str]]) -> list[str]:
    warnings = []
    if len(groups) > 1:
        warnings.append(
            f"there are {len(groups)} groups of players that never met, directly or through "
            "others: ratings of different groups cannot be compared"
        )
    warnings += open_ends(pairs)
    if own := sum(match.a == match.b for match in matches):
        warnings.append(f"{own} matches of a player against itself were left out")
    if uneven := unbalanced(matches):
        warnings.append(
            f"{len(uneven)} pairs did not play both assignments equally often, such as "
            f"{uneven[0][0]!r} and {uneven[0][1]!r}: the pull of the correct answer does not "
            "cancel out"
        )
    return warnings
