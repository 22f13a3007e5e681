"""Reads panel files: JSON Lines, or parquet of the same columns.

A record is `id, model, family, question_id, gold, options[], rounds[[letter|null, ...], ...]`, with
`task` and `texts` (in the shape of `rounds`) where they are known. The options are lettered A, B,
C, ... in their order. There are at least two rounds, and every round has the same seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.eval.ledger.panels import LETTERS, UNPARSED, Labels, Panels
from debate_gym.eval.store import FileError, numbered_records

NAMES = ("id", "model", "family", "question_id")
REQUIRED = (*NAMES, "gold", "options", "rounds")
CODES = {letter: code for code, letter in enumerate(LETTERS)}


def read_panels(path: Path) -> Panels:
    """Reads a panel file; parquet if its name ends so.

    Raises:
        FileError: on a record that is no panel debate, or an id that comes twice; the message
            names file and line (of parquet: row, counted from 1).
        ValueError: on a parquet file, where pyarrow is not installed.
    """
    if path.suffix == ".parquet":
        from debate_gym.eval.ledger.panel_parquet import read_parquet

        return read_parquet(path)
    return table_of([record for _, record in panel_records(path)])


def panel_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields line number and record of a JSON Lines panel file, checked.

    Raises:
        FileError: as in `read_panels`.
    """
    seen: set[str] = set()
    for number, record in numbered_records(path):
        try:
            check_record(record)
        except ValueError as error:
            raise FileError(f"{path}:{number}: no panel debate: {error}") from error
        if record["id"] in seen:
            raise FileError(f"{path}:{number}: the id {record['id']!r} came before")
        seen.add(record["id"])
        yield number, record


def check_record(record: dict[str, Any]) -> None:
    """
    Raises:
        ValueError: if the record is no panel debate.
    """
    for key in REQUIRED:
        if key not in record:
            raise ValueError(f"it lacks the key {key!r}; it has {sorted(record)}")
    for key in (*NAMES, "task"):
        if not isinstance(record.get(key, ""), str):
            raise ValueError(f"{key} must be a text, got {record[key]!r}")
    letters = _letters(record["options"])
    if not isinstance(record["gold"], str) or record["gold"] not in letters:
        raise ValueError(f"gold must be one of {', '.join(letters)}, got {record['gold']!r}")
    _check_rounds(record["rounds"], letters)
    if record.get("texts") is not None:
        _check_texts(record["texts"], record["rounds"])


def _letters(options: Any) -> tuple[str, ...]:
    if not isinstance(options, list) or not 2 <= len(options) <= len(LETTERS):
        raise ValueError(f"options must be a list of 2 to {len(LETTERS)}, got {options!r:.80}")
    return tuple(LETTERS[: len(options)])


def _check_rounds(rounds: Any, letters: tuple[str, ...]) -> None:
    if not isinstance(rounds, list) or len(rounds) < 2:
        raise ValueError(f"rounds must be a list of round 0 and revisions, got {rounds!r:.80}")
    for number, answers in enumerate(rounds):
        if not isinstance(answers, list) or not answers or len(answers) != len(rounds[0]):
            raise ValueError(
                f"round {number} must hold one answer for each seat, as round 0 does: "
                f"{rounds[0]!r:.40}; got {answers!r:.80}"
            )
        for answer in answers:
            # A tuple, for `in` of a text would take "AB" and "".
            if answer is not None and answer not in letters:
                raise ValueError(
                    f"round {number}: an answer must be null or one of {', '.join(letters)}, got "
                    f"{answer!r}"
                )


def _check_texts(texts: Any, rounds: list[list[str | None]]) -> None:
    shape = [len(answers) for answers in rounds]
    if not isinstance(texts, list) or not all(isinstance(row, list) for row in texts):
        raise ValueError(f"texts must be lists in the shape of rounds, got {texts!r:.80}")
    if [len(row) for row in texts] != shape:
        raise ValueError(
            f"texts must have the shape of rounds, {shape} seats a round, got "
            f"{[len(row) for row in texts]}"
        )
    if not all(text is None or isinstance(text, str) for row in texts for text in row):
        raise ValueError("each of texts must be a text or null")


def table_of(records: Sequence[dict[str, Any]]) -> Panels:
    """The table of checked records."""
    n = len(records)
    played = [len(record["rounds"]) for record in records]
    seats = max((len(record["rounds"][0]) for record in records), default=1)
    answers = np.full((n, max(played, default=1), seats), UNPARSED, np.int8)
    for row, record in enumerate(records):
        codes = [[CODES.get(a, UNPARSED) for a in answer] for answer in record["rounds"]]
        answers[row, : len(codes), : len(codes[0])] = codes
    return Panels(
        ids=np.array([record["id"] for record in records], dtype=object),
        model=Labels.of([record["model"] for record in records]),
        family=Labels.of([record["family"] for record in records]),
        question=Labels.of([record["question_id"] for record in records]),
        task=Labels.of([record.get("task", "") for record in records]),
        answers=answers,
        last=np.array(played, np.int16) - np.int16(1),
        gold=np.array([CODES[record["gold"]] for record in records], np.int8),
        options=np.array([len(record["options"]) for record in records], np.int8),
    )
