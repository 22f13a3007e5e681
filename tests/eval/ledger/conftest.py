from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval.ledger.cli import add_commands

Records = Sequence[dict[str, Any]]
Write = Callable[[Records], Path]
Run = Callable[..., dict[str, Any]]
WRONG, RIGHT = ["A", "A", "B"], ["B", "B", "A"]


def _debate(id: str, *rounds: Sequence[str | None], **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "model": "m",
        "family": "f",
        "question_id": f"q-{id}",
        "gold": "B",
        "options": ["one", "two", "three", "four"],
        "rounds": [list(round) for round in rounds],
        **more,
    }


def _cohort(n: int, collapsed: Sequence[int], corrected: int, **more: Any) -> list[dict[str, Any]]:
    kinds: list[list[list[str]]] = []
    for round, count in enumerate(collapsed, 1):
        kinds += [[RIGHT if r < round else WRONG for r in range(4)]] * count
    kinds += [[WRONG, RIGHT, RIGHT, RIGHT]] * corrected
    stable = n - len(kinds)
    kinds += [[RIGHT] * 4] * (stable // 2) + [[WRONG] * 4] * (stable - stable // 2)
    name = more.get("model", "m")
    return [_debate(f"{name}-{i}", *rounds, **more) for i, rounds in enumerate(kinds)]


@pytest.fixture(scope="session")
def debate() -> Callable[..., dict[str, Any]]:
    """`debate(id, round, round, ...)`: a record whose correct option is B of A to D."""
    return _debate


@pytest.fixture(scope="session")
def cohort() -> Callable[..., list[dict[str, Any]]]:
    """`cohort(n, collapsed, corrected)`: n debates of three revision rounds, half of the stable
    ones right; `collapsed` says how many collapse in round 1, 2 and 3."""
    return _cohort


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes records to `panels.jsonl` and returns the path."""

    def write(records: Records) -> Path:
        path = tmp_path / "panels.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path

    return write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with `--json` and returns the one object that it prints."""

    def run(*argv: object) -> dict[str, Any]:
        parser = argparse.ArgumentParser()
        add_commands(parser.add_subparsers(required=True))
        args = parser.parse_args([*map(str, argv), "--json"])
        assert args.run(args) == 0
        result: dict[str, Any] = json.loads(capsys.readouterr().out)
        return result

    return run
