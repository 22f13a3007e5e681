"""Upstream files: where they are.

They are looked for below the folder that `DEBATE_GYM_DATA` names, and nowhere else.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

VARIABLE = "DEBATE_GYM_DATA"


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


def content_hash(*parts: str) -> str:
    """Sixteen hex digits over texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:16]
