"""Every command and every program that the README and the docs show runs."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from debate_gym.eval.sources import SOURCES, Url

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BIN = Path(sys.executable).parent
SMALL_RUN = "--iterations 1 --episodes 4 --minibatches 1 --eval_questions 4 --output_dir {out}/run"


def blocks(kind: str) -> list[str]:
    texts = (page.read_text("utf-8") for page in PAGES)
    return [block for text in texts for block in re.findall(rf"```{kind}\n(.*?)```", text, re.S)]


def commands() -> list[str]:
    lines = (
        line.partition(" #")[0].strip() for block in blocks("bash") for line in block.splitlines()
    )
    return list(dict.fromkeys(line for line in lines if line))


def test_only_known_programs_are_shown() -> None:
    assert {command.split()[0] for command in commands()} <= {"make", "debate-gym", "accelerate"}


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in commands():
        if command.startswith("make "):
            assert re.search(rf"^{command.split()[1]}:", makefile, re.M)


def shrunk(command: str, out: Path) -> list[str]:
    """The command with the size of its work cut down and its files in a folder of the test."""
    if command.startswith("accelerate"):
        command += " " + SMALL_RUN.format(out=out)
    elif command.startswith("debate-gym eval") and "suite" in command:
        freeze = "data freeze --out suite.jsonl --tasks boolq --n 4"
        subprocess.run([str(BIN / "debate-gym"), *freeze.split()], check=True, cwd=out)
        command += " --questions 1 --models scripted:random"
    elif command.startswith("debate-gym eval"):
        command += f" --questions 4 --out {out}/eval"
    elif command.startswith("debate-gym report"):
        play = [str(BIN / "debate-gym"), "play", "--json"]
        record = subprocess.run(play, capture_output=True, check=True)
        (out / "runs" / "eval").mkdir(parents=True)
        (out / "runs" / "eval" / "episodes.jsonl").write_bytes(record.stdout)
    elif command.startswith("debate-gym data freeze"):
        command += " --tasks boolq evidence --n 4"
    elif command == "debate-gym data check":
        command += " boolq"
    elif command.startswith("debate-gym data check --suite"):
        subprocess.run(shrunk("debate-gym data freeze --out suite.jsonl", out), check=True, cwd=out)
    elif command.startswith("debate-gym score"):
        command = command.replace("runs/eval/episodes.jsonl", f"{out}/episodes.jsonl")
        record = subprocess.run(
            [str(BIN / "debate-gym"), "play", "--json"], capture_output=True, check=True, cwd=ROOT
        )
        (out / "episodes.jsonl").write_bytes(record.stdout)
    program, *rest = shlex.split(command)
    return [str(BIN / program), *rest]


def write_data(root: Path) -> None:
    """Some records of ours, and files by the names that `fetch` looks for, so that it has nothing
    to download."""
    for folder in ("boolq", "truthfulqa"):
        for source in SOURCES[folder]:
            assert isinstance(source, Url)
            path = root / folder / source.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    record = {"question": "is it", "answer": True, "passage": "It is."}
    lines = (json.dumps({**record, "title": str(i), "question": f"is it {i}"}) for i in range(40))
    (root / "boolq" / "dev.jsonl").write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize("command", [c for c in commands() if not c.startswith("make")])
def test_a_shown_command_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = command.replace(" configs/", f" {ROOT}/configs/").replace(
        " train/", f" {ROOT}/train/"
    )
    write_data(tmp_path / "data")
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path / "data"))
    done = subprocess.run(shrunk(command, tmp_path), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout


@pytest.mark.parametrize("program", blocks("python"), ids=range(len(blocks("python"))))
def test_a_shown_program_runs(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr[-3000:]
