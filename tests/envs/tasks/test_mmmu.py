from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import mmmu
from debate_gym.envs.tasks.intake import Intake
from debate_gym.envs.tasks.mmmu_files import read_asked

Write = Callable[..., Path]
Both = Callable[..., list[Question]]
NAN = float("nan")


def png(shade: int = 0, mode: str = "RGB") -> bytes:
    """A picture of one grey, another one for each shade."""
    pillow = pytest.importorskip("PIL.Image")
    buffer = BytesIO()
    pillow.new(mode, (4, 3), (shade,) * len(mode) if len(mode) > 1 else shade).save(buffer, "PNG")
    return buffer.getvalue()


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def uri(data: bytes) -> str:
    return f"data:image/png;base64,{text(data)}"


def row(i: int = 0, **changes: Any) -> dict[str, Any]:
    """A standard row: three options of nine."""
    return {
        "index": i,
        "id": f"validation_Math_{i}",
        "question": f"What is drawn in <image 1> of task {i}?",
        **dict.fromkeys("ABCDEFGHI", NAN),
        **{"A": f"a {i}", "B": f"b {i}", "C": f"c {i}"},
        "answer": "B",
        "split": "validation",
        "question_type": "multiple-choice",
        "explanation": "One sees it.",
        "image": text(png(i % 250)),
        **changes,
    }


def hub(i: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"test_Math_{i}",
        "question": f"Which of <image 1> and <image 2> is it in task {i}?",
        "options": str([f"a {i}", f"b {i}", f"c {i}"]),
        "explanation": "One sees it.",
        "image_1": {"bytes": text(png(1)), "path": "x_1.png"},
        "image_2": {"bytes": text(png(2)), "path": "x_2.png"},
        **{f"image_{k}": None for k in range(3, 8)},
        "answer": "C",
        "question_type": "multiple-choice",
        **changes,
    }


def output(i: int = 0, **changes: Any) -> dict[str, Any]:
    """A line of an output file of MMMU-Pro."""
    return {
        "id": f"validation_Math_{i}",
        "question": f"What is <image 1> in pro task {i}?",
        "options": str([f"{letter} {i}" for letter in "pqrstuvwxyz"]),
        "explanation": "One sees it.",
        "img_type": "['Plots and Charts']",
        "answer": "K",
        "subject": "Math",
        "response": "Answer: A",
        **changes,
    }


def picture(folder: Path, name: str, shade: int = 0) -> Path:
    path = folder / "mmmu" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png(shade))
    return path


def taken(**rules: Any) -> tuple[Intake, list[Any]]:
    """What is read, with the books balanced."""
    intake = Intake()
    items = mmmu.read(intake, np.random.default_rng(0), **rules)
    lost = intake.duplicates + sum(intake.dropped.values()) + len(intake.broken)
    assert intake.read == len(items) + lost
    return intake, items


def right(question: Question) -> str:
    return question.answers[question.correct]


def wrong(question: Question) -> str:
    return question.answers[1 - question.correct]


def test_standard_rows(write: Write, both_splits: Both) -> None:
    path = write("mmmu/x_predictions.jsonl", [{"annotation": row(i)} for i in range(20)])
    write("mmmu/bare.jsonl", [row(i) for i in range(20, 40)])
    assert "NaN" in path.read_text()
    questions = both_splits("mmmu")
    assert sorted(int(q.meta["upstream_id"].split("_")[-1]) for q in questions) == list(range(40))
    for question in questions:
        i = int(question.meta["upstream_id"].split("_")[-1])
        assert question.question == f"What is drawn in <image 1> of task {i}?"
        assert right(question) == f"b {i}"
        assert wrong(question) == f"{question.meta['wrong_option'].lower()} {i}"
        assert question.images == (uri(png(i)),)
        assert (question.meta["edition"], question.meta["options"]) == ("standard", 3)
        assert question.meta["explanation"] == "One sees it."
        assert question.article is None
    assert {question.meta["wrong_option"] for question in questions} == {"A", "C"}
    assert {question.correct for question in questions} == {0, 1}


def test_a_standard_row_with_several_pictures(write: Write, both_splits: Both) -> None:
    images = [text(png(5)), text(png(6))]
    asked = "Compare <image 2> with <image 1>."
    write(
        "mmmu/a.jsonl",
        [row(1, question=asked, image=images), row(2, question=asked, image=str(images))],
    )
    for question in both_splits("mmmu"):
        assert question.images == (uri(png(5)), uri(png(6)))


