"""BoolQ: yes/no questions on a passage of Wikipedia.

Paper: Clark et al., arXiv 1905.10044. Licence: CC BY-SA 3.0. Files: `train.jsonl` and `dev.jsonl`
below `boolq/`, in the authors' layout (`question`, `title`, `answer`, `passage`).

The two answers are Yes and No (K24 appendix F), in an order drawn for each item. Questions get a
question mark, which the upstream ones lack, and keep their lower case. The article is the page's
title, an empty line, and the passage with its LaTeX quotation marks (`` and '') made plain. Nothing
is filtered. A page is in one split only, whichever file it came from: questions share passages, and
passages of one page share sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.excerpt import excerpt
from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.intake import Intake, Item, binary, draw, of_split, whole

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY-SA 3.0"
SOURCE = "https://github.com/google-research-datasets/boolean-questions"
FILES = ("train.jsonl", "dev.jsonl")
TYPES = {"question": str, "title": str, "answer": bool, "passage": str}
ANSWERS = ("Yes", "No")


def read(intake: Intake, rng: np.random.Generator) -> list[Item[Mapping[str, Any]]]:
    """Every question once, in the order of the keys.

    Raises:
        FileNotFoundError: if the files are not there.
    """
    records = chain.from_iterable(
        intake.json_lines(path) for path in find_files("boolq", FILES, SOURCE)
    )
    return intake.unique(
        Item(
            key=content_hash(record.value["question"], record.value["passage"]),
            group=record.value["title"],
            upstream_id=record.upstream_id,
            record=record.value,
        )
        for record in intake.checked(records, _check)
    )


def load(
    split: str, n: int | None, rng: np.random.Generator, *, max_article_words: int | None = None
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`.
        max_article_words: cut the passage so that it has no more words with its title; see
            `excerpt`.

    Raises:
        FileNotFoundError: if the files are not there.
        ValueError: on records that are not in the upstream layout (names file and line), or an
            empty split.
    """
    items = whole(read, rng)
    chosen = draw(of_split(items, split), n, rng, f"boolq/{split}")
    return [_question(item, rng, max_article_words) for item in chosen]


def _question(
    item: Item[Mapping[str, Any]], rng: np.random.Generator, words: int | None
) -> Question:
    record = item.record
    question = f"{record['question'].strip().rstrip('?').rstrip()}?"
    title, passage = (_plain(record[name]) for name in ("title", "passage"))
    room = None if words is None else max(min(words, 1), words - len(title.split()))
    right, wrong = ANSWERS if record["answer"] else ANSWERS[::-1]
    return binary(
        item,
        "boolq",
        question,
        right,
        wrong,
        rng,
        licence=LICENCE,
        wrong_rule="the other of yes and no",
        article=f"{title}\n\n{excerpt(passage, room, (question,))}",
        title=title,
    )


def _plain(text: str) -> str:
    return text.strip().replace("``", '"').replace("''", '"')


def _check(record: Mapping[str, Any]) -> None:
    for name, kind in TYPES.items():
        value = record.get(name)
        if not isinstance(value, kind) or (isinstance(value, str) and not value.strip()):
            raise ValueError(f"{name} must be a {kind.__name__}, not blank, got {value!r:.60}")
