"""MMMU's records as its layouts give them, in one form.

The layout of a record is told by its fields, whichever file it stands in:

- standard rows: one column a letter (`A` to `I`, NaN or null where there is no such option) and the
  pictures as base64 in `image` (several as a list, or as a string that holds a Python list); the
  row is a line of its own, or the `annotation` of a predictions line. Their NaN is not strict JSON.
- the hub's rows (`*.parquet`, or lines): `options` as a string that holds a Python list, and
  `image_1` to `image_7` as objects with `bytes` (base64 in a line) or `path`.
- the examples of MMMU-Pro's tool: `options` as a list and `image_1`... as paths, which are looked
  for beside the file and below its `static/`; no id, so the first picture's name gives it.
- the output files of MMMU-Pro: text fields only; their pictures are looked for by the name `ID_k`
  in all of the task's folder.

Nested lists of options are made flat, and options are lettered from A in their order.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from debate_gym.envs.tasks.files import data_root, find_files
from debate_gym.envs.tasks.intake import Intake, Record
from debate_gym.envs.tasks.mmmu_pictures import (
    Picture,
    absent,
    listed,
    picture_files,
    read_pictures,
)

SOURCE = "https://huggingface.co/datasets/MMMU/MMMU (and MMMU/MMMU_Pro)"
FILES = ("*.parquet", "*.jsonl")
NUMBERED = re.compile(r"_(\d+)\Z")
UNKNOWN = ("", "?")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of MMMU, as yet unfiltered.

    Attributes:
        id: split, subject and number (`validation_Math_1`), the same in both editions.
        edition: `standard` or `pro`; the same id has other options and another letter in the two.
        options: by letter.
        answer: a letter; "" where it is not public or the question is an open one.
        multiple_choice: False for open and short-answer questions.
        pictures: `<image k>` is `pictures[k - 1]`; None where it is not there.
    """

    id: str
    edition: str
    question: str
    options: Mapping[str, str]
    answer: str
    explanation: str
    multiple_choice: bool
    pictures: tuple[Picture | None, ...]


def read_asked(intake: Intake) -> Iterator[Asked]:
    """Every record in a known layout; others are noted as broken.

    Raises:
        FileNotFoundError: if there is no file.
        ModuleNotFoundError: on a parquet file without pyarrow.
    """
    paths = find_files("mmmu", FILES, SOURCE)
    named = picture_files(data_root() / "mmmu")
    for path in paths:
        rows = _parquet(intake, path) if path.suffix == ".parquet" else intake.json_lines(path)
        for record in rows:
            try:
                yield _asked(record, named)
            except ValueError as error:
                intake.broken.append(f"{record.where}: {error}")


def _asked(record: Record, named: Mapping[str, Path]) -> Asked:
    row = record.value.get("annotation", record.value)
    if not isinstance(row, dict):
        raise ValueError(f"annotation must be an object, got {row!r:.60}")
    name = _text(row, "id") or NUMBERED.sub("", Path(_text(row, "image_1")).stem)
    if not name:
        raise ValueError(f"expected an id, or a path in image_1; the record has {sorted(row)}")
    kind = _text(row, "question_type")
    choice = kind in ("", "multiple-choice")
    return Asked(
        id=name,
        edition="standard" if kind or "options" not in row else "pro",
        question=_text(row, "question"),
        options=_options(row) if choice else {},
        answer=_public(row, "answer") if choice else "",
        explanation=_public(row, "explanation"),
        multiple_choice=choice,
        pictures=read_pictures(row, name, record.path.parent, named),
    )


def _options(row: Mapping[str, Any]) -> dict[str, str]:
    if "options" not in row:
        letters = {letter: _text(row, letter) for letter in ascii_uppercase}
        if not any(letters.values()):
            raise ValueError(f"expected options, or columns A, B...; the record has {sorted(row)}")
        return {letter: text for letter, text in letters.items() if text}
    texts = list(_flat(listed(row["options"], "options")))
    if len(texts) > len(ascii_uppercase):
        raise ValueError(f"expected at most {len(ascii_uppercase)} options, got {len(texts)}")
    return dict(zip(ascii_uppercase, texts, strict=False))


def _flat(options: list[Any]) -> Iterator[str]:
    for option in options:
        if isinstance(option, (list, tuple)):
            yield from _flat(list(option))
        else:
            yield str(option).strip()


def _text(row: Mapping[str, Any], name: str) -> str:
    """A field's text, "" where it is null, NaN or not there."""
    value = row.get(name)
    if absent(value) or (name == "image_1" and not isinstance(value, str)):
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(f"{name} must be a text, got {value!r:.60}")
    return str(value).strip()


def _public(row: Mapping[str, Any], name: str) -> str:
    text = _text(row, name)
    return "" if text in UNKNOWN else text


def _parquet(intake: Intake, path: Path) -> Iterator[Record]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"reading {path} needs pyarrow: pip install pyarrow") from error
    intake.files.append(path)
    number = 0
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=64):
            for value in batch.to_pylist():
                intake.read += 1
                number += 1
                yield Record(path, number, value)
    except (OSError, ValueError) as error:  # pyarrow's own errors are these, too
        intake.read += 1
        intake.broken.append(f"{path}:{number + 1}: expected parquet: {error}")
