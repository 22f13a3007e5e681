"""What `debate-gym tournament` reads: one YAML file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_type_hints

import yaml

from debate_gym.envs.names import unknown
from debate_gym.eval.config import SEED
from debate_gym.eval.elo_fit import LOSSES
from debate_gym.eval.ratings import PRIOR

FORMATS = ("swiss", "round-robin")


@dataclass(frozen=True)
class TournamentConfig:
    """Who plays, on what, before whom, and how the games are rated.

    Attributes:
        players: name -> policy spec, the best guess first (P24 table 4); checkpoints of one run
            are such players too. A list of specs names each player by its spec.
        format: `swiss` or `round-robin`.
        rounds: of the tournament; in Swiss ceil(log2 n) if None, in a round robin all there are.
        turns_each: turns of each debater in a game, the protocol's own if None.
        turns: `simultaneous` or `sequential`, the protocol's own if None.
        questions: of each match; both assignments of each are played.
        seed: of the questions; the default draws the ones that a training run is measured on.
        suite: a frozen suite; its first `questions` questions of the task are played.
        scale, loss, reference, prior, bootstrap: see `debate_gym.eval.ratings.rate`.

    Raises:
        ValueError: on fewer than two players, or a value out of range.
    """

    players: Mapping[str, str]
    format: str = "swiss"
    rounds: int | None = None
    task: str = "evidence"
    protocol: str = "debate"
    turns_each: int | None = None
    turns: str | None = None
    judge: str = "evidence"
    questions: int = 64
    seed: int = SEED
    suite: str | None = None
    temperature: float = 1.0
    max_new_tokens: int = 16
    max_article_words: int | None = None
    scale: float = 400.0
    loss: str = "squared"
    reference: str | None = None
    prior: float = PRIOR
    bootstrap: int = 500

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise ValueError(f"a tournament needs two players or more, got {list(self.players)}")
        for kind, value, known in (("format", self.format, FORMATS), ("loss", self.loss, LOSSES)):
            if value not in known:
                raise ValueError(unknown(kind, value, known))
        if self.reference is not None and self.reference not in self.players:
            raise ValueError(unknown("reference", self.reference, self.players))
        for name, least in (("questions", 1), ("max_new_tokens", 1), ("seed", 0), ("bootstrap", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if self.rounds is not None and not 1 <= self.rounds <= self.all_rounds:
            raise ValueError(
                f"{len(self.players)} players meet without a rematch in 1 to {self.all_rounds} "
                f"rounds, got rounds: {self.rounds}"
            )
        if not self.scale > 0 or not self.prior >= 0:
            raise ValueError(
                f"scale must be above 0 and prior not below, got {self.scale} and {self.prior}"
            )

    @property
    def all_rounds(self) -> int:
        """Rounds of a round robin: n - 1, or n where one rests in each."""
        return len(self.players) - 1 + len(self.players) % 2


def load_tournament(path: Path) -> TournamentConfig:
    """Reads a configuration.

    Raises:
        ValueError: on a file that is no mapping of known fields, or a value of the wrong kind;
            says in which line.
    """
    text = path.read_text(encoding="utf-8")
    try:
        tree, content = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(f"{path}:{line}: not YAML: {error.problem}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}:1: expected a mapping of fields, got {type(content).__name__}")
    lines = {key.value: key.start_mark.line + 1 for key, _ in tree.value} if tree else {}
    fields = {
        str(key): _value(f"{path}:{lines.get(str(key), 1)}", str(key), value)
        for key, value in content.items()
    }
    try:
        return TournamentConfig(**{"players": {}, **fields})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def play_settings(config: TournamentConfig) -> dict[str, Any]:
    """What decides which games are played: two calls must agree on it to share a folder."""
    fields = dataclasses.asdict(config)
    for name in ("scale", "loss", "reference", "prior", "bootstrap"):
        del fields[name]
    return fields | {"players": dict(config.players)}


def _value(where: str, name: str, value: Any) -> Any:
    kinds = get_type_hints(TournamentConfig)
    if name not in kinds:
        raise ValueError(f"{where}: {unknown('field', name, kinds)}")
    if name == "players":
        return _players(where, value)
    kind = kinds[name]
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, kind):
        wanted = kind if isinstance(kind, UnionType) else kind.__name__
        raise ValueError(f"{where}: {name} must be {wanted}, got {value!r}")
    return value


def _players(where: str, value: Any) -> dict[str, str]:
    if isinstance(value, list) and all(isinstance(spec, str) for spec in value):
        if len(set(value)) != len(value):
            raise ValueError(f"{where}: players are named twice: {value}; give them names")
        return dict(zip(value, value, strict=True))
    if isinstance(value, dict) and all(
        isinstance(name, str) and isinstance(spec, str) for name, spec in value.items()
    ):
        return dict(value)
    raise ValueError(
        f"{where}: players must be a list of policy specs, or names with a spec each, got {value!r}"
    )
