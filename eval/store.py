"""An append-only file of episodes that survives being killed."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from debate_gym.envs.nouns import Episode


class FileError(ValueError):
    """A file that does not hold what it should; the message names file and line."""


def read_records(path: Path, *, torn_end: bool = False) -> Iterator[dict[str, Any]]:
    """Yields the objects of a JSON Lines file.

    Args:
        torn_end: leave out a last line without a line end: what a killed writer leaves behind.

    Raises:
        FileError: on a line that is no JSON object.
    """
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            if torn_end and not line.endswith("\n"):
                return
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise FileError(f"{path}:{number}: not JSON: {error}") from error
            if not isinstance(record, dict):
                raise FileError(f"{path}:{number}: expected a JSON object, got {line[:60]!r}")
            yield record


def read_episodes(path: Path, *, torn_end: bool = False) -> list[Episode]:
    """Reads an episode file.

    Raises:
        FileError: on a record that is no episode.
    """
    episodes = []
    for number, record in enumerate(read_records(path, torn_end=torn_end), 1):
        try:
            episodes.append(Episode.from_json(record))
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise FileError(
                f"{path}: record {number} is no episode: {type(error).__name__}: {error}"
            ) from error
    return episodes


class EpisodeStore:
    """Appends episodes, each handed to the system as it ends.

    Opening a store cuts off a torn last line, so that every line of it parses. One process writes
    to a store at a time.

    Raises:
        FileError: if another process holds it, or a line of it is no episode.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        self._lock()
        self._repair()
        self.episodes = read_episodes(path)

    def append(self, episode: Episode) -> None:
        """Writes one episode."""
        line = json.dumps(episode.to_json(), ensure_ascii=False) + "\n"
        self._file.write(line.encode("utf-8"))
        self._file.flush()
        self.episodes.append(episode)

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def __enter__(self) -> EpisodeStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FileError(f"{self.path} is being written to by another process") from error

    def _repair(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)
