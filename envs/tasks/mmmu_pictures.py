"""Pictures of MMMU's records, in each of its layouts (see `debate_gym.envs.tasks.mmmu_files`)."""

from __future__ import annotations

import ast
import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debate_gym.envs.images import data_uri
from debate_gym.envs.tasks.files import content_hash

MOST_PICTURES = 7
HEAD = 16
SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: the file that it is in, or its bytes."""

    path: Path | None = None
    data: bytes = b""

    @property
    def image(self) -> str:
        """As `Question.images` holds it: a path or a data URI."""
        return data_uri(self.data) if self.path is None else str(self.path.absolute())

    @property
    def digest(self) -> str:
        """Of the bytes, wherever they lie."""
        data = self.data if self.path is None else self.path.read_bytes()
        return content_hash(base64.b64encode(data).decode())


def read_pictures(
    row: Mapping[str, Any], name: str, folder: Path, named: Mapping[str, Path]
) -> tuple[Picture | None, ...]:
    """The pictures by number, without empty places at the end."""
    given: list[Any] = [row.get(f"image_{k}") for k in range(1, MOST_PICTURES + 1)]
    if not all(map(absent, given)):
        pictures = [None if absent(value) else _picture(value, folder) for value in given]
    elif not absent(row.get("image")):
        pictures = [_picture(value, folder) for value in _base64s(row["image"])]
    else:
        paths = [named.get(f"{name}_{k}") for k in range(1, MOST_PICTURES + 1)]
        pictures = [None if path is None else _file(path) for path in paths]
    while pictures and pictures[-1] is None:
        pictures.pop()
    return tuple(pictures)


def _base64s(value: Any) -> list[Any]:
    if isinstance(value, str) and not value.startswith("["):
        return [{"bytes": value}]
    if isinstance(value, dict):
        return [value]
    return [{"bytes": one} for one in listed(value, "image")]


def _picture(value: Any, folder: Path) -> Picture | None:
    if isinstance(value, str):
        paths = (folder / "static" / value, folder / value)
        return next((_file(path) for path in paths if path.is_file()), None)
    if not isinstance(value, dict) or not {"bytes", "path"} & value.keys():
        raise ValueError(f"a picture must be a path or hold bytes or path, got {value!r:.60}")
    data = value.get("bytes")
    if data is None:
        return None if value.get("path") is None else _picture(value["path"], folder)
    if isinstance(data, str):
        data = base64.b64decode(data, validate=True)
    data_uri(data[:HEAD])
    return Picture(data=data)


def _file(path: Path) -> Picture:
    with path.open("rb") as file:
        try:
            data_uri(file.read(HEAD))
        except ValueError as error:  # such as a Git LFS pointer
            raise ValueError(f"{path}: {error}") from error
    return Picture(path)


def picture_files(folder: Path) -> dict[str, Path]:
    """The task's picture files by their names without suffix; of equal names the first."""
    files = [path for path in folder.rglob("*_*") if path.suffix.lower() in SUFFIXES]
    return {path.stem: path for path in sorted(files, reverse=True)}


def absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def listed(value: Any, name: str) -> list[Any]:
    """A list, or the one that a string holds."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{name} must be a Python list, got {value!r:.60}") from error
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{name} must be a list, got {value!r:.60}")
    return list(value)
