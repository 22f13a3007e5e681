"""The tasks: one module each, from upstream files (or a generator) to binary questions."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question

NINE = (
    "quality",
    "boolq",
    "gpqa-extractive",
    "mmlu",
    "gsm8kqa",
    "prontoqa",
    "truthfulqa",
    "gpqa",
    "mmmu",
)
TASKS = ("evidence", *NINE)
BENCHMARK_OPTIONS: dict[str, dict[str, Any]] = {"prontoqa": {"source": "files"}}
SPLITS = ("train", "heldout")


def load_task(
    name: str, split: str, n: int | None = None, seed: int = 0, **options: Any
) -> list[Question]:
    """Loads a task's questions.

    Args:
        split: `train` or `heldout`; the two never share an article.
        n: how many at most; the task's default if None.
        seed: of the draw, of the order of the answers and of the wrong answer's choice.
        options: the task's own, see its module.

    Raises:
        ValueError: on an unknown task, split or option, or a negative seed.
        FileNotFoundError: if the task's upstream files are not there; says where it looked.
    """
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: expected one of {SPLITS}")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, got {seed}")
    load = task_module(name).load
    known = inspect.signature(load).parameters.values()
    names = [parameter.name for parameter in known if parameter.kind is parameter.KEYWORD_ONLY]
    for option in options:
        if option not in names:
            raise ValueError(unknown(f"{name} option", option, names))
    questions: list[Question] = load(split, n, np.random.default_rng(seed), **options)
    return questions


def default_prompts(name: str) -> str:
    """The prompt folder that a task is played with unless told otherwise."""
    return str(task_module(name).DEFAULT_PROMPTS) if name in TASKS else "standard"


def task_module(name: str) -> ModuleType:
    """The module of a task.

    Raises:
        ValueError: on an unknown task.
    """
    if name not in TASKS:
        raise ValueError(unknown("task", name, TASKS))
    return importlib.import_module(f"debate_gym.envs.tasks.{name.replace('-', '_')}")
