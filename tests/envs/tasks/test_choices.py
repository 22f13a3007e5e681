from __future__ import annotations

import csv
from pathlib import Path

import pytest

from debate_gym.envs.tasks.choices import load_choices

COLUMNS = {
    "Type": "Adversarial",
    "Category": "Myths",
    "Best Answer": "No, true {i}",
    "Best Incorrect Answer": "Yes, false {i}",
    "Correct Answers": "No, true {i}; It never does",
    "Incorrect Answers": "Yes, false {i}; Always; On Sundays",
    "Source": "s",
}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    return tmp_path


def write(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def test_mmlu_keeps_all_four_options_in_their_order(data: Path) -> None:
    rows = [[f"What is {i}?", "one", "two", "three", "four", "ABCD"[i % 4]] for i in range(80)]
    write(data / "mmlu" / "data" / "test" / "anatomy_test.csv", rows)
    heldout = load_choices("mmlu", "heldout", 100, 0)
    both = heldout + load_choices("mmlu", "train", 100, 0)
    assert len(both) == 80
    assert 0 < len(heldout) < 80
    for question in both:
        assert question.options == ("one", "two", "three", "four")
        assert question.gold == int(question.question.split()[-1].rstrip("?")) % 4
        assert question.meta["subject"] == "anatomy"
    assert [q.id for q in load_choices("mmlu", "heldout", 5, 3)] != [q.id for q in heldout[:5]]


def test_truthfulqa_has_the_best_true_answer_among_all_false_ones(data: Path) -> None:
    rows = [["Question", *COLUMNS]]
    rows += [[f"Does it {i}?", *(v.format(i=i) for v in COLUMNS.values())] for i in range(60)]
    write(data / "truthfulqa" / "TruthfulQA.csv", rows)
    questions = load_choices("truthfulqa", "heldout", 100, 0)
    assert questions
    for question in questions:
        i = question.question.split()[-1].rstrip("?")
        assert question.options[question.gold] == f"No, true {i}"
        assert set(question.options) == {
            f"No, true {i}",
            f"Yes, false {i}",
            "Always",
            "On Sundays",
        }
    assert len({question.gold for question in questions}) > 1
    assert questions == load_choices("truthfulqa", "heldout", 100, 0)


def test_other_tasks_have_two_options() -> None:
    (question,) = load_choices("evidence", "heldout", 1, 0)
    assert len(question.options) == 2
    assert question.article


def test_refused() -> None:
    with pytest.raises(ValueError, match="unknown split 'test'"):
        load_choices("mmlu", "test")
    with pytest.raises(ValueError, match="seed must not be negative"):
        load_choices("truthfulqa", seed=-1)
    with pytest.raises(ValueError, match="unknown task 'mmul'"):
        load_choices("mmul")
