"""Frozen suites: the very questions of a benchmark in one file, so that they can be run again.

JSON Lines. The first line is the header: `schema`, `seed`, `split`, `n`, `tasks` (of each, how many
questions there are and with which options they were drawn) and `sha256` of all that follows. Then
one `question` record a line. The same seed and the same upstream files give the same bytes,
whatever the order in which the tasks are named and wherever the files lie: images are stored in
the file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from debate_gym.envs.images import data_uri
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import BENCHMARK_OPTIONS, NINE, load_task

SCHEMA = "debate_gym/suite/1"


def freeze(
    path: Path,
    tasks: Sequence[str] = NINE,
    *,
    n: int = 128,
    seed: int = 0,
    split: str = "heldout",
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, int]:
    """Draws `n` questions of each task and writes them; the file appears when it is complete.

    Args:
        options: of the tasks, by name; those of the benchmark for a task that is not named.

    Returns:
        How many questions of each task there are (fewer than `n` where there are not so many).

    Raises:
        ValueError: on a broken record, a task named twice, or a task without questions.
        FileNotFoundError: if a task's files are not there.
    """
    if len(set(tasks)) != len(tasks):
        raise ValueError(f"tasks are named twice: {list(tasks)}")
    chosen = {
        name: dict((options or {}).get(name, BENCHMARK_OPTIONS.get(name, {}))) for name in tasks
    }
    drawn = {name: load_task(name, split, n, seed, **chosen[name]) for name in sorted(tasks)}
    body = b"".join(_line(_portable(question).to_json()) for q in drawn.values() for question in q)
    counts = {name: len(questions) for name, questions in drawn.items()}
    header = {
        "schema": SCHEMA,
        "seed": seed,
        "split": split,
        "n": n,
        "tasks": {name: {"questions": counts[name], "options": chosen[name]} for name in drawn},
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(_line(header) + body)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return counts


def read_suite(path: Path) -> tuple[dict[str, Any], list[Question]]:
    """Header and questions of a suite, checked.

    Raises:
        ValueError: if the file is no suite, or not the bytes that were frozen; names the line.
    """
    first, _, body = path.read_bytes().partition(b"\n")
    header = _header(path, first)
    questions = []
    for number, line in enumerate(body.splitlines(), 2):
        try:
            questions.append(Question.from_json(json.loads(line)))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path}:{number}: expected a question record: {error}") from error
    digest = hashlib.sha256(body).hexdigest()
    if digest != header["sha256"]:
        raise ValueError(
            f"{path}:1: the questions have the checksum {digest}, the header says "
            f"{header['sha256']}: the file was changed or cut off after it was frozen"
        )
    return header, questions


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}:1: expected the header of a suite: {error}") from error
    if not isinstance(header, dict) or header.get("schema") != SCHEMA or "sha256" not in header:
        raise ValueError(f"{path}:1: expected a header with the schema {SCHEMA}, got {line[:80]!r}")
    tasks = header.get("tasks")
    if not isinstance(tasks, dict) or not all(
        isinstance(row, dict) and "questions" in row for row in tasks.values()
    ):
        raise ValueError(f"{path}:1: tasks must say of each its questions, got {tasks!r:.80}")
    return header


def _line(record: Mapping[str, Any]) -> bytes:
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return text.encode("utf-8") + b"\n"


def _portable(question: Question) -> Question:
    return replace(question, images=tuple(_stored(image) for image in question.images))


def _stored(image: str) -> str:
    if image.startswith("data:"):
        return image
    try:
        return data_uri(Path(image).read_bytes())
    except ValueError as error:
        raise ValueError(f"{image}: {error}") from error
