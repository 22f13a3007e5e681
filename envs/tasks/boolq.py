"""BoolQ: yes/no questions on a passage of Wikipedia.

Paper: Clark et al., arXiv 1905.10044. Licence: CC BY-SA 3.0. Files: `boolq/train.jsonl` and
`boolq/dev.jsonl` in the authors' layout (`question`, `title`, `answer`, `passage`).

The two answers are Yes and No (K24 appendix F), in an order drawn for each item. Questions get a
capital letter and a question mark, which the upstream ones lack. Nothing is filtered. A passage
is in one split only, whichever file it came from: passages are shared between questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.files import content_hash, find_files, first_words, held_out, read_lines

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY-SA 3.0"
SOURCE = "https://github.com/google-research-datasets/boolean-questions"
TYPES = {"question": str, "title": str, "answer": bool, "passage": str}


def load(
    split: str, n: int | None, rng: np.random.Generator, *, max_article_words: int | None = None
) -> list[Question]:
    """Draws `n` questions (128 if None) of a split, without repetition.

    Args:
        max_article_words: keep the first that many words of an article.

    Raises:
        FileNotFoundError: if the files are not there.
        ValueError: on a record that is not in the upstream layout; names file and line.
    """
    items: dict[str, Mapping[str, Any]] = {}
    for path in find_files("boolq", ("train.jsonl", "dev.jsonl"), SOURCE):
        for number, record in read_lines(path):
            _check(record, path, number)
            if held_out(record["passage"]) == (split == "heldout"):
                items.setdefault(content_hash(record["question"], record["passage"]), record)
    keys = sorted(items)
    chosen = rng.permutation(len(keys))[: 128 if n is None else n]
    return [_question(keys[i], items[keys[i]], rng, max_article_words) for i in chosen]


def _question(
    key: str, record: Mapping[str, Any], rng: np.random.Generator, words: int | None
) -> Question:
    order = [int(i) for i in rng.permutation(2)]
    answers = ("Yes", "No")
    text = record["question"].strip().rstrip("?")
    return Question(
        id=f"boolq-{key}",
        task="boolq",
        question=f"{text[:1].upper()}{text[1:]}?",
        answers=(answers[order[0]], answers[order[1]]),
        correct=order.index(0 if record["answer"] else 1),
        article=first_words(f"{record['title']}\n\n{record['passage']}", words),
        meta={"licence": LICENCE, "permutation": order, "content_hash": key},
    )


def _check(record: Mapping[str, Any], path: Path, number: int) -> None:
    for name, kind in TYPES.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(
                f"{path}:{number}: {name} must be {kind.__name__}, got {record.get(name)!r:.60}"
            )
