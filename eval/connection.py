"""Who can be compared with whom: which ratings the games determine, and which they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from debate_gym.eval.elo_fit import Pairs


def components(pairs: Pairs) -> list[list[str]]:
    """Groups of players that met, directly or through others; the largest first."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(pairs.names)
    graph.add_edges_from(
        (pairs.names[i], pairs.names[j]) for i, j in zip(pairs.first, pairs.second, strict=True)
    )
    return _sorted(nx.connected_components(graph))


def strong_parts(pairs: Pairs) -> list[list[str]]:
    """Groups of players within which everybody can be reached from everybody over wins (ties count
    both ways).

    Ratings of maximum likelihood are finite exactly when each component is one such group.
    """
    import networkx as nx

    return _sorted(nx.strongly_connected_components(win_graph(pairs)))


def win_graph(pairs: Pairs) -> Any:
    """A directed graph (networkx): an edge from each player to those that it won against, or had
    a tie with."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(pairs.names)
    for i, j, wins, games in zip(pairs.first, pairs.second, pairs.wins, pairs.games, strict=True):
        if wins > 0:
            graph.add_edge(pairs.names[i], pairs.names[j])
        if wins < games:
            graph.add_edge(pairs.names[j], pairs.names[i])
    return graph


def open_ends(pairs: Pairs) -> list[str]:
    """One sentence for each group of players whose distance to the others the games leave open."""
    import networkx as nx

    graph, parts = win_graph(pairs), strong_parts(pairs)
    sentences = []
    for part in parts:
        won = bool(set(nx.node_boundary(graph, part)))
        lost = any(set(graph.predecessors(name)) - set(part) for name in part)
        if won != lost:
            sentences.append(_open_end(part, won))
        elif won:
            sentences.append(
                f"{_names(part)}: lost every game against some players and won every game against "
                "others, so that the games set no bound on the distance to either"
            )
    return sentences


def _open_end(part: Sequence[str], won: bool) -> str:
    did, bound = ("never lost", "upper") if won else ("never won", "lower")
    return (
        f"{_names(part)}: {did} a game against anybody else, so that the games set no {bound} "
        "bound and the prior does"
    )


def _names(part: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in part[:5])
    return f"{shown} and {len(part) - 5} more" if len(part) > 5 else shown


def _sorted(groups: Any) -> list[list[str]]:
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))
