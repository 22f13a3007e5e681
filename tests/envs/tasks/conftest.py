"""A data folder of our own records in the upstream layouts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs import Question, load_task

Write = Callable[[str, Sequence[Mapping[str, Any]]], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes records to a file below a new `DEBATE_GYM_DATA`."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_file(name: str, records: Sequence[Mapping[str, Any]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        path.write_text(lines, "utf-8")
        return path

    return to_file


@pytest.fixture
def both_splits() -> Callable[..., list[Question]]:
    """All questions of a task, train and held-out; an empty split counts as none."""

    def load(task: str, seed: int = 0, **options: Any) -> list[Question]:
        questions = []
        for split in ("train", "heldout"):
            try:
                questions += load_task(task, split, 10_000, seed, **options)
            except ValueError as error:
                if "no question left" not in str(error):
                    raise
        return questions

    return load
