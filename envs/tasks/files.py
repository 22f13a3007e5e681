"""Where upstream files are: below the folder that `DEBATE_GYM_DATA` names, and nowhere else."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VARIABLE = "DEBATE_GYM_DATA"


def find_files(task: str, names: tuple[str, ...], source: str) -> list[Path]:
    """All files of these names below `$DEBATE_GYM_DATA/TASK`, in a fixed order.

    Args:
        source: where people get them, for the message.

    Raises:
        FileNotFoundError: if the variable is not set, or none of the files is there.
    """
    root = os.environ.get(VARIABLE)
    if not root:
        raise FileNotFoundError(
            f"task {task!r} reads upstream files: set {VARIABLE} to a folder with "
            f"{task}/{names[0]} in it. Get the files from {source}"
        )
    folder = Path(root) / task
    found = sorted(path for name in names for path in folder.rglob(name))
    if not found:
        raise FileNotFoundError(
            f"task {task!r}: none of {', '.join(names)} below {folder} ({VARIABLE}={root}). "
            f"Get them from {source}"
        )
    return found


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and objects of a JSON Lines file.

    Raises:
        ValueError: on a line that is no JSON object; names file and line.
    """
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}:{number}: not JSON: {error}") from error
            if not isinstance(record, dict):
                raise ValueError(f"{path}:{number}: expected an object, got {line[:60]!r}")
            yield number, record


def content_hash(*parts: str) -> str:
    """Sixteen hex digits over texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:16]


def held_out(key: str) -> bool:
    """Whether a group of items (an article, a passage) belongs to the held-out quarter."""
    return int(content_hash("split", key), 16) % 4 == 0


def first_words(text: str, limit: int | None) -> str:
    """The text up to its `limit`-th word, layout kept; all of it if None.

    Raises:
        ValueError: on a limit below 1.
    """
    if limit is None:
        return text
    if limit < 1:
        raise ValueError(f"max_article_words must be at least 1, got {limit}")
    end = 0
    for _ in range(limit):
        while end < len(text) and text[end].isspace():
            end += 1
        while end < len(text) and not text[end].isspace():
            end += 1
    return text[:end]
