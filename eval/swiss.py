"""Who meets whom: Swiss pairing (P24 algorithm 2) and round robin."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

BYE = -1
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Pairing:
    """One round.

    Attributes:
        pairs: who meets whom, the better placed first.
        byes: who does not play; one with an odd number of players, more where nobody is left to
            meet without a rematch.
    """

    pairs: tuple[tuple[str, str], ...]
    byes: tuple[str, ...]


def swiss_rounds(players: int) -> int:
    """ceil(log2 n) rounds, 0 for fewer than two players."""
    return math.ceil(math.log2(players)) if players > 1 else 0


def swiss_pairing(
    seeds: Sequence[str],
    scores: Mapping[str, float],
    met: Set[Pair],
    rested: Mapping[str, int] | None = None,
) -> Pairing:
    """Pairs neighbours by score, never two that have met.

    Players stand in order of score, equal ones in order of their seeds. Of all ways to pair as many
    as possible without a rematch the one is taken with the least sum of squared distances in that
    order (a minimum weight matching). With an odd number the bye goes to those with the fewest byes
    so far, and among them to the last in that order.

    Args:
        seeds: all players, best guess first (P24 table 4).
        scores: points so far; players that are not named have none.
        met: pairs that have met.
        rested: byes so far; players that are not named had none.

    Raises:
        ValueError: if a player is named twice.
    """
    import networkx as nx

    if len(set(seeds)) != len(seeds):
        raise ValueError(f"players are named twice: {list(seeds)}")
    order = sorted(seeds, key=lambda name: (-scores.get(name, 0.0), seeds.index(name)))
    graph, size = nx.Graph(), len(order)
    for i, j in combinations(range(size), 2):
        if frozenset((order[i], order[j])) not in met:
            # Among equals, those further up play.
            graph.add_edge(i, j, weight=(j - i) ** 2 * 2 * size**2 + i + j)
    if size % 2:
        for i, name in enumerate(order):
            byes = (rested or {}).get(name, 0)
            graph.add_edge(i, BYE, weight=(byes * size**3 + (size - i) ** 2) * 2 * size**2)
    matched = nx.min_weight_matching(graph)
    pairs = sorted((min(pair), max(pair)) for pair in matched if BYE not in pair)
    playing = {place for pair in pairs for place in pair}
    return Pairing(
        tuple((order[i], order[j]) for i, j in pairs),
        tuple(name for i, name in enumerate(order) if i not in playing),
    )


def round_robin(players: Sequence[str]) -> list[Pairing]:
    """All pairs once, in rounds by the circle method; with an odd number one rests in each round.

    Raises:
        ValueError: if a player is named twice.
    """
    if len(set(players)) != len(players):
        raise ValueError(f"players are named twice: {list(players)}")
    circle: list[str | None] = [*players, *([None] * (len(players) % 2))]
    rounds = []
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        facing = list(zip(circle[:half], reversed(circle[half:]), strict=True))
        rounds.append(_facing(facing))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def _facing(pairs: Sequence[tuple[str | None, str | None]]) -> Pairing:
    playing = tuple((a, b) for a, b in pairs if a is not None and b is not None)
    resting = tuple(a or b or "" for a, b in pairs if a is None or b is None)
    return Pairing(playing, resting)
