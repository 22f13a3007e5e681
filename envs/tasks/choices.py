"""Questions with all their options, for panels.

`mmlu` has its four options in the authors' order, and `truthfulqa` the best true answer among all
false ones (MC1), in an order that the seed draws. Every other task gives its binary questions as
ones with two options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.tasks import SPLITS, load_task, mmlu, truthfulqa
from debate_gym.envs.tasks.intake import Item, draw, of_split, whole
from debate_gym.envs.tasks.truthfulqa_pairs import Pair

MOST_OPTIONS = 26


def load_choices(
    task: str, split: str = "heldout", n: int | None = None, seed: int = 0
) -> list[ChoiceQuestion]:
    """Loads a task's questions.

    Args:
        n: how many at most; 128 if None.
        seed: of the draw and of the options' order.

    Raises:
        ValueError: on an unknown task or split, a negative seed, or a task with pictures.
        FileNotFoundError: if the task's upstream files are not there.
    """
    if task not in MULTIPLE:
        return [ChoiceQuestion.of(question) for question in load_task(task, split, n, seed)]
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: expected one of {SPLITS}")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, got {seed}")
    rng = np.random.default_rng(seed)
    read, build = MULTIPLE[task]
    chosen = draw(of_split(whole(read, rng), split), n, rng, f"{task}/{split}")
    return [build(item, rng) for item in chosen]


def _mmlu(item: Item[mmlu.Pair], rng: np.random.Generator) -> ChoiceQuestion:
    row = item.record.row
    return _question(item, "mmlu", row.question, row.options, row.right, subject=row.subject)


def _truthfulqa(item: Item[Pair], rng: np.random.Generator) -> ChoiceQuestion:
    pair = item.record
    options = [pair.right, *pair.answers.wrong[: MOST_OPTIONS - 1]]
    order = [int(i) for i in rng.permutation(len(options))]
    return _question(
        item,
        "truthfulqa",
        pair.answers.question,
        [options[i] for i in order],
        order.index(0),
        permutation=order,
    )


def _question(
    item: Item[Any], task: str, text: str, options: Sequence[str], gold: int, **meta: Any
) -> ChoiceQuestion:
    return ChoiceQuestion(
        id=f"{task}-{item.key}",
        task=task,
        question=text,
        options=tuple(options),
        gold=gold,
        meta={"upstream_id": item.upstream_id, "content_hash": item.key, **meta},
    )


Build = Callable[[Item[Any], np.random.Generator], ChoiceQuestion]
MULTIPLE: dict[str, tuple[Callable[..., list[Item[Any]]], Build]] = {
    "mmlu": (mmlu.read, _mmlu),
    "truthfulqa": (truthfulqa.read, _truthfulqa),
}
