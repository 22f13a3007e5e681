from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import mmlu
from debate_gym.envs.tasks.intake import Intake, Item, held_out

Rows = Iterable[Sequence[str]]
Put = Callable[[str, Rows], Path]
Load = Callable[..., list[Question]]
ALL = ("dev", "val", "test")


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes the rows of SUBJECT_SPLIT below a new `DEBATE_GYM_DATA`."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_file(name: str, rows: Rows) -> Path:
        path = tmp_path / "mmlu" / "data" / name.rpartition("_")[2] / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return path

    return to_file


def row(i: int = 0, letter: str = "B", **changes: str) -> list[str]:
    fields = {"q": f"What is {i}?", "A": "one", "B": "two", "C": "three", "D": "four"}
    return [*{**fields, **changes}.values(), letter]


def taken(**rules: Any) -> tuple[list[Item[mmlu.Pair]], Intake]:
    intake = Intake()
    items = mmlu.read(intake, np.random.default_rng(0), **rules)
    known = len(items) + intake.duplicates + intake.dropped.total() + len(intake.broken)
    assert intake.read == known
    return items, intake


def test_pairs(put: Put, both_splits: Load) -> None:
    put("anatomy_test", [row(i, "ABCD"[i % 4]) for i in range(80)])
    questions = both_splits("mmlu")
    assert len(questions) == 80
    options = ("one", "two", "three", "four")
    for question in questions:
        i = int(question.question.split()[-1].rstrip("?"))
        assert question.answers[question.correct] == options[i % 4]
        letters = question.meta["right_option"], question.meta["wrong_option"]
        pair = tuple(options["ABCD".index(letter)] for letter in letters)
        assert question.answers == tuple(pair[k] for k in question.meta["permutation"])
        assert question.article is None
        assert question.id == f"mmlu-{question.meta['content_hash']}"
    for right in "ABCD":
        drawn = {q.meta["wrong_option"] for q in questions if q.meta["right_option"] == right}
        assert drawn == set("ABCD") - {right}
    assert {q.correct for q in questions} == {0, 1}
    meta = next(q.meta for q in questions if q.question == "What is 3?")
    assert {
        "licence": "MIT",
        "subject": "anatomy",
        "upstream_split": "test",
    }.items() <= meta.items()
    assert meta["upstream_id"] == "anatomy_test.csv:4"
    assert meta["wrong_rule"] == "drawn at random"
    assert meta["filters"] == [
        "subject left out (business_ethics)",
        "two equal options",
        "an answer about other options",
    ]


def test_the_seed_draws_everything(put: Put) -> None:
    put("anatomy_test", [row(i) for i in range(60)])
    put("virology_test", [row(i) for i in range(60, 120)])
    first, again, other = (load_task("mmlu", "train", 20, seed) for seed in (0, 0, 1))
    assert first == again != other
    assert {q.meta["subject"] for q in first} == {"anatomy", "virology"}


def test_line_breaks_blanks_and_words_of_absence_stay_text(put: Put, both_splits: Load) -> None:
    path = put("anatomy_test", [])
    path.write_bytes(
        b'"One\r\ntwo?",None,N/A,1.0,NULL,B\r\n'
        b'" Three\n\nfour? ","0"," 1","True, True","\xc3\xa9tat\n",A\n'
    )
    items, _ = taken()
    rows = {item.upstream_id: item.record.row for item in items}
    assert {place: (row.question, row.options) for place, row in rows.items()} == {
        "anatomy_test.csv:1": ("One\ntwo?", ("None", "N/A", "1.0", "NULL")),
        "anatomy_test.csv:3": ("Three\n\nfour?", ("0", "1", "True, True", "état")),
    }
    assert len(both_splits("mmlu")) == 2


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row()[:5], "expected 6 fields"),
        ([*row(), "x"], "expected 6 fields"),
        (row(letter="E"), "must be a letter A to D, got 'E'"),
        (row(letter="1"), "must be a letter A to D, got '1'"),
        (row(letter="AB"), "must be a letter A to D, got 'AB'"),
        (row(letter=""), "must be a letter A to D, got ''"),
        (row(q=" "), "must not be blank"),
        (row(C=""), "must not be blank"),
    ],
)
def test_a_malformed_row_is_named(put: Put, bad: list[str], message: str) -> None:
    put("anatomy_test", [row(1, q="a\nb"), bad, row(2)])
    items, intake = taken()
    assert len(items) == 2
    assert len(intake.broken) == 1
    with pytest.raises(ValueError, match=rf"anatomy_test\.csv:3: .*{message}"):
        load_task("mmlu", "train")


def test_what_is_left_out_is_counted(put: Put) -> None:
    put("business_ethics_test", [row(0), row(1)])
    put("anatomy_test", [row(1), row(1), row(2, A="three "), row(3, "A", A="All of the above")])
    put("virology_test", [row(1), row(1, "C"), row(1, D="five")])
    items, intake = taken()
    assert len(items) == 3
    assert intake.read == 9
    assert intake.duplicates == 2
    assert intake.dropped == {
        "subject left out (business_ethics)": 2,
        "two equal options": 1,
        "an answer about other options": 1,
    }


