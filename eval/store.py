"""An append-only file of episodes that survives being killed."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from debate_gym.envs.nouns import Episode, Outcome, Question, Verdict
from debate_gym.envs.verdict import make_verdict


class FileError(ValueError):
    """A file that does not hold what it should; the message names file and line."""


def read_records(path: Path, *, torn_end: bool = False) -> Iterator[dict[str, Any]]:
    """Yields the objects of a JSON Lines file.

    Args:
        torn_end: leave out a last line without a line end: what a killed writer leaves behind.

    Raises:
        FileError: on a line that is no JSON object.
    """
    for _, record in numbered_records(path, torn_end=torn_end):
        yield record


def numbered_records(path: Path, *, torn_end: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields line number, counted from 1, and object; otherwise as `read_records`."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if torn_end and not line.endswith(b"\n"):
                return
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise FileError(f"{path}:{number}: not JSON in UTF-8: {error}") from error
            if not isinstance(record, dict):
                raise FileError(f"{path}:{number}: expected a JSON object, got {line[:60]!r}")
            yield number, record


def read_episodes(path: Path, *, torn_end: bool = False) -> list[Episode]:
    """Reads an episode file.

    A verdict with a choice and without probabilities, as a judge in words gives it, is read as
    sure of its choice; a tie without them as one half each.

    Raises:
        FileError: on a record that is no episode, or a verdict that contradicts itself.
    """
    episodes = []
    for number, record in numbered_records(path, torn_end=torn_end):
        try:
            episodes.append(_episode(record))
        except KeyError as error:
            raise FileError(f"{path}:{number}: no episode: it lacks the key {error}") from error
        except (ValueError, TypeError, IndexError, AttributeError) as error:
            raise FileError(f"{path}:{number}: no episode: {error}") from error
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
            self._file.close()
            raise FileError(f"{self.path} is being written to by another process") from error

    def _repair(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)


def _episode(record: dict[str, Any]) -> Episode:
    for key in ("id", "question_id", "task", "protocol", "condition"):
        if not isinstance(record[key], str):
            raise ValueError(f"{key} must be a text, got {record[key]!r}")
    if len(record["answers"]) != 2:
        raise ValueError(f"expected two answers, got {record['answers']!r}")
    episode = Episode.from_json(record)
    verdicts = tuple(_verdict(verdict, episode.question) for verdict in episode.verdicts)
    return replace(episode, verdicts=verdicts)


def _verdict(verdict: Verdict, question: Question) -> Verdict:
    if verdict.outcome in (Outcome.UNREADABLE, Outcome.FAILED):
        return verdict
    if verdict.choice not in (0, 1, None):
        raise ValueError(f"choice must be 0, 1 or null, got {verdict.choice!r}")
    p = verdict.p or {None: (0.5, 0.5), 0: (1.0, 0.0), 1: (0.0, 1.0)}[verdict.choice]
    meant = make_verdict(verdict.judge, verdict.order, p, question)
    if (meant.choice, meant.outcome) != (verdict.choice, verdict.outcome):
        raise ValueError(
            f"judge {verdict.judge!r} has choice {verdict.choice} and outcome "
            f"{verdict.outcome.value!r}, but p {p} with correct {question.correct} means choice "
            f"{meant.choice} and outcome {meant.outcome.value!r}"
        )
    return replace(verdict, p=p)
