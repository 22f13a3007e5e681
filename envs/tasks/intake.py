"""What becomes of a task's upstream records, counted: what `debate-gym data check` prints.

A task's `read(intake, rng, **rules)` takes every record through an `Intake` and returns the `Item`s
that are left; `load` draws from those. A broken record does not stop the reading: it is noted with
file and line, so that all of them can be told at once.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.files import content_hash

R = TypeVar("R")

DEFAULT_N = 128
SHOWN = 20
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Record(NamedTuple):
    """One upstream record and where it stands; `line` counts from 1 and is where it begins."""

    path: Path
    line: int
    value: Any

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def upstream_id(self) -> str:
        """File name and line, for records without an id of their own."""
        return f"{self.path.name}:{self.line}"


@dataclass(frozen=True, slots=True)
class Item(Generic[R]):
    """A record that survived the rules.

    Attributes:
        key: hash of its content; no two items of a task share one.
        group: what one split must hold whole (a story, a page, an ontology).
        upstream_id: the authors' id, or file and line where they give none.
        record: what the task's module needs to make the question.
        filters: names of the rules that it has passed, as far as they could have dropped it.
    """

    key: str
    group: str
    upstream_id: str
    record: R
    filters: tuple[str, ...] = ()


@dataclass
class Intake:
    """Counts of records by what became of them.

    `read == kept + duplicates + sum(dropped.values()) + len(broken)` once the task has been read,
    where `kept` is the number of items returned.
    """

    files: list[Path] = field(default_factory=list)
    read: int = 0
    duplicates: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def json_lines(self, path: Path, *, count: bool = True) -> Iterator[Record]:
        """The objects of a JSON Lines file; blank lines are passed over.

        Args:
            count: whether a line is a record; if not, the caller counts the records inside, and
                a line that cannot be parsed still counts as one.
        """
        self.files.append(path)
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    value = self._parsed(path, number, line)
                    self.read += count or value is None
                    if value is not None:
                        yield Record(path, number, value)

    def csv_rows(self, path: Path, *, header: bool = True) -> Iterator[Record]:
        """The rows of a csv file in UTF-8: dicts by the first row's names, else lists.

        All fields are texts. A row with more or fewer fields than the header is broken.
        """
        text = self._text(path)
        if text is not None:
            yield from self.csv_text(path, text, header=header)

    def csv_text(self, path: Path, text: str, *, header: bool = True) -> Iterator[Record]:
        """As `csv_rows`, over a text that came out of `path` (an archive)."""
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        names: list[str] | None = None
        line = 1
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                self.read += 1
                self.broken.append(f"{path}:{line}: expected csv: {error}")
                return
            if row is None:
                return
            begin, line = line, rows.line_num + 1
            if not row:
                continue
            if header and names is None:
                names = row
                continue
            self.read += 1
            if names is None:
                yield Record(path, begin, row)
            elif len(row) != len(names):
                self.broken.append(
                    f"{path}:{begin}: expected {len(names)} fields as in the header, got {len(row)}"
                )
            else:
                yield Record(path, begin, dict(zip(names, row, strict=True)))

    def json_file(self, path: Path, kind: type[R]) -> R | None:
        """A file that is one JSON value of this kind; None, noted as broken, if it is not.

        Nothing is counted as read: the caller counts the records inside.
        """
        text = self._text(path)
        if text is None:
            return None
        try:
            value = _json(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            self.read += 1
            self.broken.append(f"{path}:{line}: expected JSON: {error}")
            return None
        if not isinstance(value, kind):
            self.read += 1
            self.broken.append(f"{path}:1: expected a JSON {kind.__name__}, got {text[:60]!r}")
            return None
        return value

    def checked(self, records: Iterable[Record], check: Callable[[Any], None]) -> Iterator[Record]:
        """The records that pass `check`, which raises a ValueError on the others' values."""
        for record in records:
            try:
                check(record.value)
            except ValueError as error:
                self.broken.append(f"{record.where}: {error}")
            else:
                yield record

    def unique(self, items: Iterable[Item[R]]) -> list[Item[R]]:
        """The first item of each key, in the order of the keys; the others count as duplicates."""
        first: dict[str, Item[R]] = {}
        for item in items:
            if item.key in first:
                self.duplicates += 1
            first.setdefault(item.key, item)
        return [first[key] for key in sorted(first)]

    def raise_broken(self) -> None:
        """Raises:
        ValueError: if any record was broken; names file and line of each (of the first 20).
        """
        if self.broken:
            more = len(self.broken) - SHOWN
            rest = [f"... and {more} more"] if more > 0 else []
            raise ValueError("\n".join([*self.broken[:SHOWN], *rest]))

    def _parsed(self, path: Path, number: int, line: bytes) -> dict[str, Any] | None:
        try:
            value = _json(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            self.broken.append(f"{path}:{number}: expected JSON in UTF-8: {error}")
            return None
        if not isinstance(value, dict):
            self.broken.append(f"{path}:{number}: expected an object, got {line[:60]!r}")
            return None
        return value

    def _text(self, path: Path) -> str | None:
        self.files.append(path)
        data = path.read_bytes()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.read += 1
            self.broken.append(f"{path}:{line}: expected UTF-8: {error}")
            return None


def _json(text: str) -> Any:
    """The value of a JSON text; half a surrogate pair, which no UTF-8 can hold, is refused."""
    value = json.loads(text)
    if SURROGATE.search(text):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def whole(
    read: Callable[..., list[Item[R]]], rng: np.random.Generator, **rules: Any
) -> list[Item[R]]:
    """What a task's `read` returns, where no record may be broken.

    Raises:
        ValueError: if any record is broken; names file and line.
    """
    intake = Intake()
    items = read(intake, rng, **rules)
    intake.raise_broken()
    return items


def held_out(group: str) -> bool:
    """Whether a group of items (a story, a page) belongs to the held-out quarter.

    It depends on the group alone, so more upstream files move no item from one split to the other.
    """
    return int(content_hash("split", group), 16) % 4 == 0


def of_split(items: Iterable[Item[R]], split: str) -> list[Item[R]]:
    """The items of `train` or `heldout`."""
    return [item for item in items if held_out(item.group) == (split == "heldout")]


def draw(items: Sequence[R], n: int | None, rng: np.random.Generator, what: str) -> list[R]:
    """`n` of the items (128 as in K24 if None, fewer if there are not so many), in a drawn order.

    Args:
        what: names the items in the message.

    Raises:
        ValueError: if `n` is negative, or there is nothing to draw from.
    """
    if n is not None and n < 0:
        raise ValueError(f"the number of questions must not be negative, got {n}")
    if not items:
        raise ValueError(f"no question left in {what}: use more upstream files, or fewer filters")
    chosen = rng.permutation(len(items))[: DEFAULT_N if n is None else n]
    return [items[i] for i in chosen]


def binary(
    item: Item[Any],
    task: str,
    question: str,
    right: str,
    wrong: str,
    rng: np.random.Generator,
    *,
    licence: str,
    wrong_rule: str,
    article: str | None = None,
    images: tuple[str, ...] = (),
    **meta: Any,
) -> Question:
    """The question of an item, with the order of its answers drawn and its provenance kept.

    Args:
        wrong_rule: how the wrong answer was chosen.
        meta: what else to keep; any JSON values.
    """
    order = [int(i) for i in rng.permutation(2)]
    return Question(
        id=f"{task}-{item.key}",
        task=task,
        question=question,
        answers=((right, wrong)[order[0]], (right, wrong)[order[1]]),
        correct=order.index(0),
        article=article,
        images=images,
        meta={
            "licence": licence,
            "upstream_id": item.upstream_id,
            "content_hash": item.key,
            "permutation": order,
            "wrong_rule": wrong_rule,
            "filters": list(item.filters),
            **meta,
        },
    )
