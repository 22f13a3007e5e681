"""MMLU: exam questions of 57 subjects with four options each.

Paper: Hendrycks et al., arXiv 2009.03300. Licence: MIT. Files: the authors' csv files without a
header, `{dev,val,test}/SUBJECT_SPLIT.csv` anywhere below `mmlu/`: question, options A to D, letter
of the right one. All fields are texts, "None" and "N/A" among them; blanks around a field are
stripped and line ends made plain.

- **Wrong answer** (K24 section 3.1): drawn at random from the three wrong options.
- **Left out**: business_ethics (K24 appendix F.2), questions with two equal options, pairs with an
  answer about other options ("All of the above", "A and B only"; `about_options="keep"` keeps
  them), and what a list of wrong labels names (`known_bad`).
- **Upstream splits**: `test` only, from which the authors evaluate; `dev` holds their few-shot
  examples and `val` is for tuning. `upstream_splits` names others.
- **Splits** go by the question's text, which stands in several subjects or with other options.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import about_options as about
from debate_gym.envs.tasks import known_bad as bad
from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.intake import Intake, Item, Record, binary, draw, of_split, whole

DEFAULT_PROMPTS = "standard"
LICENCE = "MIT"
SOURCE = "https://github.com/hendrycks/test (the tar with data/dev, data/val and data/test)"
UPSTREAM_SPLITS = ("dev", "val", "test")
FILES = tuple(f"{split}/*_{split}.csv" for split in UPSTREAM_SPLITS)
LETTERS = "ABCD"
LEFT_OUT = "business_ethics"
LEFT_OUT_RULE = f"subject left out ({LEFT_OUT})"
EQUAL = "two equal options"

AboutOptions = Literal["drop", "keep"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row, stripped; `right` is the index of the correct option."""

    question: str
    options: tuple[str, ...]
    right: int
    subject: str
    upstream_split: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A row with the index of the wrong option that was drawn."""

    row: Row
    wrong: int

    @property
    def answers(self) -> tuple[str, str]:
        return self.row.options[self.row.right], self.row.options[self.wrong]


def read(
    intake: Intake,
    rng: np.random.Generator,
    *,
    upstream_splits: str | Collection[str] = ("test",),
    about_options: AboutOptions = "drop",
    known_bad: str | Path | None = None,
) -> list[Item[Pair]]:
    """Every usable question once with its pair of options, in the order of the keys.

    Arguments and errors are those of `load`; broken records are noted, not raised.
    """
    if about_options not in ("drop", "keep"):
        raise ValueError(unknown("treatment of answers", about_options, ("drop", "keep")))
    splits = _upstream(upstream_splits)
    names = bad.read_known_bad(known_bad)
    rules = {
        LEFT_OUT_RULE: True,
        bad.RULE: bool(names),
        EQUAL: True,
        about.RULE: about_options == "drop",
    }
    passed = tuple(rule for rule, asked in rules.items() if asked)
    items = [_item(record, passed) for record in intake.checked(_records(intake, splits), _check)]
    wrong_labels = {item.key for item in items if bad.listed(item, names)}
    kept: list[Item[Pair]] = []
    for item in intake.unique(_without(intake, items, wrong_labels)):
        pair = Pair(item.record, _wrong(item.record.right, rng))
        rule = _fault(pair, about_options)
        if rule:
            intake.dropped[rule] += 1
        else:
            kept.append(Item(item.key, item.group, item.upstream_id, pair, item.filters))
    return kept


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    upstream_splits: str | Collection[str] = ("test",),
    about_options: AboutOptions = "drop",
    known_bad: str | Path | None = None,
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`.
        upstream_splits: which of `UPSTREAM_SPLITS` are read.
        about_options: whether pairs with an answer about other options are dropped.
        known_bad: path of a list of content hashes or upstream ids (`anatomy_test.csv:7`), see
            `read_known_bad`; equal questions under other ids go with them.

    Raises:
        FileNotFoundError: if the list, or the files of one of the upstream splits, are not there.
        ValueError: on rows that are not in the upstream layout (names file and line), an unknown
            option, or an empty split.
    """
    items = whole(
        read,
        rng,
        upstream_splits=upstream_splits,
        about_options=about_options,
        known_bad=known_bad,
    )
    chosen = draw(of_split(items, split), n, rng, f"mmlu/{split}")
    return [_question(item, rng) for item in chosen]


def _upstream(chosen: str | Collection[str]) -> tuple[str, ...]:
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    for name in names:
        if name not in UPSTREAM_SPLITS:
            raise ValueError(unknown("upstream split", name, UPSTREAM_SPLITS))
    if not names:
        raise ValueError(f"no upstream split: name some of {', '.join(UPSTREAM_SPLITS)}")
    return tuple(dict.fromkeys(names))


def _records(intake: Intake, splits: Sequence[str]) -> Iterator[Record]:
    for split in splits:
        for path in find_files("mmlu", (f"{split}/*_{split}.csv",), SOURCE):
            yield from intake.csv_rows(path, header=False)


def _check(row: Sequence[str]) -> None:
    if len(row) != 6:
        raise ValueError(f"expected 6 fields (question, A to D, letter), got {len(row)}")
    if len(row[5].strip()) != 1 or row[5].strip() not in LETTERS:
        raise ValueError(f"the answer must be a letter A to D, got {row[5]!r:.60}")
    if not all(field.strip() for field in row):
        raise ValueError(f"question and options must not be blank, got {row!r:.120}")


def _plain(field: str) -> str:
    return field.strip().replace("\r\n", "\n").replace("\r", "\n")


def _item(record: Record, passed: tuple[str, ...]) -> Item[Row]:
    text, *options, letter = (_plain(field) for field in record.value)
    subject, _, split = record.path.stem.rpartition("_")
    return Item(
        key=content_hash(text, *options, letter),
        group=text,
        upstream_id=record.upstream_id,
        record=Row(text, tuple(options), LETTERS.index(letter), subject, split),
        filters=passed,
    )


def _without(intake: Intake, items: Sequence[Item[Row]], bad_keys: set[str]) -> Iterator[Item[Row]]:
    for item in items:
        if item.record.subject == LEFT_OUT:
            intake.dropped[LEFT_OUT_RULE] += 1
        elif item.key in bad_keys:
            intake.dropped[bad.RULE] += 1
        else:
            yield item


def _wrong(right: int, rng: np.random.Generator) -> int:
    others = [option for option in range(len(LETTERS)) if option != right]
    return others[int(rng.integers(len(others)))]


def _fault(pair: Pair, about_options: AboutOptions) -> str | None:
    if len(set(pair.row.options)) < len(LETTERS):
        return EQUAL
    drop = about_options == "drop" and any(map(about.speaks_of_options, pair.answers))
    return about.RULE if drop else None


def _question(item: Item[Pair], rng: np.random.Generator) -> Question:
    pair, row = item.record, item.record.row
    right, wrong = pair.answers
    return binary(
        item,
        "mmlu",
        row.question,
        right,
        wrong,
        rng,
        licence=LICENCE,
        wrong_rule="drawn at random",
        subject=row.subject,
        upstream_split=row.upstream_split,
        right_option=LETTERS[row.right],
        wrong_option=LETTERS[pair.wrong],
    )
