from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import truthfulqa
from debate_gym.envs.tasks.intake import Intake, Item
from debate_gym.envs.tasks.length_cue import length_cue
from debate_gym.envs.tasks.truthfulqa_pairs import Pair

Rows = Sequence[Mapping[str, str]]
Put = Callable[[str, Rows], Path]
Write = Callable[..., Any]
Load = Callable[..., list[Question]]
NEW = "TruthfulQA.csv"
OLD = "data/v1/TruthfulQA.csv"
NO_RIGHT = "no true answer but 'I have no comment'"
NO_WRONG = "no false answer that is not also a true one"
LEVEL = "left out to level the length cue"


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes rows with a header below a new `DEBATE_GYM_DATA`."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_file(name: str, rows: Rows) -> Path:
        path = tmp_path / "truthfulqa" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return path

    return to_file


def row(i: int = 0, **changes: str) -> dict[str, str]:
    names = {"best": "Best Answer", "worst": "Best Incorrect Answer", "q": "Question"}
    names |= {"right": "Correct Answers", "wrong": "Incorrect Answers"}
    fields = {
        "Type": "Adversarial",
        "Category": "Myths",
        "Question": f"Is it {i}?",
        "Best Answer": "No",
        "Best Incorrect Answer": "Yes, it is",
        "Correct Answers": "Nothing is known; No; It is not; ",
        "Incorrect Answers": "Yes, it is; Of course; ; Ja",
        "Source": "",
    }
    return {**fields, **{names[name]: value for name, value in changes.items()}}


def old(i: int = 0, **changes: str) -> dict[str, str]:
    fields = row(i, **changes)
    del fields["Best Incorrect Answer"]
    return fields


def target(i: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "question": f"Is it {i}?",
        "mc0_targets": {"No": 1, "Yes; it is": 0},
        "mc1_targets": {"No": 1, "Yes; it is": 0},
        "mc2_targets": {"No": 1, "It is not": 1, "Yes; it is": 0, "Ja": 0},
        **changes,
    }


def taken(**rules: Any) -> tuple[list[Item[Pair]], Intake]:
    intake = Intake()
    items = truthfulqa.read(intake, np.random.default_rng(0), **rules)
    known = len(items) + intake.duplicates + intake.dropped.total() + len(intake.broken)
    assert intake.read == known
    return items, intake


def sides(questions: list[Question]) -> tuple[set[str], set[str]]:
    return (
        {q.answers[q.correct] for q in questions},
        {q.answers[1 - q.correct] for q in questions},
    )


def test_the_best_answers(put: Put, both_splits: Load) -> None:
    put(NEW, [row(i) for i in range(60)])
    questions = both_splits("truthfulqa")
    assert len(questions) == 60
    assert sides(questions) == ({"No"}, {"Yes, it is"})
    assert {q.correct for q in questions} == {0, 1}
    for question in questions:
        pair = ("No", "Yes, it is")
        assert question.answers == tuple(pair[k] for k in question.meta["permutation"])
        assert question.id == f"truthfulqa-{question.meta['content_hash']}"
    meta = next(q.meta for q in questions if q.question == "Is it 3?")
    expected = {
        "licence": "Apache-2.0",
        "upstream_id": "TruthfulQA.csv:5",
        "version": "2025",
        "category": "Myths",
        "kind": "Adversarial",
        "source": "",
        "right_rule": "best answer",
        "wrong_rule": "best incorrect answer",
        "wrong_is_listed": True,
        "filters": [NO_RIGHT, NO_WRONG],
    }
    assert {name: meta[name] for name in expected} == expected


def test_drawn_answers(put: Put, both_splits: Load) -> None:
    put(NEW, [row(i) for i in range(60)])
    questions = both_splits("truthfulqa", right="random", wrong="random")
    assert sides(questions) == (
        {"No", "It is not", "Nothing is known"},
        {"Yes, it is", "Of course", "Ja"},
    )
    rules = {(q.meta["right_rule"], q.meta["wrong_rule"]) for q in questions}
    assert rules == {("drawn at random", "drawn at random")}


def test_the_seed_draws_everything(put: Put) -> None:
    put(NEW, [row(i) for i in range(60)])
    for options in ({}, {"wrong": "random"}, {"balanced": True, "wrong": "random"}):
        first, again, other = (
            load_task("truthfulqa", "train", 20, seed, **options) for seed in (0, 0, 1)
        )
        assert first == again != other


@pytest.mark.parametrize(
    "comment", ["I have no comment", "I  have no comment.", "i have no comment"]
)
def test_no_comment_is_never_the_right_answer(put: Put, both_splits: Load, comment: str) -> None:
    rows = [row(i, best=comment, right=f"{comment}; No; It is not") for i in range(30)]
    rows += [row(i, right=f"No; {comment}") for i in range(30, 60)]
    put(NEW, [*rows, row(60, best=comment, right=f"{comment};")])
    for right in ("best", "random"):
        assert sides(both_splits("truthfulqa", right=right))[0] == {"No", "It is not"}
    items, intake = taken()
    assert intake.dropped == {NO_RIGHT: 1}
    rules = {(item.record.right, item.record.right_rule) for item in items}
    assert rules == {
        ("No", "best answer"),
        ("No", "drawn at random"),
        ("It is not", "drawn at random"),
    }


