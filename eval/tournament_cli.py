"""The commands `debate-gym elo` and `debate-gym tournament`."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from debate_gym.eval.matches import SIDES, Match, read_matches, side_name, split_sides

ELO_EXAMPLES = """examples:
  debate-gym elo matches.jsonl --json
  debate-gym elo matches.jsonl --scale 500 --loss nll --reference scripted:random
  debate-gym elo matches.jsonl --sides --trueskill
"""
TOURNAMENT_EXAMPLES = """examples:
  debate-gym tournament --config configs/tournament/scripted.yaml --out runs/tournament
"""


def add_commands(commands: Any) -> None:
    """Adds `elo` and `tournament` to the command line's subparsers."""
    one = _command(commands, "elo", "ratings with intervals from a file of matches", ELO_EXAMPLES)
    one.add_argument("matches", type=Path, help="JSON Lines of matches")
    one.add_argument("--scale", type=float, default=400.0, help="400 in P24, 500 in K24")
    one.add_argument("--loss", choices=("squared", "nll"), default="squared", help="P24, K24")
    one.add_argument("--weights", choices=("pairs", "games"), help="pairs for squared, else games")
    one.add_argument("--prior", type=float, default=0.01, help="its weight, in games; 0 for none")
    one.add_argument("--reference", metavar="NAME", help="the player rated 0")
    one.add_argument("--bootstrap", type=int, default=500, metavar="DRAWS", help="0 for none")
    one.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    one.add_argument("--sides", action="store_true", help="rate each player's two sides as well")
    one.add_argument("--trueskill", action="store_true", help="rate by TrueSkill as well")
    one.add_argument("--json", action="store_true", help="print one object")
    one.set_defaults(run=_elo)
    one = _command(
        commands,
        "tournament",
        "play policies against each other; goes on when run again",
        TOURNAMENT_EXAMPLES,
    )
    one.add_argument("--config", type=Path, required=True, help="YAML file")
    one.add_argument("--out", type=Path, default=Path("runs/tournament"), help="folder of results")
    one.add_argument("--json", action="store_true", help="print one object")
    one.set_defaults(run=_tournament)


def _command(commands: Any, name: str, about: str, examples: str) -> Any:
    return commands.add_parser(
        name,
        help=about,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _elo(args: argparse.Namespace) -> int:
    matches = read_matches(args.matches)
    result = rated(
        matches,
        scale=args.scale,
        loss=args.loss,
        weights=args.weights,
        prior=args.prior,
        reference=args.reference,
        draws=args.bootstrap,
        seed=args.seed,
    )
    if args.sides:
        result["sides"], warnings = _by_side(matches, args)
        result["warnings"] += [f"sides: {warning}" for warning in warnings]
    if args.trueskill:
        result |= _trueskill(matches, result["ratings"], args.seed)
    _show(result, args.json)
    return 0


def rated(matches: Sequence[Match], **options: Any) -> dict[str, Any]:
    """Ratings, components and warnings as one object; a circle of sure wins is a warning.

    Args:
        options: of `debate_gym.eval.ratings.rate`.
    """
    from debate_gym.eval.cycles import dominance
    from debate_gym.eval.ratings import rate

    ratings = rate(matches, **options)
    circles = [
        f"cyclic dominance: {' > '.join((*cycle, cycle[0]))}: no single number orders these players"
        for cycle in dominance(matches).cycles
    ]
    return {
        "ratings": {name: _numbers(rating) for name, rating in ratings.players.items()},
        "components": ratings.components,
        "warnings": [*ratings.warnings, *circles],
    }


def _by_side(
    matches: Sequence[Match], args: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """Ratings of each player's two sides, and the first minus the second: the advantage of arguing
    the truth (P24 equation 4, K24 appendix E)."""
    from debate_gym.eval.ratings import rate

    split = rate(
        split_sides(matches),
        scale=args.scale,
        loss=args.loss,
        weights=args.weights,
        prior=args.prior,
        draws=args.bootstrap,
        seed=args.seed,
    )
    found: dict[str, Any] = {}
    for name in sorted({name for match in matches for name in (match.a, match.b)}):
        both = [side_name(name, side) for side in SIDES]
        sides = dict(zip(SIDES, both, strict=True))
        found[name] = {
            side: _numbers(split.players[player])
            for side, player in sides.items()
            if player in split.players
        }
        if len(found[name]) == len(SIDES):
            found[name]["advantage"] = _numbers(split.difference(*both))
    return found, split.warnings


def _trueskill(matches: Sequence[Match], ratings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    from debate_gym.eval.skill import agreement, skills

    found = skills(matches, seed)
    r = agreement(
        {name: rating["rating"] for name, rating in ratings.items()},
        {name: skill.mu for name, skill in found.items()},
    )
    return {
        "trueskill": {name: {"mu": s.mu, "sigma": s.sigma} for name, s in found.items()},
        "pearson": None if math.isnan(r) else r,
    }


def _numbers(rating: Any) -> dict[str, Any]:
    values = {name: getattr(rating, name) for name in ("rating", "low", "high", "games")}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _tournament(args: argparse.Namespace) -> int:
    from debate_gym.eval.tournament_config import load_tournament
    from debate_gym.eval.tournament_run import run

    _show(run(load_tournament(args.config), args.out), args.json)
    return 0


def _show(result: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    Console(width=None if sys.stdout.isatty() else 120).print(_table(result))
    for warning in result["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)


def _table(result: Mapping[str, Any]) -> Table:
    extra = {
        "points": {name: _shown(points) for name, points in result.get("scores", {}).items()},
        "truth advantage": {
            name: _with_interval(sides.get("advantage"))
            for name, sides in result.get("sides", {}).items()
        },
        "TrueSkill": {
            name: f"{skill['mu']:.1f} ± {2 * skill['sigma']:.1f}"
            for name, skill in result.get("trueskill", {}).items()
        },
    }
    columns = {title: cells for title, cells in extra.items() if cells}
    table = Table("player", "rating", "games", *columns, show_edge=False)
    for name, rating in result["ratings"].items():
        cells = [columns[title].get(name, "-") for title in columns]
        table.add_row(escape(name), _with_interval(rating), _shown(rating["games"]), *cells)
    return table


def _with_interval(rating: Mapping[str, Any] | None) -> str:
    if rating is None:
        return "-"
    if rating["low"] is None:
        return f"{rating['rating']:.0f}"
    return f"{rating['rating']:.0f} [{rating['low']:.0f}, {rating['high']:.0f}]"


def _shown(value: float) -> str:
    return f"{value:g}"
