"""Where a run lives, and what is already there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from accelerate.utils import broadcast_object_list

LAST = "last"
STATE = "trainer_state.json"
METRICS = "metrics.jsonl"
CONFIG = "config.yaml"
TRANSCRIPTS = "transcripts"
FINAL = "final"
CURVES = "curves.png"


def choose_folder(output_dir: str | None, resume: str | None, parent: Path, stem: str) -> Path:
    """The folder of a run: the one given, else the next free `parent/stem-N`, or the last used one
    if the run is to be resumed. Every process must call this; all get the answer of the first.

    Raises:
        ValueError: if the folder given holds a run already and nothing says to resume it.
    """
    chosen: list[Path | ValueError] = [_choose(output_dir, resume, parent, stem)]
    broadcast_object_list(chosen)
    if isinstance(chosen[0], ValueError):
        raise chosen[0]
    return chosen[0]


def _choose(
    output_dir: str | None, resume: str | None, parent: Path, stem: str
) -> Path | ValueError:
    if output_dir is not None:
        folder = Path(output_dir)
        if resume is None and (folder / METRICS).exists():
            return ValueError(
                f"{folder} already holds a run: add --resume_from_checkpoint last to continue it, "
                "or choose another --output_dir"
            )
        return folder
    used = [
        int(match[1]) for p in parent.glob(f"{stem}-*") if (match := re.search(r"-(\d+)$", p.name))
    ]
    if resume is not None and not used:
        return ValueError(f"no run {parent}/{stem}-N to resume: name one with --output_dir")
    last = max(used, default=0)
    return parent / f"{stem}-{last if resume is not None else last + 1}"


def find_checkpoint(folder: Path, resume: str | None) -> str | None:
    """The checkpoint to start from; None for the beginning.

    Args:
        resume: None, a checkpoint's folder, or `last`: the newest complete checkpoint of the run,
            or the beginning if it has none yet.

    Raises:
        ValueError: if the folder named is no complete checkpoint.
    """
    if resume is None:
        return None
    if resume != LAST:
        if not _complete(Path(resume)):
            raise ValueError(
                f"{resume} is no complete checkpoint: it has no readable {STATE}; use last, or a "
                "folder checkpoint-N of a run"
            )
        return resume
    found = [path for path in folder.glob("checkpoint-*") if _complete(path)]
    return str(max(found, key=lambda path: int(path.name.split("-")[1]))) if found else None


def _complete(checkpoint: Path) -> bool:
    # The state is what a checkpoint ends with, so it tells a whole one from a torn one.
    try:
        json.loads((checkpoint / STATE).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return True


def write_config(folder: Path, fields: dict[str, Any]) -> None:
    """Writes the fields of a run as a file that `--config` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(fields, sort_keys=False)
    (folder / CONFIG).write_text(text, encoding="utf-8")


def changed_fields(folder: Path, fields: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The fields in which a run that is resumed differs from what it was: name -> (was, is)."""
    path = folder / CONFIG
    if not path.is_file():
        return {}
    was = yaml.safe_load(path.read_text("utf-8")) or {}
    return {
        name: (was[name], value)
        for name, value in fields.items()
        if name in was and was[name] != value
    }