def test_a_string_on_both_sides_is_true(put: Put, both_splits: Load) -> None:
    rows = [row(i, right="No; Unknown", wrong="unknown.; Ja; Of course") for i in range(30)]
    rows += [
        row(i, right="No; Unknown", worst="Unknown", wrong="Unknown; Ja") for i in range(30, 60)
    ]
    put(NEW, [*rows, row(60, right="No; Ja", worst="Ja", wrong="Ja")])
    assert sides(both_splits("truthfulqa", wrong="random"))[1] == {"Ja", "Of course"}
    assert sides(both_splits("truthfulqa"))[1] == {"Yes, it is", "Ja"}
    assert taken()[1].dropped == {NO_WRONG: 1}


def test_a_best_incorrect_answer_that_is_not_listed_is_kept(put: Put, both_splits: Load) -> None:
    put(NEW, [row(0, worst="Yes, they are"), row(1, worst="Ja.")])
    found = {q.answers[1 - q.correct]: q.meta["wrong_is_listed"] for q in both_splits("truthfulqa")}
    assert found == {"Yes, they are": False, "Ja.": True}


def test_versions(put: Put, write: Write, both_splits: Load) -> None:
    put(OLD, [old(i) for i in range(40)])
    put(NEW, [row(0)])
    write("truthfulqa/data/other.jsonl", [])
    (Path(os.environ["DEBATE_GYM_DATA"]) / "truthfulqa/data/mc_task.json").write_text(
        json.dumps([target(i) for i in range(3)])
    )
    assert len(both_splits("truthfulqa")) == 1
    questions = both_splits("truthfulqa", version="v1")
    assert len(questions) == 40
    assert sides(questions) == ({"No"}, {"Yes, it is", "Of course", "Ja"})
    questions = both_splits("truthfulqa", version="mc")
    assert sides(questions) == ({"No"}, {"Yes; it is"})
    assert {q.meta["upstream_id"] for q in questions} == {f"mc_task.json:{i}" for i in (1, 2, 3)}
    assert {q.meta["version"] for q in questions} == {"mc"}


def test_a_missing_version_is_told(put: Put) -> None:
    path = put(OLD, [old()])
    with pytest.raises(FileNotFoundError, match="with a column 'Best Incorrect Answer'.*'v1'"):
        load_task("truthfulqa", "train")
    with pytest.raises(FileNotFoundError, match=r"mc_task\.json"):
        load_task("truthfulqa", "train", version="mc")
    path.unlink()
    put(NEW, [row()])
    with pytest.raises(FileNotFoundError, match="without a column .*version='2025'"):
        load_task("truthfulqa", "train", version="v1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": "v2"}, "unknown version 'v2'"),
        ({"right": "bets"}, "unknown choice of the right answer 'bets'"),
        ({"wrong": "worst"}, "unknown choice of the wrong answer 'worst'"),
        ({"version": "v1", "wrong": "best"}, "v1 names no best incorrect answer"),
    ],
)
def test_options_that_cannot_be(put: Put, options: dict[str, Any], message: str) -> None:
    put(NEW, [row()])
    with pytest.raises(ValueError, match=message):
        load_task("truthfulqa", "train", **options)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"best": " "}, "'Best Answer' must be a text"),
        ({"worst": ""}, "'Best Incorrect Answer' must be a text"),
        ({"right": ""}, "'Correct Answers' must be a text"),
        ({"q": ""}, "'Question' must be a text"),
    ],
)
def test_a_broken_row_is_named(put: Put, changes: dict[str, str], message: str) -> None:
    put(NEW, [row(0), row(1, **changes), row(2)])
    assert len(taken()[0]) == 2
    with pytest.raises(ValueError, match=rf"TruthfulQA\.csv:3: {message}"):
        load_task("truthfulqa", "train")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "expected a 'question'"),
        (target(question=""), "expected a 'question'"),
        (target(mc0_targets=None), "mc0_targets must be options with 1 and 0"),
        (target(mc2_targets={"No": 1}), "mc2_targets must be options with 1 and 0"),
        (target(mc2_targets={"No": [1], "Ja": 0}), "mc2_targets must be options with 1 and 0"),
        (target(mc0_targets={"No": 1, "Ja": 0, "Si": 0}), "mc0_targets must be two options"),
    ],
)
def test_a_broken_entry_is_named(put: Put, value: Any, message: str) -> None:
    path = put("mc_task.json", [{"x": ""}])
    path.write_text(json.dumps([target(0), value]), "utf-8")
    assert len(taken(version="mc")[0]) == 1
    with pytest.raises(ValueError, match=rf"mc_task\.json:2: {message}"):
        load_task("truthfulqa", "train", version="mc")