def test_answers_about_other_options(put: Put) -> None:
    put("anatomy_test", [row(i, D="Both A and B") for i in range(120)])
    put("virology_test", [row(i, "D", D="A and B only") for i in range(10)])
    items, intake = taken()
    about = intake.dropped["an answer about other options"]
    # a third of the pairs drew the last option of the first file
    assert 10 + 25 < about < 10 + 55
    assert all("D" not in item.filters for item in items)
    assert not any("A and B" in answer for item in items for answer in item.record.answers)
    items, intake = taken(about_options="keep")
    assert len(items) == 130
    assert not intake.dropped
    assert "an answer about other options" not in items[0].filters
    with pytest.raises(ValueError, match="unknown treatment of answers 'kep'.*'keep'"):
        taken(about_options="kep")


def test_known_bad_labels(put: Put, tmp_path: Path) -> None:
    put("anatomy_test", [row(1), row(2), row(3)])
    put("virology_test", [row(1)])
    key = next(item.key for item in taken()[0] if item.record.row.question == "What is 2?")
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"upstream_id": "virology_test.csv:1"}}\n{key}\n', "utf-8")
    items, intake = taken(known_bad=str(path))
    assert [item.record.row.question for item in items] == ["What is 3?"]
    assert intake.dropped == {"known bad label": 3}
    assert intake.duplicates == 0
    assert "known bad label" in items[0].filters
    split = "heldout" if held_out("What is 3?") else "train"
    assert len(load_task("mmlu", split, known_bad=str(path))) == 1


def test_upstream_splits(put: Put) -> None:
    for number, split in enumerate(ALL):
        put(f"anatomy_{split}", [row(number)])
    assert [item.record.row.upstream_split for item in taken()[0]] == ["test"]
    assert {item.record.row.question for item in taken(upstream_splits=ALL)[0]} == {
        "What is 0?",
        "What is 1?",
        "What is 2?",
    }
    assert len(taken(upstream_splits="val")[0]) == 1
    with pytest.raises(ValueError, match="unknown upstream split 'tset'"):
        taken(upstream_splits=["tset"])
    with pytest.raises(ValueError, match="no upstream split"):
        taken(upstream_splits=[])


def test_each_upstream_split_must_be_there(put: Put) -> None:
    put("anatomy_test", [row()])
    with pytest.raises(FileNotFoundError, match=r"val/\*_val\.csv"):
        load_task("mmlu", "train", upstream_splits=("test", "val"))


def test_a_question_text_is_in_one_split(put: Put) -> None:
    put("anatomy_test", [row(i) for i in range(60)])
    put("virology_test", [row(i, D="five") for i in range(60)])
    train, held = ({q.question for q in load_task("mmlu", s, 999)} for s in ("train", "heldout"))
    assert len(train) + len(held) == 60
    assert not train & held


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_files(capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.perf_counter()
    train, held = (load_task("mmlu", s, 10**6, upstream_splits=ALL) for s in ("train", "heldout"))
    seconds = time.perf_counter() - begin
    items, intake = taken(upstream_splits=ALL)
    assert not intake.broken
    assert len(train) + len(held) == len(items)
    assert not {q.question for q in train} & {q.question for q in held}
    assert "business_ethics" not in {item.record.row.subject for item in items}
    right = sum(q.correct for q in train + held) / len(items)
    assert 0.48 < right < 0.52
    assert seconds < 5
    with capsys.disabled():
        print(
            f"\nMMLU: {len(train)} train, {len(held)} held out; {intake.read} rows read twice and"
        )
        print(f"made into questions in {seconds:.2f} s; dropped: {dict(intake.dropped)}")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_sample_of_47_subjects() -> None:
    items, intake = taken(upstream_splits=ALL, about_options="keep")
    if len(intake.files) != 3 * 47:
        pytest.skip("counts are those of 47 subjects")
    assert intake.read == 14014
    assert (intake.duplicates, intake.dropped) == (122, {"two equal options": 11})
    assert len(items) == 13881
    items, intake = taken(about_options="keep")
    assert (intake.read, intake.duplicates, intake.dropped) == (12422, 94, {"two equal options": 7})
    assert len(items) == 12321
    test = [row for path in intake.files for row in Intake().csv_rows(path, header=False)]
    letters = [row.value[5] for row in test]
    assert [letters.count(letter) for letter in "ABCD"] == [2834, 3059, 3157, 3372]
    assert sum("\n" in row.value[0] for row in test) == 613
    assert sum(row.value[0] != row.value[0].strip() for row in test) == 649
    kept = [option for item in items for option in item.record.row.options]
    assert kept.count("None") == sum(row.value.count("None") for row in test) == 9
