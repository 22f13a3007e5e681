"""On the upstream file only counts and truth values are asserted, so that a failure shows none of
its texts."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import gpqa, gpqa_extractive
from debate_gym.envs.tasks.gpqa_extractive import Leaks, leak_counts, masked
from debate_gym.envs.tasks.intake import Intake, Item

Put = Callable[..., None]
Load = Callable[..., list[Question]]
NAMES = ("Question", *gpqa.OPTIONS, "Explanation", "Record ID", "High-level domain", "Subdomain")


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes questions with these explanations; options are red (right), blue, grey and pink."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_zip(*explanations: str) -> None:
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow([*NAMES, "Canary String"])
        for i, explanation in enumerate(explanations):
            options = ("red", "blue", "grey", "pink")
            writer.writerow([f"q {i}?", *options, explanation, f"r{i}", "Physics", "Optics", "c:1"])
        (tmp_path / "gpqa").mkdir()
        with zipfile.ZipFile(tmp_path / "gpqa" / "dataset.zip", "w") as archive:
            archive.writestr("dataset/gpqa_main.csv", text.getvalue())

    return to_zip


def taken(**rules: Any) -> tuple[list[Item[gpqa.Pair]], Intake]:
    intake = Intake()
    items = gpqa_extractive.read(intake, np.random.default_rng(0), **rules)
    known = len(items) + intake.duplicates + intake.dropped.total() + len(intake.broken)
    assert intake.read == known
    return items, intake


def test_the_explanation_is_the_article(put: Put, both_splits: Load) -> None:
    put(*[f" Light {i} is red.\nSo it is. " for i in range(20)])
    questions, closed = both_splits("gpqa-extractive"), both_splits("gpqa")
    assert len(questions) == len(closed) == 20
    for question in questions:
        i = question.meta["upstream_id"][1:]
        assert question.article == f"Light {i} is red.\nSo it is."
        assert question.meta["canary"] == "c:1"
        assert question.meta["filters"] == ["two equal options", "no explanation"]
        assert question.id.startswith("gpqa-extractive-")


def test_both_tasks_split_alike(put: Put) -> None:
    put(*[f"Light {i} is red." for i in range(40)])
    train, held_out = (
        {q.meta["upstream_id"] for q in load_task(task, split, 99)}
        for task, split in (("gpqa", "train"), ("gpqa-extractive", "heldout"))
    )
    assert len(train | held_out) == 40
    assert not train & held_out


def test_leaks_are_told_and_counted(put: Put, both_splits: Load) -> None:
    put("It is red.", "It is reddish.", "It is Red.", "It is blue.", "No colour.")
    leaks = {q.meta["upstream_id"]: q.meta["leaks"] for q in both_splits("gpqa-extractive")}
    assert leaks == {"r0": True, "r1": True, "r2": False, "r3": False, "r4": False}
    assert leak_counts() == Leaks(2, 5)


def test_masked_questions(put: Put, both_splits: Load) -> None:
    put("Light is long. It is red.", "It is blue! No.", "It is red.\nNot grey.", " ", "None.")
    articles = {
        q.meta["upstream_id"]: (q.article, q.meta["leaks"], q.meta["mask_answers"])
        for q in both_splits("gpqa-extractive", mask_answers=True)
    }
    assert articles == {
        "r0": ("Light is long. [...]", True, True),
        "r1": ("[...] No.", False, True),
        "r4": ("None.", False, True),
    }
    items, intake = taken(mask_answers=True)
    assert intake.dropped == {"no explanation": 1, "no sentence without an option": 1}
    assert items[0].filters == (
        "two equal options",
        "no explanation",
        "no sentence without an option",
    )
    assert len(taken()[0]) == 4


@pytest.mark.parametrize(
    ("text", "options", "shown"),
    [
        ("It is 3.5 m. It is red.", ["red"], "It is 3.5 m. [...]"),
        ("It is 3.5 m. It is red.", ["3.5"], "[...] It is red."),
        ("A b. C d. E f. G h.", ["b. C"], "[...] [...] E f. G h."),
        ("a red fox\n\n a cat ", ["red"], "[...]\n\n a cat "),
        ("Why? For red!\tYes", ["red"], "Why? [...]\tYes"),
        ("one\ntwo", ["one\ntwo"], "[...]\n[...]"),
        ("nothing here", ["red"], "nothing here"),
        ("", ["red"], ""),
        ("aXaXa b. c", ["aXa"], "[...] c"),
    ],
)
def test_masked(text: str, options: list[str], shown: str) -> None:
    assert masked(text, options) == shown


@given(
    st.text("ab. \n!", max_size=40),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4),
)
def test_no_option_outlives_the_mask(text: str, options: list[str]) -> None:
    shown = masked(text, options)
    assert not any(option in shown for option in options)
    assert masked(text, ["c"]) == text


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
@pytest.mark.parametrize("subset", gpqa.SUBSETS)
def test_upstream_file(
    subset: gpqa.Subset, both_splits: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, hidden = (
        both_splits("gpqa-extractive", subset=subset, mask_answers=mask) for mask in (False, True)
    )
    assert len(plain) == len(taken(subset=subset)[0]) > len(hidden)
    told = [q.meta["leaks"] == (q.answers[q.correct] in str(q.article)) for q in plain]
    assert all(told)
    still = sum(any(answer in str(q.article) for answer in q.answers) for q in hidden)
    assert still == 0
    with capsys.disabled():
        leaks = sum(question.meta["leaks"] for question in plain)
        print(f"\nGPQA-extractive {subset}: {leaks} of {len(plain)} leak, {len(hidden)} masked")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
@pytest.mark.parametrize(
    ("subset", "counts", "emptied"),
    [("main", Leaks(163, 380), 9), ("diamond", Leaks(75, 173), 4)],
)
def test_the_sample_of_380_rows(subset: gpqa.Subset, counts: Leaks, emptied: int) -> None:
    found = leak_counts(subset)
    if found.records != counts.records:
        pytest.skip("counts are those of 380 rows of main and 173 of diamond")
    assert found == counts
    _, intake = taken(subset=subset, mask_answers=True)
    assert intake.dropped["no explanation"] == 0
    assert intake.dropped["no sentence without an option"] == emptied
