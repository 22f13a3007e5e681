"""Answers on disk, so that nothing is paid for twice, and a count of what was paid.

One SQLite file for all servers: it is safe against several processes and against a kill at any
moment. An answer is filed under the whole request: URL, model, messages, options and seed. The key
to the server is in none of it.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from debate_gym.agents.smollm2 import cache_folder

BUSY_SECONDS = 60.0
TABLES = """
create table if not exists answers (key text primary key, url text not null,
    model text not null, answer text not null, at real not null);
create table if not exists calls (at real not null, url text not null, model text not null,
    outcome text not null, prompt_tokens integer not null, completion_tokens integer not null);
"""


@dataclass(slots=True)
class Usage:
    """What was asked of a server, and paid.

    Attributes:
        requests: that were sent, retries included.
        failed: of those, the ones that brought no answer that can be used.
        cached: answers that were had without a request.
        prompt_tokens, completion_tokens: of all requests whose answer told them, failed ones
            included; cached ones cost nothing.
    """

    requests: int = 0
    failed: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def price(self, prompt: float, completion: float) -> float:
        """What the tokens cost.

        Args:
            prompt, completion: price of a million tokens each.
        """
        return (self.prompt_tokens * prompt + self.completion_tokens * completion) / 1e6

    def to_json(self) -> dict[str, int]:
        return asdict(self)


def default_file() -> Path:
    """`answers.sqlite` in the package's cache folder (`DEBATE_GYM_CACHE` moves it)."""
    return cache_folder() / "answers.sqlite"


class AnswerCache:
    """The file of answers.

    Args:
        path: made if it is not there.

    Raises:
        OSError: if the file is no such cache or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # The client calls from its own thread, one call at a time.
            self._file = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
            self._file.executescript(TABLES)
        except sqlite3.Error as error:
            raise OSError(f"{path} is no cache of answers ({error}): move it away") from error

    def get(self, key: str) -> str | None:
        rows = self._run("select answer from answers where key = ?", key)
        return str(rows[0][0]) if rows else None

    def put(self, key: str, url: str, model: str, answer: str) -> str:
        """Keeps an answer, unless another process has been first: then that one counts.

        Returns:
            The answer that is kept.
        """
        insert = "insert or ignore into answers values (?, ?, ?, ?, ?)"
        self._run(insert, key, url, model, answer, time.time())
        kept = self.get(key)
        return answer if kept is None else kept

    def count(self, url: str, model: str, outcome: str, tokens: tuple[int, int]) -> None:
        """Notes a request that was sent; `outcome` is `ok` or what went wrong, in a word."""
        insert = "insert into calls values (?, ?, ?, ?, ?, ?)"
        self._run(insert, time.time(), url, model, outcome, *tokens)

    def totals(self) -> dict[tuple[str, str], Usage]:
        """What was ever paid, by URL and model; `cached` is not counted here."""
        rows = self._run(
            "select url, model, count(*), sum(outcome != 'ok'), 0, sum(prompt_tokens), "
            "sum(completion_tokens) from calls group by url, model order by url, model"
        )
        return {(url, model): Usage(*counts) for url, model, *counts in rows}

    def close(self) -> None:
        self._file.close()

    def _run(self, statement: str, *values: Any) -> list[Any]:
        try:
            with self._file:
                return self._file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: the cache of answers failed: {error}") from error

    def __reduce__(self) -> Any:
        return AnswerCache, (self.path,)


def request_key(request: Mapping[str, Any]) -> str:
    """The hash that an answer is filed under."""
    return sha256(canonical(request).encode()).hexdigest()


def canonical(request: Mapping[str, Any]) -> str:
    """As JSON, equal for equal requests."""
    return json.dumps(request, sort_keys=True, separators=(",", ":"))
