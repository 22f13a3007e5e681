from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs import load_task
from debate_gym.eval.suite import freeze, read_suite

HEAD = b'{"schema": "debate_gym/suite/1", "sha256": "0"'

PNG = b"\x89PNG\r\n\x1a\n rest"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "data"
    write_boolq(root)
    monkeypatch.setenv("DEBATE_GYM_DATA", str(root))
    return root


def write_boolq(root: Path) -> None:
    records = [
        {
            "question": f"is {i} odd",
            "title": f"T{i}",
            "answer": i % 2 == 1,
            "passage": f"It is {i}.",
        }
        for i in range(60)
    ]
    path = root / "boolq" / "dev.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def test_a_suite_holds_the_questions_that_were_drawn(data: Path, tmp_path: Path) -> None:
    counts = freeze(tmp_path / "s.jsonl", ["evidence", "boolq"], n=5, seed=3)
    header, questions = read_suite(tmp_path / "s.jsonl")
    assert counts == {"boolq": 5, "evidence": 5}
    assert header["seed"] == 3
    assert header["tasks"]["boolq"] == {"questions": 5, "options": {}}
    drawn = [*load_task("boolq", "heldout", 5, 3), *load_task("evidence", "heldout", 5, 3)]
    assert [q.to_json() for q in questions] == [json.loads(json.dumps(q.to_json())) for q in drawn]


def test_the_bytes_depend_on_neither_order_nor_place(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze(tmp_path / "a.jsonl", ["evidence", "boolq"], n=9)
    write_boolq(tmp_path / "elsewhere")
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path / "elsewhere"))
    freeze(tmp_path / "b.jsonl", ["boolq", "evidence"], n=9)
    freeze(tmp_path / "c.jsonl", ["boolq", "evidence"], n=9, seed=1)
    first, second, third = ((tmp_path / f"{x}.jsonl").read_bytes() for x in "abc")
    assert first == second != third


def test_a_changed_file_is_refused(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    freeze(path, ["boolq"], n=3)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    cases: list[tuple[bytes, str]] = [
        (b"".join(lines[:-1]), r"s\.jsonl:1: .* changed or cut off"),
        (whole[:-5], r"s\.jsonl:4: expected a question record"),
        (whole.replace(b" odd?", b" even?"), "changed or cut off"),
        (b"".join(lines[1:]), "expected a header"),
        (b"nothing", "expected the header of a suite"),
        (HEAD + b', "tasks": {}}\n[]\n', r":2: expected a question"),
        (HEAD + b', "tasks": {}}\n' + b"[" * 100_000, r":2: expected a question"),
        (HEAD + b"}\n", r":1: tasks must say of each its questions, got None"),
        (HEAD + b', "tasks": {"boolq": 3}}\n', r":1: tasks must say of each its questions"),
        (b"[" * 100_000, "expected the header of a suite"),
    ]
    for changed, message in cases:
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=message):
            read_suite(path)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").mkdir()
    with pytest.raises(IsADirectoryError):
        freeze(tmp_path / "s.jsonl", ["evidence"], n=1)
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]


def test_a_task_named_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="named twice"):
        freeze(tmp_path / "s.jsonl", ["evidence", "evidence"])
    assert not list(tmp_path.iterdir())


def test_pictures_are_stored_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.png").write_bytes(PNG)
    (tmp_path / "x.txt").write_text("no picture")

    def fake(*args: Any, **options: Any) -> list[Any]:
        (question,) = load_task("evidence", "heldout", 1)
        images = (str(tmp_path / "x.png"), "data:image/png;base64,AA==", *extra)
        return [type(question)(**{**question.to_json(), "images": images, "answers": ("a", "b")})]

    extra: tuple[str, ...] = ()
    monkeypatch.setattr("debate_gym.eval.suite.load_task", fake)
    freeze(tmp_path / "s.jsonl", ["mmmu"])
    _, (question,) = read_suite(tmp_path / "s.jsonl")
    assert question.images == (
        "data:image/png;base64,iVBORw0KGgogcmVzdA==",
        "data:image/png;base64,AA==",
    )
    extra = (str(tmp_path / "x.txt"),)
    with pytest.raises(ValueError, match=r"x\.txt: expected a picture"):
        freeze(tmp_path / "s.jsonl", ["mmmu"])