def test_letters_hold_where_options_are_missing(write: Write, both_splits: Both) -> None:
    write("mmmu/a.jsonl", [row(A=NAN, B=7, C=None, D=2.5, answer="D")])
    (question,) = both_splits("mmmu")
    assert (right(question), wrong(question)) == ("2.5", "7")


def test_the_hub_s_rows(write: Write, both_splits: Both) -> None:
    folder = write("mmmu/hub.jsonl", [hub(i) for i in range(8)]).parents[1]
    picture(folder, "p_1.png", 9)
    write("mmmu/paths.jsonl", [hub(8, image_1={"bytes": None, "path": "p_1.png"})])
    questions = {q.meta["upstream_id"]: q for q in both_splits("mmmu")}
    for i in range(8):
        question = questions[f"test_Math_{i}"]
        assert right(question) == f"c {i}"
        assert question.images == (uri(png(1)), uri(png(2)))
        assert question.meta["edition"] == "standard"
    assert questions["test_Math_8"].images[0] == str(folder / "mmmu" / "p_1.png")


def test_the_hub_s_parquet_files(write: Write, both_splits: Both) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = write("mmmu/none.jsonl", []).parent
    raw = {"image_1": {"bytes": png(1), "path": "x"}, "image_2": {"bytes": png(2), "path": "y"}}
    rows = [hub(i, **raw) for i in range(130)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "validation-0.parquet")
    questions = both_splits("mmmu")
    assert len(questions) == 130
    assert all(q.images == (uri(png(1)), uri(png(2))) for q in questions)
    (folder / "broken.parquet").write_bytes(b"no parquet")
    intake, _ = taken()
    assert "broken.parquet:1: expected parquet" in intake.broken[0]


def test_without_pyarrow_a_parquet_file_says_so(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    (write("mmmu/none.jsonl", []).parent / "a.parquet").touch()
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ModuleNotFoundError, match="needs pyarrow: pip install pyarrow"):
        taken()


def test_the_tool_s_examples(write: Write, both_splits: Both) -> None:
    records = [
        {
            "question": "<image 1> stands for how many parts?",
            "options": ["<image 3>", "<image 2>"],
            "answer": "A",
            **{f"image_{k}": f"images/test_Music_251_{k}.png" for k in (1, 2, 3)},
        },
        {
            "question": "<image 1> What is an egg?",
            "options": ["one", "two"],
            "answer": "A",
            "image_1": "images/ai2d_00002168.png",
        },
    ]
    folder = write("mmmu/tool/data.jsonl", records).parents[2]
    paths = [picture(folder, f"tool/static/images/test_Music_251_{k}.png", k) for k in (1, 2, 3)]
    intake, _ = taken(explained=False)
    assert intake.dropped == {"not of MMMU (AI2D)": 1}
    (question,) = both_splits("mmmu", explained=False)
    assert question.meta["upstream_id"] == "test_Music_251"
    assert question.meta["edition"] == "pro"
    assert question.images == tuple(map(str, paths))
    assert (right(question), wrong(question)) == ("<image 3>", "<image 2>")
    assert taken()[0].dropped == {"not of MMMU (AI2D)": 1, "no explanation": 1}
    dropped = taken(explained=False, pictured=False)[0].dropped
    assert dropped == {"not of MMMU (AI2D)": 1, "options with pictures": 1}


def test_the_output_files_of_pro(write: Write, both_splits: Both) -> None:
    folder = write("mmmu/output/m_standard(10 options)_cot.jsonl", [output(1), output(2)]).parents[
        2
    ]
    write("mmmu/output/another_standard_cot.jsonl", [output(1, response="Answer: B")])
    path = picture(folder, "images/validation_Math_1_1.png")
    intake, _ = taken()
    assert intake.dropped == {"a picture is missing": 1}
    assert intake.duplicates == 1
    (question,) = both_splits("mmmu")
    assert question.images == (str(path),)
    assert question.meta["options"] == 11
    assert right(question) == "z 1"


