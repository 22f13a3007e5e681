from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs.nouns import Episode, Outcome
from debate_gym.envs.tasks import NINE
from debate_gym.eval import metrics
from debate_gym.eval.report.rows import Row, accuracy, kind, read_folder, rows
from debate_gym.eval.store import FileError

Make = Callable[..., dict[str, Any]]
Judged = Callable[..., list[Row]]


def write(path: Path, *records: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records))


def test_a_run_is_its_episodes_and_its_transcripts(tmp_path: Path, record: Make) -> None:
    write(tmp_path / "transcripts" / "step-2.jsonl", record("c"))
    write(tmp_path / "transcripts" / "step-1.jsonl", record("b"))
    assert [one.episode.id for one in read_folder(tmp_path)] == ["b", "c"]
    write(tmp_path / "episodes.jsonl", record("a"))
    assert [one.episode.id for one in read_folder(tmp_path)] == ["a", "b", "c"]
    assert [one.episode.id for one in read_folder(tmp_path / "episodes.jsonl")] == ["a"]


def test_a_run_that_is_being_written_can_be_read(tmp_path: Path, record: Make) -> None:
    path = tmp_path / "episodes.jsonl"
    write(path, record("a"))
    path.write_text(path.read_text() + '{"id": "to')
    assert [one.record["id"] for one in read_folder(tmp_path)] == ["a"]


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path, record: Make) -> None:
    with pytest.raises(FileNotFoundError, match=r"episodes\.jsonl.*transcripts/\*\.jsonl"):
        read_folder(tmp_path)
    write(tmp_path / "episodes.jsonl", record("a"), [1])
    with pytest.raises(FileError, match=r"episodes\.jsonl:2"):
        read_folder(tmp_path)


def test_one_row_a_judge_with_orders_averaged(judged: Judged, record: Make) -> None:
    first, second = judged(record("a", {"j": [0.9, 0.3], "k": [None]}))
    assert first.verdict.p == pytest.approx((0.6, 0.4))
    assert first.verdict.outcome is Outcome.CORRECT
    assert second.verdict.outcome is Outcome.UNREADABLE
    assert first.cost["prompt_tokens"] == 20
    assert first.sides == {"debater_0": ("m@1", 0), "debater_1": ("m@1", 1)}


def test_a_judge_who_names_an_answer_states_no_probability(judged: Judged, record: Make) -> None:
    words = record("a", 1.0)
    words["verdicts"][0]["p"] = None
    assert [row.stated for row in judged(words, record("b", 1.0))] == [False, True]


def test_questions_count_once_and_unreadable_verdicts_not_at_all(
    judged: Judged, record: Make
) -> None:
    # q: (1 + 0) / 2; r: a tie, 1/2; the mean of the two is 1/2. t only has an unreadable verdict.
    found = accuracy(
        judged(
            record("a", 0.9),
            record("b", 0.2),
            record("c", 0.5, question="r"),
            record("d", None, question="t"),
        )
    )
    assert (found.value, found.n) == (0.5, 2)


def test_equal_ids_of_two_tasks_are_two_questions(judged: Judged, record: Make) -> None:
    found = accuracy(judged(record("a", 0.9), record("b", 0.9), record("c", 0.1, task="mmlu")))
    assert (found.value, found.n) == (0.5, 2)


def test_counts_as_the_metrics_do(tmp_path: Path, episodes: tuple[Episode, ...]) -> None:
    write(tmp_path / "episodes.jsonl", *(episode.to_json() for episode in episodes))
    assert accuracy(rows(read_folder(tmp_path))) == metrics.accuracy(episodes)


def test_every_task_has_a_kind() -> None:
    assert {kind(task) for task in NINE} == {"extractive", "closed", "multimodal"}
    assert (kind("evidence"), kind("mine")) == ("built-in", "other")
