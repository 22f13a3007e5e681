"""What `debate-gym eval` reads: one YAML file, overridden from the command line."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_type_hints

import yaml

from debate_gym.envs.names import unknown

SEED = 1_000_003


@dataclass(frozen=True)
class EvalConfig:
    """What to evaluate, on what, by whom.

    Attributes:
        models: policy specs; the first one is the reference that the others' win rate is against.
        rounds, turns: the protocol's own if None.
        questions: held-out questions.
        seed: of the questions; the default draws the ones that a training run is measured on.
        suite: a frozen suite; its first `questions` questions of the task are played, so that
            nothing is drawn.

    Raises:
        ValueError: on no model, a model named twice, a number out of range, or a suite together
            with a setting of the draw.
    """

    models: tuple[str, ...]
    task: str = "evidence"
    protocol: str = "debate"
    rounds: int | None = None
    turns: str | None = None
    judge: str = "evidence"
    questions: int = 256
    seed: int = SEED
    suite: str | None = None
    temperature: float = 1.0
    max_new_tokens: int = 16
    max_article_words: int | None = None

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueError("name at least one model, in the file or by --models")
        if len(set(self.models)) != len(self.models):
            raise ValueError(f"models are named twice: {list(self.models)}")
        for name, least in (("questions", 1), ("max_new_tokens", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if self.suite is not None and (self.seed != SEED or self.max_article_words is not None):
            raise ValueError(
                "a suite's questions are frozen: give no seed and no max_article_words"
            )
        if not 0 <= self.temperature < math.inf:
            raise ValueError(
                f"temperature must be a number that is not negative, got {self.temperature}"
            )


def load_config(path: Path, models: Sequence[str] = (), questions: int | None = None) -> EvalConfig:
    """Reads a configuration; `models` and `questions`, where given, replace those of the file.

    Raises:
        ValueError: on a file that is no mapping of known fields, or a value of the wrong kind;
            says in which line.
    """
    content = _read(path)
    if models:
        content["models"] = tuple(models)
    if questions is not None:
        content["questions"] = questions
    try:
        return EvalConfig(**{"models": (), **content})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        tree, content = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(f"{path}:{line}: not YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{path}: not YAML in UTF-8: {reason}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}:1: expected a mapping of fields, got {type(content).__name__}")
    lines = {k.value: k.start_mark.line + 1 for k, _ in tree.value} if tree else {}
    return {
        str(key): _value(f"{path}:{lines.get(str(key), 1)}", str(key), value)
        for key, value in content.items()
    }


def _value(where: str, name: str, value: Any) -> Any:
    kinds = get_type_hints(EvalConfig)
    if name not in kinds:
        raise ValueError(f"{where}: {unknown('field', name, kinds)}")
    if name == "models":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{where}: models must be a list of names, got {value!r}")
        return tuple(value)
    kind = kinds[name]
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, kind):
        wanted = kind if isinstance(kind, UnionType) else kind.__name__
        raise ValueError(f"{where}: {name} must be {wanted}, got {value!r}")
    return value


def settings(config: EvalConfig) -> dict[str, Any]:
    """What two calls must agree on to share a folder: all fields but the models."""
    fields = dataclasses.asdict(config)
    del fields["models"]
    return fields
