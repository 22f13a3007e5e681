"""Reads panel files in parquet, without a Python object per answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from debate_gym.eval.ledger.needs import library
from debate_gym.eval.ledger.panel_file import NAMES, REQUIRED, check_record
from debate_gym.eval.ledger.panels import LETTERS, UNPARSED, Codes, Labels, Panels
from debate_gym.eval.store import FileError

Ints = npt.NDArray[np.int64]


def read_parquet(path: Path) -> Panels:
    """See `debate_gym.eval.ledger.panel_file.read_panels`."""
    names = set(library("pyarrow.parquet").read_schema(path).names)
    for key in REQUIRED:
        if key not in names:
            raise FileError(f"{path}: no panel debates: it lacks the column {key!r}")
    table = _read(path, [*REQUIRED, *({"task"} & names)])
    try:
        panels = _panels(table)
    except ValueError as error:
        raise _explain(path, table, error) from error
    _check_ids(path, panels.ids)
    return panels


def parquet_records(path: Path) -> list[dict[str, Any]]:
    """The records of a parquet file as Python objects, unchecked."""
    rows: list[dict[str, Any]] = library("pyarrow.parquet").read_table(path).to_pylist()
    return rows


def _read(path: Path, columns: list[str]) -> dict[str, Any]:
    table = library("pyarrow.parquet").read_table(path, columns=columns, use_threads=False)
    return {name: _whole(table.column(name)) for name in columns}


def _whole(column: Any) -> Any:
    """A chunked column as one array."""
    chunks = column.combine_chunks()
    return chunks if not hasattr(chunks, "chunks") else library("pyarrow").concat_arrays(chunks)


def _panels(table: dict[str, Any]) -> Panels:
    answers, last = _answers(table["rounds"])
    gold = _letters(table["gold"])
    options = _lengths(table["options"])
    highest = np.where(options <= len(LETTERS), options, 0)
    if (gold < 0).any() or (gold >= highest).any() or (options < 2).any():
        raise ValueError("gold and options")
    if (answers.max(axis=(1, 2), initial=UNPARSED) >= highest).any():
        raise ValueError("answers beyond the options")
    n = len(table["id"])
    task = _labels(table["task"]) if "task" in table else Labels(("",), np.zeros(n, np.int32))
    return Panels(
        ids=_texts(table["id"]).to_numpy(zero_copy_only=False),
        model=_labels(table["model"]),
        family=_labels(table["family"]),
        question=_labels(table["question_id"]),
        task=task,
        answers=answers,
        last=last,
        gold=gold,
        options=options.astype(np.int8),
    )


def _answers(rounds: Any) -> tuple[Codes, npt.NDArray[np.int16]]:
    """Codes (n, rounds, seats), and the index of each debate's last round."""
    played = _lengths(rounds)
    inner = rounds.flatten()
    seats = _lengths(inner)
    codes = _letters(inner.flatten(), nullable=True)
    if (played < 2).any() or (seats < 1).any():
        raise ValueError("a debate without a revision, or a round without seats")
    starts = np.cumsum(played) - played
    if (seats != np.repeat(seats[starts], played)).any():
        raise ValueError("rounds of different seats")
    shape = (len(played), int(played.max(initial=1)), int(seats.max(initial=1)))
    last = (played - 1).astype(np.int16)
    if codes.size == shape[0] * shape[1] * shape[2]:
        return codes.reshape(shape), last
    answers = np.full(shape, UNPARSED, np.int8)
    debate = np.repeat(np.arange(shape[0]), played)
    round = np.arange(len(seats)) - np.repeat(starts, played)
    seat = np.arange(codes.size) - np.repeat(np.cumsum(seats) - seats, seats)
    answers[np.repeat(debate, seats), np.repeat(round, seats), seat] = codes
    return answers, last


def _lengths(lists: Any) -> Ints:
    if lists.null_count or not hasattr(lists, "value_lengths"):
        raise ValueError("a list is missing")
    lengths: Ints = lists.value_lengths().to_numpy().astype(np.int64)
    return lengths


def _letters(column: Any, *, nullable: bool = False) -> Codes:
    """Codes of one-letter texts, straight from the column's bytes; `UNPARSED` for null."""
    texts = _texts(column, nullable)
    if not len(texts):
        return np.zeros(0, np.int8)
    _, places, data = texts.buffers()
    ends = np.frombuffer(places, np.int64)[texts.offset :][: len(texts) + 1]
    valid = texts.is_valid().to_numpy(zero_copy_only=False)
    if (np.diff(ends)[valid] != 1).any():
        raise ValueError("an answer is no letter")
    codes = np.full(len(texts), UNPARSED, np.int8)
    if valid.any():
        letters = np.frombuffer(data, np.uint8)[ends[:-1][valid]]
        if ((letters < ord("A")) | (letters > ord("Z"))).any():
            raise ValueError("an answer is no letter")
        codes[valid] = (letters - ord("A")).astype(np.int8)
    return codes


def _texts(column: Any, nullable: bool = False) -> Any:
    pyarrow = library("pyarrow")
    kinds = (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.null())
    coded = library("pyarrow.types").is_dictionary(column.type)
    kind = column.type.value_type if coded else column.type
    if kind not in kinds or (column.null_count and not nullable):
        raise ValueError("a text is missing")
    return column.cast(pyarrow.large_string())


def _labels(column: Any) -> Labels:
    encoded = _texts(column).dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return Labels(tuple(encoded.dictionary.to_pylist()), codes)


def _explain(path: Path, table: dict[str, Any], error: ValueError) -> FileError:
    """Names the first row that is no panel debate, as a line of JSON would be named."""
    for row in range(len(table["id"])):
        try:
            check_record({key: column[row].as_py() for key, column in table.items()})
        except ValueError as reason:
            return FileError(f"{path}:{row + 1}: no panel debate: {reason}")
    return FileError(
        f"{path}: no panel debates: {error}; expected texts in {', '.join(NAMES)} and gold, and "
        "lists of texts in options and rounds"
    )


def _check_ids(path: Path, ids: npt.NDArray[np.object_]) -> None:
    if len(set(ids)) == len(ids):
        return
    seen: set[str] = set()
    for row, id in enumerate(ids):
        if id in seen:
            raise FileError(f"{path}:{row + 1}: the id {id!r} came before")
        seen.add(id)
