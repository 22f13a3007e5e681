"""An append-only JSON Lines file that survives being killed."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from debate_gym.eval.store import FileError, read_records


class RecordFile:
    """Appends records, each call's handed to the system at once.

    Opening it cuts off a torn last line, so that every line of it parses; a file that holds
    something else is left as it is. One process writes to it at a time.

    Attributes:
        records: what the file held when it was opened.

    Raises:
        FileError: if another process holds it, or a line of it is no JSON object.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.records: list[dict[str, Any]] = list(read_records(path, torn_end=True))
            self._cut_torn_end(path)
        except BlockingIOError as error:
            self._file.close()
            raise FileError(f"{path} is being written to by another process") from error
        except FileError:
            self._file.close()
            raise

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Writes the records, in order."""
        lines = "".join(json.dumps(record) + "\n" for record in records)
        self._file.write(lines.encode("ascii"))
        self._file.flush()

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _cut_torn_end(self, path: Path) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole == 0 and content.strip() and not content.startswith(b"{"):
            raise FileError(f"{path}:1: expected a JSON object, got {content[:60]!r}")
        if whole < len(content):
            self._file.truncate(whole)
