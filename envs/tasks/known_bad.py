"""A list of questions whose upstream labels are known to be wrong, to be left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from debate_gym.envs.tasks.intake import Item

RULE = "known bad label"
NAMES = ("content_hash", "upstream_id")


def read_known_bad(path: str | Path | None) -> frozenset[str]:
    """The content hashes and upstream ids of a list; none if the path is None.

    Args:
        path: a text file with one of them a line, or JSON Lines with objects that have a
            `content_hash`, an `upstream_id` or both. Blank lines and lines that begin with # are
            passed over.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: on a line that is neither; names file and line.
    """
    if path is None:
        return frozenset()
    lines = enumerate(Path(path).read_text("utf-8-sig").splitlines(), 1)
    texts = ((number, line.strip()) for number, line in lines)
    found = (
        name
        for number, text in texts
        if text and not text.startswith("#")
        for name in _names(text, f"{path}:{number}")
    )
    return frozenset(found)


def listed(item: Item[Any], known_bad: frozenset[str]) -> bool:
    """Whether an item is in the list, by its content hash or by its upstream id."""
    return item.key in known_bad or item.upstream_id in known_bad


def _names(text: str, where: str) -> list[str]:
    if not text.startswith("{"):
        return [text]
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{where}: expected JSON: {error}") from None
    names = [value[name] for name in NAMES if isinstance(value.get(name), str)]
    if not names:
        raise ValueError(f"{where}: expected one of {', '.join(NAMES)}, got {text:.60}")
    return names