@pytest.mark.parametrize(
    ("options", "answer", "expected"),
    [
        ("[['A', 'B', 'Not enough information']]", "C", "Not enough information"),
        ("['x', ['y', ['z']]]", "C", "z"),
        ("['None', 'Some']", "A", "None"),
        (r"['$\\alpha$', \"it's\"]", "A", r"$\alpha$"),
        ("[1, 2.5]", "B", "2.5"),
    ],
)
def test_options_are_read_as_a_python_list(
    write: Write, both_splits: Both, options: str, answer: str, expected: str
) -> None:
    write("mmmu/a.jsonl", [hub(options=options.replace(r"\"", '"'), answer=answer)])
    assert right(both_splits("mmmu")[0]) == expected


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"question": " "}, "no question text"),
        (
            {"question_type": "open", "options": "[]", "answer": "7"},
            "open or short-answer question",
        ),
        (
            {"question_type": "short-answer", "answer": ["7", "7.0"]},
            "open or short-answer question",
        ),
        ({"explanation": "?"}, "no explanation"),
        ({"explanation": " "}, "no explanation"),
        ({"explanation": NAN}, "no explanation"),
        ({"explanation": None}, "no explanation"),
        ({"answer": "?"}, "answer not public"),
        ({"answer": None}, "answer not public"),
        ({"options": "['one']", "answer": "A"}, "fewer than two options"),
        ({"options": "[]"}, "fewer than two options"),
        ({"options": "['a', 'b', 'c', 'a ']"}, "equal options"),
        ({"answer": "D"}, "gold letter outside the options"),
        ({"image_2": None}, "a picture is missing"),
        ({"image_1": None}, "a picture is missing"),
        ({"image_1": None, "image_2": None, "question": "Why?"}, "a picture is missing"),
        ({"options": "['<image 3>', 'b', 'c']"}, "a picture is missing"),
    ],
)
def test_what_is_dropped_is_counted(write: Write, changes: dict[str, Any], rule: str) -> None:
    write("mmmu/a.jsonl", [hub(0), hub(1, **changes)])
    intake, items = taken()
    assert intake.dropped == {rule: 1}
    assert len(items) == 1
    assert rule in items[0].filters


def test_explanations_can_be_done_without(write: Write, both_splits: Both) -> None:
    write("mmmu/a.jsonl", [hub(0, explanation="?"), hub(1, explanation="")])
    assert both_splits("mmmu") == []
    questions = both_splits("mmmu", explained=False)
    assert len(questions) == 2
    assert "no explanation" not in questions[0].meta["filters"]


def test_both_editions_of_an_id_are_questions_of_one_split(write: Write) -> None:
    folder = write("mmmu/standard.jsonl", [row(i) for i in range(40)]).parents[1]
    write("mmmu/pro.jsonl", [output(i) for i in range(40)])
    for i in range(40):
        picture(folder, f"validation_Math_{i}_1.png", i)
    train, held_out = (load_task("mmmu", split, 999) for split in ("train", "heldout"))
    assert len(train) + len(held_out) == 80
    for question in train + held_out:
        i = question.meta["upstream_id"].split("_")[-1]
        assert right(question) == (f"b {i}" if question.meta["edition"] == "standard" else f"z {i}")
    ids = [{q.meta["upstream_id"] for q in questions} for questions in (train, held_out)]
    assert not ids[0] & ids[1]


def test_the_seed_draws_items_wrong_answers_and_orders(write: Write) -> None:
    write("mmmu/a.jsonl", [row(i) for i in range(60)])
    first, again, other = (load_task("mmmu", "train", 10, seed) for seed in (0, 0, 1))
    assert first == again != other
    assert load_task("mmmu", "train", 99, 0)[:10] == first


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"options": "['a', 'b'"}, "options must be a Python list"),
        ({"options": "7"}, "options must be a list"),
        ({"options": str(list(range(27)))}, "at most 26 options, got 27"),
        ({"question": 7.5, "answer": ["A"]}, "answer must be a text"),
        ({"image_1": {"bytes": "no base64!"}}, "a\\.jsonl:2: "),
        ({"image_1": {"bytes": text(b"no picture")}}, "expected a picture"),
        ({"image_1": 7}, "a picture must be a path or hold bytes"),
        ({"id": None}, "expected an id"),
        ({"annotation": 7}, "annotation must be an object"),
    ],
)
def test_a_record_in_another_layout_is_named(
    write: Write, changes: dict[str, Any], said: str
) -> None:
    write("mmmu/a.jsonl", [hub(0), hub(1, **changes)])
    with pytest.raises(ValueError, match=said) as caught:
        load_task("mmmu", "train")
    assert "a.jsonl:2: " in str(caught.value)


