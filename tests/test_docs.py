"""Every command and every program that the README and the docs show runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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
    elif command.startswith("debate-gym eval"):
        command += f" --questions 4 --out {out}/eval"
    elif command.startswith("debate-gym score"):
        command = command.replace("runs/eval/episodes.jsonl", f"{out}/episodes.jsonl")
        record = subprocess.run(
            [str(BIN / "debate-gym"), "play", "--json"], capture_output=True, check=True, cwd=ROOT
        )
        (out / "episodes.jsonl").write_bytes(record.stdout)
    program, *rest = shlex.split(command)
    return [str(BIN / program), *rest]


@pytest.mark.parametrize("command", [c for c in commands() if not c.startswith("make")])
def test_a_shown_command_runs(command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        shrunk(command, tmp_path), capture_output=True, text=True, cwd=ROOT, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout


@pytest.mark.parametrize("program", blocks("python"), ids=range(len(blocks("python"))))
def test_a_shown_program_runs(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr[-3000:]
