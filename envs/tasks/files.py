"""Upstream files: where they are.

They are looked for below the folder that `DEBATE_GYM_DATA` names; without it, below
`debate_gym/data` in the user's cache folder, where `debate-gym data fetch` puts them.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

VARIABLE = "DEBATE_GYM_DATA"


def data_root() -> Path:
    """The folder with one folder of upstream files for each data set."""
    root = os.environ.get(VARIABLE)
    if root:
        return Path(root).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "debate_gym" / "data"


def find_files(folder: str, names: tuple[str, ...], source: str) -> list[Path]:
    """All files of these names below `FOLDER` of the data root, by name in the order given.

    Args:
        names: file names or patterns of `pathlib`; a file is found once, by its first name.
        source: where people get them, for the message.

    Raises:
        FileNotFoundError: if none of the files is there; says where it looked, which names it
            expected and how to get the files.
    """
    below = data_root() / folder
    found = dict.fromkeys(
        path for name in names for path in sorted(below.rglob(name)) if path.is_file()
    )
    if not found:
        state = "the folder holds" if below.is_dir() else "there is no such folder, so"
        raise FileNotFoundError(
            f"{folder}: looked below {below} ({_why()}): {state} none of {', '.join(names)}. "
            f"Run `debate-gym data fetch {folder}`, or get the files from {source}"
        )
    return list(found)


def _why() -> str:
    root = os.environ.get(VARIABLE)
    return f"{VARIABLE}={root}" if root else f"{VARIABLE} is not set"


def content_hash(*parts: str) -> str:
    """Sixteen hex digits over texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:16]
