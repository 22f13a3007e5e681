"""On the upstream file only counts and truth values are asserted, so that a failure shows none of
its texts."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import gpqa
from debate_gym.envs.tasks.gpqa_archive import archived_rows
from debate_gym.envs.tasks.intake import Intake, Item

Put = Callable[..., Path]
Load = Callable[..., list[Question]]
SECRET = "octarine"


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes a `dataset.zip`, unencrypted, with one csv file per subset below a new data root."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_zip(**subsets: Sequence[Mapping[str, str]] | bytes) -> Path:
        path = tmp_path / "gpqa" / "dataset.zip"
        path.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            for subset, rows in subsets.items():
                data = rows if isinstance(rows, bytes) else as_csv(rows)
                archive.writestr(f"dataset/gpqa_{subset}.csv", data)
        return path

    return to_zip


def as_csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def row(i: int = 0, **changes: str) -> dict[str, str]:
    return {
        "Pre-Revision Question": "an older one",
        "Question": f"What is\n{i}?",
        "Correct Answer": f"right {i}\n",
        "Incorrect Answer 1": " one",
        "Incorrect Answer 2": "two",
        "Incorrect Answer 3": "three",
        "Explanation": f"It is what {i} is.",
        "Subdomain": "Optics",
        "High-level domain": "Physics",
        "Record ID": f"rec{i}",
        "Canary String": "canary:1",
        **{name.replace("_", " "): value for name, value in changes.items()},
    }


def taken(**rules: Any) -> tuple[list[Item[gpqa.Pair]], Intake]:
    intake = Intake()
    items = gpqa.read(intake, np.random.default_rng(0), **rules)
    known = len(items) + intake.duplicates + intake.dropped.total() + len(intake.broken)
    assert intake.read == known
    return items, intake


def test_pairs(put: Put, both_splits: Load) -> None:
    put(main=[row(i) for i in range(90)])
    questions = both_splits("gpqa")
    assert len(questions) == 90
    for question in questions:
        i = int(question.question.split()[-1].rstrip("?"))
        assert question.question == f"What is\n{i}?"
        assert question.answers[question.correct] == f"right {i}"
        wrong = {"Incorrect Answer 1": "one", "Incorrect Answer 2": "two"}.get(
            question.meta["wrong_option"], "three"
        )
        assert question.answers[1 - question.correct] == wrong
        assert question.article is None
        assert question.id == f"gpqa-{question.meta['content_hash']}"
        assert {
            "licence": "CC BY 4.0",
            "upstream_id": f"rec{i}",
            "canary": "canary:1",
            "wrong_rule": "drawn at random",
            "filters": ["two equal options"],
            "subset": "main",
            "domain": "Physics",
            "subdomain": "Optics",
        }.items() <= question.meta.items()
    assert {question.correct for question in questions} == {0, 1}
    drawn = Counter(question.answers[1 - question.correct] for question in questions)
    assert drawn.keys() == {"one", "two", "three"}
    assert min(drawn.values()) > 15


def test_the_seed_draws_everything(put: Put) -> None:
    put(main=[row(i) for i in range(60)])
    first, again, other = (load_task("gpqa", "train", 20, seed) for seed in (0, 0, 1))
    assert first == again != other


def test_every_export_carries_the_canary(put: Put) -> None:
    put(main=[row(i) for i in range(8)])
    exported = [question.to_json() for question in load_task("gpqa", "train")]
    assert all(record["meta"]["canary"] == "canary:1" for record in exported)


def test_nothing_is_unpacked(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(main=[row(i) for i in range(8)])
    unpacked = path.parent / "unpacked"
    unpacked.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(unpacked))
    monkeypatch.chdir(unpacked)
    load_task("gpqa", "train")
    assert sorted(path.parent.rglob("*")) == [path, unpacked]


def test_a_subset_reads_its_own_file_only(put: Put) -> None:
    put(main=[row(0)], extended=b"\xff", diamond=[row(1), row(2)])
    assert [item.upstream_id for item in taken()[0]] == ["rec0"]
    assert {item.upstream_id for item in taken(subset="diamond")[0]} == {"rec1", "rec2"}
    with pytest.raises(ValueError, match="unknown subset 'gold'"):
        taken(subset="gold")


def test_a_record_is_in_the_same_split_in_every_subset(put: Put) -> None:
    rows = [row(i) for i in range(60)]
    revised = [row(i, Question=f"What, then, is\n{i}?") for i in range(0, 60, 2)]
    put(main=rows, diamond=revised)
    for split, other in (("train", "heldout"), ("heldout", "train")):
        main = {q.meta["upstream_id"] for q in load_task("gpqa", split, 99)}
        diamond = {q.meta["upstream_id"] for q in load_task("gpqa", other, 99, subset="diamond")}
        assert len(main) > 0 < len(diamond)
        assert not main & diamond


def test_what_is_left_out_is_counted(put: Put) -> None:
    equal = row(1, Incorrect_Answer_1="two \n")
    put(main=[row(0), row(0, Record_ID="rec9"), equal, row(2, Incorrect_Answer_3="right 2")])
    items, intake = taken()
    assert len(items) == 1
    assert intake.read == 4
    assert intake.duplicates == 1
    assert intake.dropped == {"two equal options": 2}


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"Question": " \n"}, "Question"),
        ({"Correct_Answer": ""}, "Correct Answer"),
        ({"Incorrect_Answer_2": " "}, "Incorrect Answer 2"),
        ({"Record_ID": ""}, "Record ID"),
        ({"Canary_String": ""}, "Canary String"),
    ],
)
def test_a_broken_row_is_named_by_line_and_column(
    put: Put, changes: dict[str, str], column: str
) -> None:
    secret = {"Explanation": SECRET, "Incorrect_Answer_1": SECRET}
    put(main=[row(0), row(1, **secret, **changes), row(2)])
    items, intake = taken()
    assert len(items) == 2
    with pytest.raises(ValueError, match=rf"gpqa_main\.csv:5: the column '{column}' must") as error:
        load_task("gpqa", "train")
    assert SECRET not in str(error.value)
    assert len(intake.broken) == 1


def lacking(name: str) -> bytes:
    return as_csv([{key: value for key, value in row().items() if key != name}])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lacking("Explanation"), r"gpqa_main\.csv:2: expected a column 'Explanation'"),
        (as_csv([row()]) + f"{SECRET},{SECRET}\n".encode(), r"csv:5: expected 11 fields .* got 2"),
        (as_csv([row()]) + f'"{SECRET}"x,\n'.encode(), r"csv:5: expected csv"),
        (as_csv([row()]) + SECRET.encode() + b"\xff\n", r"gpqa_main\.csv:5: expected UTF-8"),
    ],
)
def test_a_broken_file_is_named_without_its_content(put: Put, data: bytes, message: str) -> None:
    put(main=data)
    assert len(taken()[1].broken) == 1
    with pytest.raises(ValueError, match=message) as error:
        load_task("gpqa", "train")
    assert SECRET not in str(error.value)


def test_another_archive_is_named(put: Put) -> None:
    path = put(diamond=[row()])
    with pytest.raises(FileNotFoundError, match=r"dataset\.zip holds no gpqa_main\.csv"):
        taken()
    path.write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"dataset\.zip: expected the authors' zip archive"):
        load_task("gpqa", "train")
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"none of dataset\.zip"):
        taken()


@pytest.mark.parametrize("blank", ["Explanation", "High_level_domain", "Subdomain"])
def test_what_no_answer_needs_may_be_blank(put: Put, blank: str) -> None:
    put(main=[row(0, **{blank.replace("High_level", "High-level"): ""})])
    assert len(taken()[0]) == 1


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
@pytest.mark.parametrize("subset", gpqa.SUBSETS)
def test_upstream_file(subset: str, both_splits: Load, capsys: pytest.CaptureFixture[str]) -> None:
    items, intake = taken(subset=subset)
    unbroken = not intake.broken
    assert unbroken
    questions = both_splits("gpqa", subset=subset)
    assert len(questions) == len(items)
    stripped = [a == a.strip() != "" for q in questions for a in (*q.answers, q.question)]
    assert all(stripped)
    canaries = {question.meta["canary"] for question in questions}
    assert len(canaries) == 1
    assert {q.meta["domain"] for q in questions} == {"Physics", "Chemistry", "Biology"}
    assert 0.4 < np.mean([question.correct for question in questions]) < 0.6
    drawn = Counter(question.meta["wrong_option"] for question in questions)
    assert min(drawn.values()) > len(questions) / 4.5
    with capsys.disabled():
        print(f"\nGPQA {subset}: {intake.read} read, {len(items)} kept")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_subsets_are_nested() -> None:
    ids = {
        subset: {item.upstream_id: item.key for item in taken(subset=subset)[0]}
        for subset in gpqa.SUBSETS
    }
    diamond_in_main = ids["diamond"].items() <= ids["main"].items()
    main_in_extended = ids["main"].items() <= ids["extended"].items()
    assert diamond_in_main
    assert main_in_extended


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_sample_of_380_rows() -> None:
    read = {subset: taken(subset=subset) for subset in gpqa.SUBSETS}
    if [intake.read for _, intake in read.values()] != [380, 173, 380]:
        pytest.skip("counts are those of 380 rows of main, 173 of diamond, 380 of extended")
    equal = {subset: intake.dropped["two equal options"] for subset, (_, intake) in read.items()}
    assert equal == {"main": 3, "diamond": 2, "extended": 3}
    assert [intake.duplicates for _, intake in read.values()] == [0, 0, 0]
    rows = [item.record for item in gpqa.read_rows(Intake(), "main")]
    domains = Counter(row.domain for row in rows)
    assert domains == {"Physics": 157, "Chemistry": 156, "Biology": 67}
    assert min(len(row.explanation) for row in rows) >= 100
    assert sum(not f"{row.question}{row.explanation}".isascii() for row in rows) == 117
    assert sum("\\" in row.question for row in rows) == 48
    for subset, count in (("main", 73), ("diamond", 28)):
        archive = read[subset][1].files[0]
        raw = [r.value for r in archived_rows(Intake(), archive, f"gpqa_{subset}.csv")]
        blanks = [any(row[name] != row[name].strip() for name in gpqa.OPTIONS) for row in raw]
        assert sum(blanks) == count
        with zipfile.ZipFile(archive) as opened:
            encrypted = [info.flag_bits & 1 for info in opened.infolist() if not info.is_dir()]
        assert all(encrypted)
