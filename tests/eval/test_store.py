from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs.nouns import Episode, Outcome
from debate_gym.eval.store import EpisodeStore, FileError, read_episodes, read_records


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_what_is_appended_is_read_back(tmp_path: Path, episodes: tuple[Episode, ...]) -> None:
    path = tmp_path / "new" / "episodes.jsonl"
    with EpisodeStore(path) as store:
        for episode in episodes[:2]:
            store.append(episode)
        assert [e.id for e in read_episodes(path)] == [e.id for e in episodes[:2]]
    with EpisodeStore(path) as store:
        store.append(episodes[2])
        assert [e.to_json() for e in store.episodes] == [e.to_json() for e in episodes[:3]]


def test_a_torn_last_line_is_cut_off_and_written_over(
    tmp_path: Path, episodes: tuple[Episode, ...]
) -> None:
    path = write(tmp_path / "e.jsonl", episodes[0].to_json())
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:100])
    assert len(read_episodes(path, torn_end=True)) == 1
    with pytest.raises(FileError, match=r"e\.jsonl:2: not JSON"):
        read_episodes(path)
    with EpisodeStore(path) as store:
        assert [e.id for e in store.episodes] == [episodes[0].id]
        store.append(episodes[1])
    assert [e.id for e in read_episodes(path)] == [e.id for e in episodes[:2]]


def test_unknown_keys_stay_in_the_file(tmp_path: Path, episodes: tuple[Episode, ...]) -> None:
    path = write(tmp_path / "e.jsonl", {**episodes[0].to_json(), "mine": [1]})
    with EpisodeStore(path) as store:
        store.append(episodes[1])
    assert next(read_records(path))["mine"] == [1]


def test_two_writers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    other = "import sys; from pathlib import Path; from debate_gym.eval.store import EpisodeStore\n"
    with EpisodeStore(path):
        done = subprocess.run(
            [sys.executable, "-c", other + "EpisodeStore(Path(sys.argv[1]))", str(path)],
            capture_output=True,
            text=True,
        )
    assert "being written to by another process" in done.stderr


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


def verdict(record: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**record, "verdicts": [{**record["verdicts"][0], **changes}]}


BROKEN: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda r: [r], "expected a JSON object"),
    (lambda r: without(r, "question_id"), "lacks the key 'question_id'"),
    (lambda r: {**r, "condition": None}, "condition must be a text"),
    (lambda r: {**r, "answers": ["a", "b", "c"]}, "two answers"),
    (lambda r: {**r, "correct": 2}, "correct must be 0 or 1"),
    (lambda r: {**r, "seats": []}, "no episode"),
    (lambda r: {**r, "verdicts": []}, "no verdict"),
    (lambda r: verdict(r, outcome="won"), "'won' is not a valid Outcome"),
    (lambda r: verdict(r, p=[0.9, 0.9]), "add up to 1"),
    (lambda r: verdict(r, p=["a", "b"]), "no episode"),
    (lambda r: verdict(r, choice=7, p=None, outcome="correct"), "choice must be"),
    (lambda r: verdict(r, choice=0, p=[0.1, 0.9], outcome="correct"), "means choice 1"),
]


@pytest.mark.parametrize(("damage", "reason"), BROKEN)
def test_errors_name_file_and_line(
    tmp_path: Path,
    episodes: tuple[Episode, ...],
    damage: Callable[[dict[str, Any]], Any],
    reason: str,
) -> None:
    good = episodes[0].to_json()
    path = tmp_path / "e.jsonl"
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(damage(good))}\n")
    with pytest.raises(FileError, match=rf"e\.jsonl:3: .*{reason}"):
        read_episodes(path)
    path.write_text(f"{json.dumps(good)}\n" + "[" * 100_000)
    with pytest.raises(FileError, match=r"e\.jsonl:2: not JSON"):
        read_episodes(path)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"{}\n\xff\n")
    with pytest.raises(FileError, match=r"e\.jsonl:2: not JSON in UTF-8"):
        list(read_records(path))


@pytest.mark.parametrize(
    ("choice", "outcome", "p"),
    [(0, "correct", (1, 0)), (1, "incorrect", (0, 1)), (None, "tie", (0.5, 0.5))],
)
def test_a_verdict_in_words_is_sure_of_its_choice(
    tmp_path: Path,
    episodes: tuple[Episode, ...],
    choice: int | None,
    outcome: str,
    p: tuple[float, float],
) -> None:
    record = verdict(episodes[0].to_json(), choice=choice, outcome=outcome, p=None)
    (read,) = read_episodes(write(tmp_path / "e.jsonl", {**record, "correct": 0}))
    assert read.verdicts[0].p == p
    assert read.verdicts[0].outcome is Outcome(outcome)
