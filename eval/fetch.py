"""`debate-gym data fetch`: downloads a data set's files to where the tasks look for them."""

from __future__ import annotations

import hashlib
import os
import shutil
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from tqdm import tqdm

from debate_gym.envs.names import unknown
from debate_gym.envs.tasks.files import data_root
from debate_gym.eval.hub_layouts import write_mmlu, write_mmmu
from debate_gym.eval.sources import SOURCES, Hub, Url

CHUNK = 1 << 20
LAYOUTS = {"mmlu": write_mmlu, "mmmu": write_mmmu}


def fetch(folder: str) -> list[Path]:
    """Downloads what of a data set is not there yet.

    A file appears under its name only once it is complete, so an interrupted call goes on where
    it stopped when it is made again.

    Args:
        folder: a data set, one of `SOURCES`.

    Returns:
        The files that are there now, those that were there before included.

    Raises:
        ValueError: on an unknown data set.
        OSError: if a download fails or its checksum is not the published one; says what to do.
    """
    if folder not in SOURCES:
        raise ValueError(unknown("data set", folder, tuple(SOURCES)))
    below = data_root() / folder
    files: list[Path] = []
    for source in SOURCES[folder]:
        files += _from_url(source, below) if isinstance(source, Url) else _from_hub(source, below)
    return files


def _from_url(source: Url, below: Path) -> list[Path]:
    target = below / source.path
    if source.members:
        done = [
            path
            for end in source.members
            for path in target.parent.glob(f"*{end}")
            if path.is_file()
        ]
        if done:
            return sorted(done)
    elif target.is_file():
        return [target]
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        _download(source, partial, target)
        if source.members:
            return _unpacked(partial, target.parent, source.members)
        partial.replace(target)
        return [target]
    finally:
        partial.unlink(missing_ok=True)


def _download(source: Url, partial: Path, target: Path) -> None:
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(source.url, timeout=60) as reply, partial.open("wb") as file:
            size = int(reply.headers.get("Content-Length") or 0) or None
            with tqdm(total=size, unit="B", unit_scale=True, desc=target.name) as bar:
                while chunk := reply.read(CHUNK):
                    digest.update(chunk)
                    bar.update(file.write(chunk))
    except (urllib.error.URLError, TimeoutError) as error:
        raise OSError(
            f"could not download {source.url}: {error}. Is there a network? Else get the file "
            f"elsewhere and put it at {target}"
        ) from error
    if source.sha256 is not None and digest.hexdigest() != source.sha256:
        raise OSError(
            f"{source.url} has the checksum {digest.hexdigest()}, expected {source.sha256}: it has "
            f"changed, or the download is damaged. Nothing was written to {target}"
        )


def _unpacked(archive: Path, folder: Path, ends: Iterable[str]) -> list[Path]:
    files = []
    if not zipfile.is_zipfile(archive):
        raise OSError(
            f"expected a zip archive, got {archive.stat().st_size} bytes of something else"
        )
    with zipfile.ZipFile(archive) as members:
        wanted = [m for m in members.infolist() if m.filename.endswith(tuple(ends))]
        if not wanted:
            raise OSError(f"no member of the archive ends in {' or '.join(ends)}")
        for member in wanted:
            path = folder / PurePosixPath(member.filename).name
            partial = path.with_name(f"{path.name}.{os.getpid()}.part")
            with members.open(member) as source, partial.open("wb") as target:
                shutil.copyfileobj(source, target)
            partial.replace(path)
            files.append(path)
    return sorted(files)


def _from_hub(source: Hub, below: Path) -> list[Path]:
    files: list[Path] = []
    for config in source.configs:
        files += LAYOUTS[source.layout](below, config, _Splits(source, config))
    return files


class _Splits:
    """The rows of each split of one configuration, loaded when they are asked for."""

    def __init__(self, source: Hub, config: str) -> None:
        self.names = source.splits
        self._source, self._config = source, config

    def rows(self, split: str) -> Any:
        import datasets
        from huggingface_hub.errors import GatedRepoError

        source = self._source
        page = f"https://huggingface.co/datasets/{source.repository}"
        try:
            return datasets.load_dataset(
                source.repository, self._config, split=split, revision=source.revision
            )
        except (GatedRepoError, datasets.exceptions.DatasetNotFoundError) as error:
            terms = source.terms or "the terms shown there"
            raise OSError(
                f"{source.repository} is not open to you: accept {terms} at {page} and run "
                f"`hf auth login`: {error}"
            ) from error
        except (OSError, ValueError) as error:
            raise OSError(
                f"could not load {source.repository} ({self._config}, {split}) from the hub: "
                f"{error}. Is there a network, and is HF_HUB_OFFLINE unset?"
            ) from error
