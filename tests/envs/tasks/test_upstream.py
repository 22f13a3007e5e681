"""Loaders of upstream files, on records of our own in the upstream layouts and on real files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs import load_task
from debate_gym.envs.tasks import quality
from debate_gym.envs.tasks.files import first_words

real = pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")


def write(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    return tmp_path


def boolq(i: int, passage: int) -> dict[str, Any]:
    return {
        "question": f"is thing {i} blue",
        "title": "Thing",
        "answer": i % 2 == 0,
        "passage": f"Thing {passage} is a thing.",
    }


def story(article: str, *questions: Mapping[str, Any]) -> dict[str, Any]:
    text = "Once upon a time &amp; place."
    return {"article_id": article, "source": "Gutenberg", "article": text, "questions": questions}


def asked(text: str = "Why?", votes: Sequence[int] = (), **more: Any) -> dict[str, Any]:
    validation = [
        {
            "untimed_answer": 2,
            "untimed_best_distractor": vote,
            "untimed_eval1_answerability": 1,
            "untimed_eval2_context": 2,
        }
        for vote in votes
    ]
    speed = [{"speed_answer": 1}] * 3 + [{"speed_answer": 2}] * 2
    options = [" one", "two\n", "three", "four &amp; more"]
    return {
        "question": text,
        "options": options,
        "gold_label": 2,
        "writer_label": 2,
        "validation": validation,
        "speed_validation": speed,
        **more,
    }


def test_boolq(data: Path) -> None:
    write(data / "boolq" / "dev.jsonl", [boolq(i, i // 3) for i in range(60)])
    train, held_out = (load_task("boolq", split, 100) for split in ("train", "heldout"))
    assert len(train) + len(held_out) == 60
    assert not {q.article for q in train} & {q.article for q in held_out}
    for question in train + held_out:
        number = int(question.question.split()[2])
        assert question.question == f"Is thing {number} blue?"
        assert question.answers[question.correct] == ("Yes" if number % 2 == 0 else "No")
        assert question.answers == tuple(("Yes", "No")[i] for i in question.meta["permutation"])
    assert {question.correct for question in train} == {0, 1}
    assert load_task("boolq", "train", 100) == train


@pytest.mark.parametrize("line", ['{"question": 3}', "[1]", "{"])
def test_a_broken_line_is_named(data: Path, line: str) -> None:
    write(data / "boolq" / "dev.jsonl", [boolq(0, 0)])
    with (data / "boolq" / "dev.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"dev\.jsonl:2: "):
        load_task("boolq", "train")


def test_missing_files_say_what_to_do(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="none of train.jsonl, dev.jsonl below"):
        load_task("boolq", "train")
    monkeypatch.delenv("DEBATE_GYM_DATA")
    with pytest.raises(FileNotFoundError, match="set DEBATE_GYM_DATA"):
        load_task("quality", "train")


@pytest.mark.parametrize(
    ("question", "wrong", "rule"),
    [
        (asked(votes=(3, 3, 1)), "three", "best distractor by votes"),
        (asked(votes=(4, 1, 2)), "one", "best distractor by votes"),
        (asked(votes=(2, 2, 4)), "four & more", "best distractor by votes"),
        (asked(best_distractor_label=3), "three", "best distractor as given"),
        (asked(votes=(2, 2, 2)), None, "drawn at random"),
        (asked(best_distractor_label=2), None, "drawn at random"),
    ],
)
def test_the_wrong_answer(data: Path, question: Any, wrong: str | None, rule: str) -> None:
    stories = [story(str(i), question) for i in range(12)]
    write(data / "quality" / "QuALITY.v1.0.1.htmlstripped.dev", stories)
    loaded = load_task("quality", "train") + load_task("quality", "heldout")
    assert len(loaded) == 12
    for item in loaded:
        assert item.answers[item.correct] == "two"
        assert item.meta["wrong_rule"] == rule
        assert wrong in (None, item.answers[1 - item.correct])
        assert "time & place" in str(item.article)


@pytest.mark.parametrize(
    "option", ["All of the above", "Both A and C are correct.", "none of these", "B or D"]
)
def test_options_about_options_are_left_out(data: Path, option: str) -> None:
    question = asked(votes=(3, 3, 3), options=["one", "two", option, "four"])
    write(data / "quality" / "x" / "quality_joined.jsonl", [story("1", question)])
    assert load_task("quality", "train") + load_task("quality", "heldout") == []


def test_both_writers_of_a_story_share_a_split_and_five_questions(data: Path) -> None:
    sets = [story("7", *[asked(f"{j} {i}?", (3,)) for i in range(4)]) for j in range(2)]
    write(data / "quality" / "QuALITY.v1.0.1.htmlstripped.train", sets)
    sizes = sorted(len(load_task("quality", split)) for split in ("train", "heldout"))
    assert sizes == [0, 5]


def test_p24_filter_by_hand() -> None:
    good = asked(votes=(3, 3, 3))
    assert all(quality.p24_criteria(good, "Gutenberg").values())
    for change, name in (
        ({"writer_label": 1}, "writer_agrees"),
        ({"speed_validation": [{"speed_answer": 2}] * 2}, "timed_under_half_right"),
        ({"validation": []}, "answerable"),
    ):
        assert not quality.p24_criteria({**good, **change}, "Gutenberg")[name]
    assert not quality.p24_criteria(good, "Slate")["gutenberg"]


def test_first_words() -> None:
    assert first_words(" a  b\nc d", 3) == " a  b\nc"
    assert first_words("a b", 9) == "a b"
    with pytest.raises(ValueError, match="at least 1"):
        first_words("a", 0)


@real
def test_real_boolq() -> None:
    train, held_out = (load_task("boolq", split, 10_000) for split in ("train", "heldout"))
    assert len(train) > len(held_out) > 100
    assert not {q.article for q in train} & {q.article for q in held_out}


@real
def test_real_quality(capsys: pytest.CaptureFixture[str]) -> None:
    train, held_out = (load_task("quality", split, 10_000) for split in ("train", "heldout"))
    assert len(train) > len(held_out) > 20
    for name in ("article", "id"):
        assert not {getattr(q, name) for q in train} & {getattr(q, name) for q in held_out}
    counts = quality.filter_counts()
    assert counts["questions"] >= counts["writer_agrees"] > counts["all"] > 0
    with capsys.disabled():
        print(f"\nQuALITY questions kept by each criterion: {counts}")
