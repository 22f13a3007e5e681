"""Cyclic dominance: a beats b beats c beats a, which no rating of one number a player can show.

Checkpoints of one training run are played against each other; in self-play a later one may beat
its predecessor and lose to an older one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from debate_gym.eval.elo_fit import collect
from debate_gym.eval.matches import Match
from debate_gym.eval.metrics import Z


@dataclass(frozen=True, slots=True)
class Dominance:
    """Who is sure to beat whom.

    Attributes:
        beats: (winner, loser) of each pair in which one wins more than half of the games, with
            the 95 % Wilson interval above one half.
        cycles: for each group of players that beat each other in a circle, one shortest circle,
            from its first player in order of names; empty where the order is plain.
    """

    beats: tuple[tuple[str, str], ...]
    cycles: tuple[tuple[str, ...], ...]

    @property
    def cyclic(self) -> bool:
        """The flag: whether there is any circle."""
        return bool(self.cycles)


def dominance(matches: Sequence[Match]) -> Dominance:
    """Looks for circles among the sure wins."""
    import networkx as nx

    pairs = collect(matches)
    graph = nx.DiGraph()
    for i, j, wins, games in zip(pairs.first, pairs.second, pairs.wins, pairs.games, strict=True):
        one, other = pairs.names[i], pairs.names[j]
        if wilson_low(wins, games) > 0.5:
            graph.add_edge(one, other)
        elif wilson_low(games - wins, games) > 0.5:
            graph.add_edge(other, one)
    groups = [sorted(g) for g in nx.strongly_connected_components(graph) if len(g) > 1]
    cycles = tuple(_shortest(graph.subgraph(group), group) for group in sorted(groups))
    return Dominance(tuple(sorted(graph.edges)), cycles)


def wilson_low(wins: float, games: float) -> float:
    """Lower end of the 95 % Wilson interval of wins / games; 0 without games."""
    if not games:
        return 0.0
    share, spread = wins / games, Z**2 / games
    middle = share + spread / 2
    half = math.sqrt(spread * (share * (1 - share) + spread / 4))
    return (middle - half) / (1 + spread)


def _shortest(graph: Any, names: Sequence[str]) -> tuple[str, ...]:
    import networkx as nx

    circles = [
        nx.shortest_path(graph, successor, name)
        for name in names
        for successor in sorted(graph.successors(name))
    ]
    found = min(circles, key=lambda circle: (len(circle), circle))
    start = found.index(min(found))
    return tuple(found[start:] + found[:start])
