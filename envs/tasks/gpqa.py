"""GPQA: questions of biology, chemistry and physics, written by experts to withstand a search.

Paper: Rein et al., arXiv 2311.12022. Licence: CC BY 4.0. File: the authors' `dataset.zip` below
`gpqa/`, with their password. It stays packed (see `gpqa_archive`), and each question's meta holds
the authors' canary string, so that whatever is exported can be kept out of training corpora.

- **Subsets**: `main` (the default), `extended`, or `diamond`; diamond is part of main, and main of
  extended.
- **Wrong answer** (K24 section 3.1): drawn at random from the three wrong options. Questions with
  two equal options are left out; options are compared and shown without blanks around them.
- **Splits** go by the authors' record id, so a question is in the same split in every subset, and
  in `gpqa-extractive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.gpqa_archive import archived_rows
from debate_gym.envs.tasks.intake import Intake, Item, Record, binary, draw, of_split, whole

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY 4.0"
SOURCE = "https://github.com/idavidrein/gpqa (dataset.zip, as it is)"
FILES = ("dataset.zip",)
SUBSETS = ("main", "diamond", "extended")
OPTIONS = (
    "Correct Answer",
    "Incorrect Answer 1",
    "Incorrect Answer 2",
    "Incorrect Answer 3",
)
EQUAL = "two equal options"
WRONG_RULE = "drawn at random"
COLUMNS = {
    "record_id": "Record ID",
    "question": "Question",
    "explanation": "Explanation",
    "domain": "High-level domain",
    "subdomain": "Subdomain",
    "canary": "Canary String",
}
MAY_BE_BLANK = ("Explanation", "High-level domain", "Subdomain")

Subset = Literal["main", "diamond", "extended"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row, stripped; the first option is the right one. `explanation` is the expert's."""

    record_id: str
    question: str
    options: tuple[str, ...]
    explanation: str
    domain: str
    subdomain: str
    canary: str

    @property
    def leaks(self) -> bool:
        """Whether the right answer stands word for word in the explanation."""
        return self.options[0] in self.explanation


@dataclass(frozen=True, slots=True)
class Pair:
    """A row with the index of the wrong option that was drawn."""

    row: Row
    wrong: int


def read(intake: Intake, rng: np.random.Generator, *, subset: Subset = "main") -> list[Item[Pair]]:
    """Every usable question once with its pair of options, in the order of the keys.

    Arguments and errors are those of `load`; broken records are noted, not raised.
    """
    kept: list[Item[Pair]] = []
    for item in read_rows(intake, subset):
        if len(set(item.record.options)) < len(OPTIONS):
            intake.dropped[EQUAL] += 1
        else:
            pair = Pair(item.record, int(rng.integers(1, len(OPTIONS))))
            kept.append(Item(item.key, item.group, item.upstream_id, pair, (EQUAL,)))
    return kept


def read_rows(intake: Intake, subset: Subset) -> list[Item[Row]]:
    """Every row of a subset once, unfiltered, in the order of the keys.

    Raises:
        FileNotFoundError: if the archive, or the subset in it, is not there.
        ValueError: on an unknown subset.
    """
    if subset not in SUBSETS:
        raise ValueError(unknown("subset", subset, SUBSETS))
    records = (
        record
        for archive in find_files("gpqa", FILES, SOURCE)
        for record in archived_rows(intake, archive, f"gpqa_{subset}.csv")
    )
    return intake.unique(_item(record) for record in intake.checked(records, _check))


def load(
    split: str, n: int | None, rng: np.random.Generator, *, subset: Subset = "main"
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`.
        subset: one of `SUBSETS`.

    Raises:
        FileNotFoundError: if the archive, or the subset in it, is not there.
        ValueError: on rows that are not in the upstream layout (names file and line), an unknown
            subset, or an empty split.
    """
    items = whole(read, rng, subset=subset)
    chosen = draw(of_split(items, split), n, rng, f"gpqa/{split}")
    return [question(item, "gpqa", rng, subset) for item in chosen]


def question(
    item: Item[Pair],
    task: str,
    rng: np.random.Generator,
    subset: Subset,
    article: str | None = None,
    **meta: Any,
) -> Question:
    """The question of a pair, with the canary string in its meta."""
    row = item.record.row
    return binary(
        item,
        task,
        row.question,
        row.options[0],
        row.options[item.record.wrong],
        rng,
        licence=LICENCE,
        wrong_rule=WRONG_RULE,
        article=article,
        canary=row.canary,
        subset=subset,
        domain=row.domain,
        subdomain=row.subdomain,
        wrong_option=OPTIONS[item.record.wrong],
        **meta,
    )


def _check(row: Mapping[str, str]) -> None:
    for column in (*COLUMNS.values(), *OPTIONS):
        if column not in row:
            raise ValueError(f"expected a column {column!r}")
        if not row[column].strip() and column not in MAY_BE_BLANK:
            raise ValueError(f"the column {column!r} must not be blank")


def _item(record: Record) -> Item[Row]:
    texts = {name: _plain(record.value[column]) for name, column in COLUMNS.items()}
    options = tuple(_plain(record.value[column]) for column in OPTIONS)
    row = Row(options=options, **texts)
    return Item(
        key=content_hash(row.question, *options),
        group=row.record_id,
        upstream_id=row.record_id,
        record=row,
    )


def _plain(field: str) -> str:
    return field.strip().replace("\r\n", "\n").replace("\r", "\n")
