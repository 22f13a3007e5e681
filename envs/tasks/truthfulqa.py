"""TruthfulQA: questions that many people answer with a misconception.

Paper: Lin et al., arXiv 2109.07958. Licence: Apache-2.0. Files, anywhere below `truthfulqa/`, see
`truthfulqa_files`: `TruthfulQA.csv` of 2025, which names a best incorrect answer; on request
(`version`) that of 2021, or `mc_task.json`.

- **Right answer**: the authors' best one, or one drawn from the true ones (`right="random"`).
  "I have no comment" is true of anything and is never chosen: where it is the best, another is
  drawn, and where it is the only one, the question is left out.
- **Wrong answer**: the best incorrect answer, or one drawn from the false ones (`wrong="random"`,
  and always in v1, which names no best). A string that is on both sides counts as true. A best
  incorrect answer that is not in the list of false ones is taken all the same;
  `meta["wrong_is_listed"]` tells.
- **Length**: the best true answer is longer than the best false one more often than not. See
  `length_cue`; `balanced=True` levels it.
- **Splits** go by the question's text.

The authors ask that the benchmark stay out of training corpora: a model that has been trained on
the `train` split, or on `heldout`, is no longer evaluated by either.
"""

from __future__ import annotations

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import truthfulqa_files
from debate_gym.envs.tasks.intake import Intake, Item, binary, draw, of_split, whole
from debate_gym.envs.tasks.length_cue import alternating
from debate_gym.envs.tasks.truthfulqa_files import VERSIONS, Version, read_answers
from debate_gym.envs.tasks.truthfulqa_pairs import (
    LEVEL,
    NO_RIGHT,
    NO_WRONG,
    Choice,
    Pair,
    levelled,
    paired,
)

DEFAULT_PROMPTS = "standard"
LICENCE = "Apache-2.0"
SOURCE = truthfulqa_files.SOURCE
FILES = truthfulqa_files.FILES
CHOICES = ("best", "random")


def read(
    intake: Intake,
    rng: np.random.Generator,
    *,
    version: Version = "2025",
    right: Choice = "best",
    wrong: Choice | None = None,
    balanced: bool = False,
) -> list[Item[Pair]]:
    """Every usable question once with its pair of answers, in the order of the keys.

    Arguments and errors are those of `load`; broken records are noted, not raised.
    """
    _check_options(version, right, wrong)
    chosen: Choice = wrong or ("random" if version == "v1" else "best")
    passed = (NO_RIGHT, NO_WRONG, *[LEVEL] * balanced)
    items = paired(intake, read_answers(intake, version), rng, right, chosen, passed)
    if not balanced:
        return items
    splits = (of_split(items, split) for split in ("train", "heldout"))
    level = [item for half in splits for item in levelled(intake, half, rng, wrong != "best")]
    return sorted(level, key=lambda item: item.key)


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    version: Version = "2025",
    right: Choice = "best",
    wrong: Choice | None = None,
    balanced: bool = False,
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`.
        version: one of `VERSIONS`.
        right: how the right answer is chosen.
        wrong: how the wrong answer is chosen; if None, the best one where the version names it,
            else drawn.
        balanced: make the length cue worth 1/2, in each split and in every draw from it (half a
            question off where `n` is odd): see `levelled`. Wrong answers are replaced for that
            unless `wrong="best"` asks for the authors' own, which leaves more questions out.

    Raises:
        FileNotFoundError: if there is no file of the version.
        ValueError: on records that are not in the upstream layout (names file and line), an
            unknown or impossible option, or an empty split.
    """
    items = whole(read, rng, version=version, right=right, wrong=wrong, balanced=balanced)
    chosen = _chosen(of_split(items, split), n, rng, f"truthfulqa/{split}", balanced)
    return [_question(item, rng, version) for item in chosen]


def _chosen(
    items: list[Item[Pair]], n: int | None, rng: np.random.Generator, what: str, balanced: bool
) -> list[Item[Pair]]:
    drawn = draw(items, n, rng, what)
    return (
        alternating(items, lambda item: item.record.sign, rng)[: len(drawn)] if balanced else drawn
    )


def _check_options(version: str, right: str, wrong: str | None) -> None:
    if version not in VERSIONS:
        raise ValueError(unknown("version", version, VERSIONS))
    for name, value in (("right", right), ("wrong", wrong)):
        if value is not None and value not in CHOICES:
            raise ValueError(unknown(f"choice of the {name} answer", value, CHOICES))
    if version == "v1" and wrong == "best":
        raise ValueError("v1 names no best incorrect answer: use wrong='random' or version='2025'")


def _question(item: Item[Pair], rng: np.random.Generator, version: str) -> Question:
    pair, answers = item.record, item.record.answers
    return binary(
        item,
        "truthfulqa",
        answers.question,
        pair.right,
        pair.wrong,
        rng,
        licence=LICENCE,
        wrong_rule=pair.wrong_rule,
        right_rule=pair.right_rule,
        wrong_is_listed=pair.wrong_is_listed,
        version=version,
        category=answers.category,
        kind=answers.kind,
        source=answers.source,
    )
