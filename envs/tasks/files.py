"""Upstream files: where they are, how they are read, and which split an item belongs to.

They are looked for below the folder that `DEBATE_GYM_DATA` names, and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

VARIABLE = "DEBATE_GYM_DATA"
DEFAULT_N = 128


def find_files(task: str, names: tuple[str, ...], source: str) -> list[Path]:
    """All files of these names below `$DEBATE_GYM_DATA/TASK`, by name in the order given.

    Args:
        source: where people get them, for the message.

    Raises:
        FileNotFoundError: if the variable is not set, or none of the files is there; says where
            it looked, which names it expected and how to get the files.
    """
    root = os.environ.get(VARIABLE)
    if not root:
        raise FileNotFoundError(
            f"task {task!r} reads upstream files: set {VARIABLE} to a folder with one of "
            f"{', '.join(names)} below {task}/. Get the files from {source}"
        )
    folder = Path(root).expanduser() / task
    found = [path for name in names for path in sorted(folder.rglob(name)) if path.is_file()]
    if not found:
        state = "the folder holds" if folder.is_dir() else "there is no such folder, so"
        raise FileNotFoundError(
            f"task {task!r}: looked below {folder} ({VARIABLE}={root}): {state} none of "
            f"{', '.join(names)}. Get them from {source}"
        )
    return found


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and objects of a JSON Lines file; blank lines are passed over.

    Raises:
        ValueError: on a line that is no JSON object in UTF-8; names file and line.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8-sig"))
            except ValueError as error:
                raise ValueError(f"{path}:{number}: expected JSON in UTF-8: {error}") from error
            if not isinstance(record, dict):
                raise ValueError(f"{path}:{number}: expected an object, got {line[:60]!r}")
            yield number, record


def content_hash(*parts: str) -> str:
    """Sixteen hex digits over texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:16]


def held_out(key: str) -> bool:
    """Whether a group of items (a story, a page) belongs to the held-out quarter.

    It depends on the key alone, so more upstream files move no item from one split to the other.
    """
    return int(content_hash("split", key), 16) % 4 == 0


def draw(items: Sequence[T], n: int | None, rng: np.random.Generator, what: str) -> list[T]:
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
