"""Rows of the hub, written in the layout of the authors' own files."""

from __future__ import annotations

import base64
import csv
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TextIO

MMLU_SPLITS = {"dev": "dev", "validation": "val", "test": "test"}
LETTERS = "ABCD"


class Splits(Protocol):
    """The splits of one configuration; `rows` loads one."""

    names: tuple[str, ...]

    def rows(self, split: str) -> Iterable[Mapping[str, Any]]: ...


def write_mmlu(below: Path, config: str, splits: Splits) -> list[Path]:
    """`data/SPLIT/SUBJECT_SPLIT.csv`, without a header; a split that has files is left alone."""
    files: list[Path] = []
    for hub_split in splits.names:
        split = MMLU_SPLITS[hub_split]
        folder = below / "data" / split
        done = sorted(folder.glob("*.csv"))
        if not done:
            subjects = defaultdict(list)
            for row in splits.rows(hub_split):
                cells = [row["question"], *row["choices"], LETTERS[row["answer"]]]
                subjects[row["subject"]].append(cells)
            done = _mmlu_files(folder, split, subjects)
        files += done
    return files


def _mmlu_files(folder: Path, split: str, subjects: Mapping[str, list[list[str]]]) -> list[Path]:
    # The folder is renamed whole: a split with half its subjects would look complete.
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    partial.mkdir(parents=True)
    for subject, rows in sorted(subjects.items()):
        with (partial / f"{subject}_{split}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    partial.replace(folder)
    return sorted(folder.glob("*.csv"))


def write_mmmu(below: Path, config: str, splits: Splits) -> list[Path]:
    """`hub/SUBJECT_SPLIT.jsonl`: the hub's columns, an image as `{"bytes": BASE64}` or null."""
    return [_mmmu_file(below, config, split, splits) for split in splits.names]


def _mmmu_file(below: Path, config: str, split: str, splits: Splits) -> Path:
    path = below / "hub" / f"{config}_{split}.jsonl"
    if not path.is_file():
        rows = _undecoded(splits.rows(split))

        def write(file: TextIO) -> None:
            for row in rows:
                record = {name: _image(value) for name, value in row.items()}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")

        _write_whole(path, write)
    return path


def _undecoded(rows: Any) -> Any:
    import datasets

    for name, feature in getattr(rows, "features", {}).items():
        if isinstance(feature, datasets.Image):
            rows = rows.cast_column(name, datasets.Image(decode=False))
    return rows


def _image(value: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes):
        return {"bytes": base64.b64encode(value["bytes"]).decode("ascii")}
    return value


def _write_whole(path: Path, write: Callable[[TextIO], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    with partial.open("w", encoding="utf-8") as file:
        write(file)
    partial.replace(path)