def test_a_file_that_is_no_picture_is_named(write: Write) -> None:
    folder = write("mmmu/pro.jsonl", [output(1)]).parents[1]
    path = picture(folder, "validation_Math_1_1.png")
    path.write_text("version https://git-lfs.github.com/spec/v1")
    with pytest.raises(ValueError, match=rf"pro\.jsonl:1: {path}: expected a picture"):
        load_task("mmmu", "train")


def test_a_row_without_options_is_in_no_layout(write: Write) -> None:
    write("mmmu/a.jsonl", [{"id": "validation_Math_1", "question": "Why?"}])
    with pytest.raises(ValueError, match="expected options, or columns A, B"):
        load_task("mmmu", "train")


def upstream(name: str) -> list[dict[str, Any]]:
    root = Path(os.environ["DEBATE_GYM_DATA"]) / "mmmu"
    return [json.loads(line) for path in root.rglob(name) for line in path.open("rb")]


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_counts_of_the_sample() -> None:
    intake, items = taken()
    assert (intake.read, intake.duplicates, len(intake.broken)) == (6 + 21 + 1448, 0, 0)
    assert {item.upstream_id for item in items} == {
        "dev_Accounting_3",
        "validation_Energy_and_Power_24",
    }
    assert intake.dropped == {
        "not of MMMU (AI2D)": 10,
        # five standard rows, eleven examples, 1,367 output lines
        "no explanation": 5 + 11 + 1367,
        "equal options": 1,
        "a picture is missing": 79,
    }


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_counts_of_the_sample_with_all_explanations() -> None:
    intake, items = taken(explained=False)
    # The examples are those of the output file, picture for picture.
    assert (intake.duplicates, len(items)) == (11, 6 + 12)
    assert intake.dropped == {
        "not of MMMU (AI2D)": 10,
        "equal options": 8,
        "a picture is missing": 1448 - 8 - 12,
    }
    by_id = {item.upstream_id: item.record.asked for item in items}
    assert {len(asked.options) for asked in by_id.values()} == {3, 4, 9, 10}
    assert "validation_Biology_20" in by_id
    intake, items = taken(explained=False, pictured=False)
    assert intake.dropped["options with pictures"] == 62 + 1
    assert len(items) == 17


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_questions_of_the_sample(both_splits: Both) -> None:
    questions = {q.meta["upstream_id"]: q for q in both_splits("mmmu", explained=False)}
    music = questions["test_Music_251"]
    assert right(music) == "<image 4>"
    assert [Path(image).name for image in music.images] == [
        f"test_Music_251_{k}.png" for k in range(1, 6)
    ]
    standard = questions["dev_Accounting_3"]
    assert right(standard) == "1): -$493.02 (2):  -$2,384 (3):-$1,890.98"
    assert standard.meta["explanation"].startswith("OCF = EBIT")
    assert standard.images[0].startswith("data:image/jpeg;base64,/9j/")
    assert (
        right(questions["validation_Biology_20"]) == "65% of the maximum HbO2 would be delivered."
    )


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_quirks_of_the_output_file() -> None:
    lines = upstream("gpt-4o_standard_10_options_cot.jsonl")
    # The examples come after it, without explanations.
    found = [one for one in read_asked(Intake()) if one.edition == "pro"]
    asked = {one.id: one for one in reversed(found)}
    sizes = [len(asked[line["id"]].options) for line in lines]
    assert (sizes.count(10), sizes.count(9), sizes.count(4)) == (1004, 204, 100)
    # The one list of a single option holds a list of three.
    assert (min(sizes), max(sizes), sizes.count(3)) == (2, 12, 30)
    assert dict(asked["validation_Accounting_29"].options) == {
        "A": "A",
        "B": "B",
        "C": "Not enough information",
    }
    assert sum(not asked[line["id"]].explanation for line in lines) == 1367
    assert all(asked[line["id"]].answer in asked[line["id"]].options for line in lines)
    pictured = [mmmu._named(*asked[line["id"]].options.values()) for line in lines]
    assert sum(map(bool, pictured)) == 62
    assert sum(not mmmu._named(asked[line["id"]].question) for line in lines) == 48
