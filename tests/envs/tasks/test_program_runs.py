from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from debate_gym.envs.sandbox import Exit, Limits, RunResult, Sandbox
from debate_gym.envs.tasks import program_runs
from debate_gym.envs.tasks.program_runs import Ran, cache_file, run_programs

CODES = ("print(1)", "print(2)\nprint()", "1 / 0", "print('x' * 300)", "", "print(1)")
RUNS = {
    "print(1)": Ran(Exit.OK, "1"),
    "print(2)\nprint()": Ran(Exit.OK, "2"),
    "1 / 0": Ran(Exit.ERROR, ""),
    "print('x' * 300)": Ran(Exit.OK, "x" * 200),
    "": Ran(Exit.OK, ""),
}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that were really run."""
    ran: list[str] = []
    run = Sandbox.run

    def counting(self: Sandbox, code: str, *, limits: Limits | None = None) -> RunResult:
        ran.append(code)
        return run(self, code, limits=limits)

    monkeypatch.setattr(Sandbox, "run", counting)
    return ran


def test_each_program_is_run_once(tmp_path: Path, counted: list[str]) -> None:
    path = tmp_path / "new" / "runs.jsonl"
    assert run_programs(CODES, cache=path) == RUNS
    assert sorted(counted) == sorted(RUNS)
    before = path.read_bytes()
    assert run_programs(reversed(CODES), cache=path) == RUNS
    assert len(counted) == len(RUNS)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["runs.jsonl"]


def test_results_do_not_depend_on_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    run_programs(CODES[:2], cache=path)
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(["no json", "[]", '{"key": 1}', lines[0][:20], lines[1]]), "utf-8")
    assert run_programs(CODES, cache=path) == RUNS
    assert run_programs(CODES, cache=tmp_path / "none.jsonl") == RUNS


def test_other_limits_are_other_runs(tmp_path: Path, counted: list[str]) -> None:
    path = tmp_path / "runs.jsonl"
    for limits in (None, Limits(), Limits(cpu_seconds=3)):
        run_programs(["print(1)"], cache=path, limits=limits)
    assert len(counted) == 2
    assert len(path.read_text("utf-8").splitlines()) == 2


def test_what_the_clock_decided_is_not_kept(
    tmp_path: Path, counted: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    codes = ["import time; time.sleep(60)", "while True: pass"]
    limits, path = Limits(cpu_seconds=1, wall_seconds=2), tmp_path / "runs.jsonl"
    for _ in range(2):
        with caplog.at_level(logging.WARNING):
            runs = run_programs(codes, cache=path, limits=limits)
        assert [runs[code].exit for code in codes] == [Exit.DEADLINE, Exit.TIMEOUT]
        assert "2 of 2 programs ran into the time limit (1 s of processor time" in caplog.text
        caplog.clear()
    assert counted == [*codes, codes[0]]


def test_where_runs_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DEBATE_GYM_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_file() == tmp_path / ".cache/debate_gym/program_runs.jsonl"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_file() == tmp_path / "x/debate_gym/program_runs.jsonl"
    monkeypatch.setenv("DEBATE_GYM_CACHE", str(tmp_path / "mine"))
    run_programs(["print(1)"])
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["program_runs.jsonl"]


def test_a_folder_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        runs = run_programs(["print(1)"], cache=tmp_path / "file" / "runs.jsonl")
    assert runs == {"print(1)": Ran(Exit.OK, "1")}
    assert "set DEBATE_GYM_CACHE to a folder" in caplog.text


WRITER = (
    "import sys\nfrom pathlib import Path\nfrom debate_gym.envs.tasks import program_runs\n"
    "program_runs.SAVE_EVERY = 3\n"
    "a, b = int(sys.argv[2]), int(sys.argv[3])\n"
    "program_runs.run_programs([f'print({i})' for i in range(a, b)], cache=Path(sys.argv[1]))\n"
)


def test_two_processes_leave_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(a), str(a + 20)])
        for a in (0, 10)
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len({line["key"] for line in lines}) == len(lines) >= 20
    runs = run_programs([f"print({i})" for i in range(30)], cache=path)
    assert [run.printed for run in runs.values()] == [str(i) for i in range(30)]


def test_a_kill_keeps_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "0", "5000"], stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    kept = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(kept) >= 3
    assert run_programs(["print(0)"], cache=path) == {"print(0)": Ran(Exit.OK, "0")}


def test_an_interrupt_keeps_what_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, run = tmp_path / "runs.jsonl", Sandbox.run

    def interrupted(self: Sandbox, code: str, *, limits: Limits | None = None) -> RunResult:
        if code == "print(2)":
            raise KeyboardInterrupt
        return run(self, code, limits=limits)

    monkeypatch.setattr(Sandbox, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_programs(["print(1)", "print(2)"], cache=path)
    assert len(path.read_text("utf-8").splitlines()) == 1


def test_a_long_run_shows_a_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program_runs, "SHOW_FROM", 2)
    run_programs(["print(1)", "print(2)"], cache=tmp_path / "runs.jsonl")
    shown = capsys.readouterr()
    assert "running programs" in shown.err
    assert shown.out == ""
