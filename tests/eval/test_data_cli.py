from __future__ import annotations

import json
from pathlib import Path

import pytest

from debate_gym.eval.cli import main

RECORD = {"question": "is it", "title": "T", "answer": True, "passage": "It is."}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def write(root: Path, *lines: str) -> Path:
    path = root / "boolq" / "dev.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def record(i: int) -> str:
    return json.dumps({**RECORD, "question": f"is it {i}", "title": f"T{i}"})


def test_list_says_what_is_missing_and_how_to_get_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root, record(0))
    assert main(["data", "list", "--json"]) == 0
    tasks = json.loads(capsys.readouterr().out)["tasks"]
    assert len(tasks) == 9
    assert [name for name, row in tasks.items() if row["found"]] == ["boolq"]
    assert main(["data", "list"]) == 0
    shown = capsys.readouterr().out
    assert "data fetch quality gpqa mmlu gsm8k prontoqa truthfulqa mmmu" in shown
    assert str(root) in shown.replace("\n", "")


def test_check_counts(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, record(0), record(1), record(1))
    assert main(["data", "check", "boolq", "--json"]) == 0
    (account,) = json.loads(capsys.readouterr().out)["tasks"]
    assert {k: account[k] for k in ("files", "read", "duplicates", "broken", "kept")} == {
        "files": 1,
        "read": 3,
        "duplicates": 1,
        "broken": [],
        "kept": 2,
    }
    assert main(["data", "check", "boolq"]) == 0
    assert "2 kept" in capsys.readouterr().out
    assert main(["data", "check", "boolq", "--markdown"]) == 0
    assert "| boolq | 1 | 3 | - | 1 | 2 |" in capsys.readouterr().out


def test_check_tells_every_broken_record_then_exits_2(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(root, record(0), '{"question"', record(1), '{"question": "x"}')
    assert main(["data", "check", "boolq"]) == 2
    shown = capsys.readouterr()
    assert "2 kept" in shown.out
    assert f"error: {path}:2: " in shown.err
    assert f"error: {path}:4: title must be a str" in shown.err


def test_missing_files_and_unknown_tasks_exit_2(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, message in (
        (["check", "boolq"], "data fetch boolq"),
        (["check", "bolq"], "did you mean 'boolq'"),
        (["check", "evidence"], "built in"),
        (["fetch", "evidence"], "unknown task with data files"),
        (["freeze", "--out", str(root / "s"), "--tasks", "boolqq"], "did you mean 'boolq'"),
    ):
        assert main(["data", *command]) == 2
        assert message in capsys.readouterr().err
    assert not (root / "s").exists()


def test_freeze_and_check_a_suite(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, *(record(i) for i in range(20)))
    path = str(root / "out" / "s.jsonl")
    assert main(["data", "freeze", "--out", path, "--tasks", "boolq", "evidence", "--n", "9"]) == 0
    shown = capsys.readouterr().out
    assert "evidence: 9\n" in shown
    assert "9 were asked for" in shown
    assert main(["data", "check", "--suite", path]) == 0
    assert "  evidence: 9" in capsys.readouterr().out
    assert main(["data", "check", "--suite", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"]["evidence"]["questions"] == 9
