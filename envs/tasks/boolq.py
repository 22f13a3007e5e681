"""BoolQ: yes/no questions on a passage of Wikipedia.

Paper: Clark et al., arXiv 1905.10044. Licence: CC BY-SA 3.0. Files: `train.jsonl` and `dev.jsonl`
below `boolq/`, in the authors' layout (`question`, `title`, `answer`, `passage`).

The two answers are Yes and No (K24 appendix F), in an order drawn for each item. Questions get a
capital letter and a question mark, which the upstream ones lack. The article is the page's title,
an empty line, and the passage with its LaTeX quotation marks (`` and '') made plain. Nothing is
filtered. A page is in one split only, whichever file it came from: questions share passages, and
passages of one page share sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.excerpt import excerpt
from debate_gym.envs.tasks.files import content_hash, draw, find_files, held_out, read_lines

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY-SA 3.0"
SOURCE = "https://github.com/google-research-datasets/boolean-questions"
FILES = ("train.jsonl", "dev.jsonl")
TYPES = {"question": str, "title": str, "answer": bool, "passage": str}
ANSWERS = ("Yes", "No")


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
        ValueError: on a record that is not in the upstream layout (names file and line), or an
            empty split.
    """
    items: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for path in find_files("boolq", FILES, SOURCE):
        for number, record in read_lines(path):
            _check(record, path, number)
            if held_out(record["title"]) == (split == "heldout"):
                key = content_hash(record["question"], record["passage"])
                items.setdefault(key, (f"{path.name}:{number}", record))
    chosen = draw(sorted(items), n, rng, f"boolq/{split}")
    return [_question(key, *items[key], rng, max_article_words) for key in chosen]


def _question(
    key: str,
    upstream: str,
    record: Mapping[str, Any],
    rng: np.random.Generator,
    words: int | None,
) -> Question:
    order = [int(i) for i in rng.permutation(2)]
    text = record["question"].strip().rstrip("?").rstrip()
    question = f"{text[:1].upper()}{text[1:]}?"
    title, passage = (_plain(record[name]) for name in ("title", "passage"))
    room = None if words is None else max(min(words, 1), words - len(title.split()))
    return Question(
        id=f"boolq-{key}",
        task="boolq",
        question=question,
        answers=(ANSWERS[order[0]], ANSWERS[order[1]]),
        correct=order.index(0 if record["answer"] else 1),
        article=f"{title}\n\n{excerpt(passage, room, (question,))}",
        meta={
            "licence": LICENCE,
            "upstream_id": upstream,
            "content_hash": key,
            "permutation": order,
            "title": title,
        },
    )


def _plain(text: str) -> str:
    return text.strip().replace("``", '"').replace("''", '"')


def _check(record: Mapping[str, Any], path: Path, number: int) -> None:
    for name, kind in TYPES.items():
        value = record.get(name)
        if not isinstance(value, kind) or (isinstance(value, str) and not value.strip()):
            raise ValueError(
                f"{path}:{number}: {name} must be a {kind.__name__}, not blank, got {value!r:.60}"
            )
