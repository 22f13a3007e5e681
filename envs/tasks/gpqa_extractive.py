"""GPQA-extractive: GPQA's questions, with the expert's explanation as the article.

Paper, licence, file, subsets, wrong answers, what is left out and splits: see `gpqa`. The article
is what the author of the question wrote to explain the right answer (K24 appendix F.1).

In many explanations the right answer stands word for word (`leak_counts`; an item's
`meta["leaks"]`), so a debater only has to quote it. `mask_answers=True` puts `[...]` in place of
every sentence in which any of the four options stands, right or wrong, and leaves out what has no
sentence left. It is off by default, because K24 shows the explanation as it is. A question without
an explanation is left out either way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import gpqa
from debate_gym.envs.tasks.gpqa import Pair, Row, Subset
from debate_gym.envs.tasks.intake import Intake, Item, draw, of_split, whole

DEFAULT_PROMPTS = gpqa.DEFAULT_PROMPTS
LICENCE = gpqa.LICENCE
SOURCE = gpqa.SOURCE
FILES = gpqa.FILES
MASK = "[...]"
NO_EXPLANATION = "no explanation"
NOTHING_LEFT = "no sentence without an option"
SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s)|(?=\s*\n)|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Leaks:
    """How many of `records` have the right answer word for word in the explanation."""

    count: int
    records: int


def read(
    intake: Intake,
    rng: np.random.Generator,
    *,
    subset: Subset = "main",
    mask_answers: bool = False,
) -> list[Item[Pair]]:
    """Every usable question once with its pair of options, in the order of the keys.

    Arguments and errors are those of `load`; broken records are noted, not raised.
    """
    items = gpqa.read(intake, rng, subset=subset)
    explained = _only(intake, items, NO_EXPLANATION, lambda row: bool(row.explanation))
    return _only(intake, explained, NOTHING_LEFT, _keeps_words) if mask_answers else explained


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    subset: Subset = "main",
    mask_answers: bool = False,
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`.
        subset: one of `gpqa.SUBSETS`.
        mask_answers: whether sentences in which an option stands are replaced by `[...]`.

    Raises:
        FileNotFoundError: if the archive, or the subset in it, is not there.
        ValueError: on rows that are not in the upstream layout (names file and line), an unknown
            subset, or an empty split.
    """
    items = whole(read, rng, subset=subset, mask_answers=mask_answers)
    chosen = draw(of_split(items, split), n, rng, f"gpqa-extractive/{split}")
    return [_question(item, rng, subset, mask_answers) for item in chosen]


def leak_counts(subset: Subset = "main") -> Leaks:
    """Over all questions of a subset, those that `read` leaves out included.

    Raises:
        FileNotFoundError: if the archive, or the subset in it, is not there.
        ValueError: as `load`.
    """
    intake = Intake()
    rows = gpqa.read_rows(intake, subset)
    intake.raise_broken()
    return Leaks(sum(item.record.leaks for item in rows), len(rows))


def masked(text: str, options: Sequence[str]) -> str:
    """The text with `[...]` in place of every sentence in which an option stands, or a part of it.

    A sentence ends at `.`, `!` or `?` before a blank, and at the end of a line.
    """
    found = [span for option in options for span in _spans(text, option)]
    parts, end = [], 0
    for begin, stop in (match.span() for match in SENTENCE.finditer(text)):
        hit = any(first < stop and begin < last for first, last in found)
        parts += [text[end:begin], MASK if hit else text[begin:stop]]
        end = stop
    return "".join([*parts, text[end:]])


def _only(
    intake: Intake, items: Sequence[Item[Pair]], rule: str, passes: Callable[[Row], bool]
) -> list[Item[Pair]]:
    kept = [item for item in items if passes(item.record.row)]
    intake.dropped[rule] += len(items) - len(kept)
    return [replace(item, filters=(*item.filters, rule)) for item in kept]


def _keeps_words(row: Row) -> bool:
    return bool(masked(row.explanation, row.options).replace(MASK, "").strip())


def _spans(text: str, option: str) -> Iterator[tuple[int, int]]:
    at = text.find(option)
    while at >= 0:
        yield at, at + len(option)
        at = text.find(option, at + 1)


def _question(
    item: Item[Pair], rng: np.random.Generator, subset: Subset, mask_answers: bool
) -> Question:
    row = item.record.row
    article = masked(row.explanation, row.options) if mask_answers else row.explanation
    return gpqa.question(
        item,
        "gpqa-extractive",
        rng,
        subset,
        article,
        leaks=row.leaks,
        mask_answers=mask_answers,
    )