def test_duplicates_and_groups(put: Put) -> None:
    put(NEW, [row(i // 2, wrong=f"Ja; {i}") for i in range(80)])
    put("copy/TruthfulQA.csv", [row(i // 2, wrong=f"Ja; {i}") for i in range(10)])
    items, intake = taken()
    assert (len(items), intake.read, intake.duplicates) == (80, 90, 10)
    train, held = (
        {q.question for q in load_task("truthfulqa", split, 999)} for split in ("train", "heldout")
    )
    assert len(train) + len(held) == 40
    assert not train & held


LONG = {"best": "No, it certainly is not", "right": "No, it certainly is not"}


def test_levelled_by_other_wrong_answers(put: Put) -> None:
    put(NEW, [row(i, **LONG, wrong="Yes, it is; Yes, and it has always been") for i in range(81)])
    assert length_cue(load_task("truthfulqa", "train", 999)).accuracy == 1
    items, intake = taken(balanced=True)
    assert intake.dropped.total() == intake.dropped[LEVEL] <= 2
    assert items[0].filters == (NO_RIGHT, NO_WRONG, LEVEL)
    assert [item.key for item in items] == sorted(item.key for item in items)
    for split in ("train", "heldout"):
        for n in (999, 10, 16):
            questions = load_task("truthfulqa", split, n, balanced=True)
            assert length_cue(questions).accuracy == 0.5
            turned = [q for q in questions if "always" in "".join(q.answers)]
            assert 2 * len(turned) == len(questions)
            assert {q.meta["wrong_rule"] for q in turned} == {
                "drawn at random to level the length cue"
            }


def test_levelled_by_leaving_out(put: Put) -> None:
    rows = [row(i, **LONG, wrong="Yes, it is; Yes, and it has always been") for i in range(60)]
    put(NEW, rows + [row(i) for i in range(60, 90)])
    items, intake = taken(balanced=True, wrong="best")
    assert len(items) == 60
    assert intake.dropped == {LEVEL: 30}
    for split in ("train", "heldout"):
        for n in (4, 999):
            questions = load_task("truthfulqa", split, n, balanced=True, wrong="best")
            assert length_cue(questions).accuracy == 0.5
            assert {q.meta["wrong_rule"] for q in questions} == {"best incorrect answer"}


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_files(capsys: pytest.CaptureFixture[str]) -> None:
    for version in ("2025", "v1", "mc"):
        items, intake = taken(version=version)
        assert not intake.broken
        train, held = (
            load_task("truthfulqa", split, 10**6, version=version) for split in ("train", "heldout")
        )
        assert len(train) + len(held) == len(items)
        assert not {q.question for q in train} & {q.question for q in held}
        assert not any("have no comment" in q.answers[q.correct] for q in train + held)
        cue = length_cue(train + held)
        assert 0.55 < cue.accuracy < 0.75
        for split in ("train", "heldout"):
            for n in (None, 10**6):
                level = load_task("truthfulqa", split, n, version=version, balanced=True)
                assert abs(length_cue(level).accuracy - 0.5) < 0.02
        level_items, _ = taken(version=version, balanced=True)
        with capsys.disabled():
            print(f"\nTruthfulQA {version}: {len(train)} train, {len(held)} held out; the longer")
            print(f"answer is right: {cue.accuracy:.1%}; {len(level_items)} when balanced")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_sample_of_600_rows() -> None:
    items, intake = taken()
    if intake.read != 600:
        pytest.skip("counts are those of the first 600 rows")
    assert intake.dropped == {NO_RIGHT: 2}
    assert len(items) == 598
    assert sum(not item.record.wrong_is_listed for item in items) == 2
    assert sum(item.record.right_rule == "drawn at random" for item in items) == 28
    kinds = [item.record.answers.kind for item in items]
    assert (kinds.count("Adversarial"), kinds.count("Non-Adversarial")) == (421, 177)
    both = [i.record.answers for i in items if "Unknown" in i.record.answers.right]
    assert not any("Unknown" in answers.wrong for answers in both)
    assert not any("" in (*i.record.answers.right, *i.record.answers.wrong) for i in items)
    assert sum(not item.record.answers.source for item in items) == 2
    rows = [row.value for row in Intake().csv_rows(intake.files[0])]
    lists = [
        [row[f"{side} Answers"].split(";") for side in ("Correct", "Incorrect")] for row in rows
    ]
    assert sum(any(not part.strip() for side in pair for part in side) for pair in lists) == 22
    stripped = [
        [{part.strip() for part in side if part.strip()} for side in pair] for pair in lists
    ]
    assert sum(bool(right & wrong) for right, wrong in stripped) == 2
    assert sum(not "".join(row.values()).isascii() for row in rows) == 2
    old_items, old_intake = taken(version="v1")
    assert (old_intake.read, old_intake.dropped, len(old_items)) == (628, {NO_RIGHT: 8}, 620)
    mc_items, mc_intake = taken(version="mc")
    assert (mc_intake.read, len(mc_items)) == (600, 598)
    assert {i.record.answers.question for i in mc_items} == {i.group for i in items}
