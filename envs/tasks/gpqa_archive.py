"""A csv file inside GPQA's password-protected archive, read in memory.

The authors ask that no example stand anywhere in plain text, so that none gets into training
corpora. Nothing is unpacked to a file, and what is noted about a broken row names file, line and
column but never what stands there. The password is public (the authors' README); it keeps crawlers
out, not people. Python decrypts the old zip cipher at about 1 MB of packed data a second, so only
the file that is asked for is read.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from debate_gym.envs.tasks.intake import Intake, Record

PASSWORD = b"deserted-untie-orchid"


def archived_rows(intake: Intake, archive: Path, name: str) -> Iterator[Record]:
    """The rows of the csv file of this name, in any folder of the archive.

    A file that is no archive, cannot be decrypted or is not UTF-8 counts as one broken record.

    Raises:
        FileNotFoundError: if the archive has no file of this name.
    """
    intake.files.append(archive)
    try:
        inner, data = _member(archive, name)
        text = data.decode("utf-8-sig")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):
        _broken(intake, f"{archive}: expected the authors' zip archive with their password")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        _broken(intake, f"{archive / name}:{line}: expected UTF-8")
    else:
        yield from intake.csv_text(archive / inner, text)


def _member(archive: Path, name: str) -> tuple[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        for inner in opened.namelist():
            if inner.rpartition("/")[2] == name:
                return inner, opened.read(inner, pwd=PASSWORD)
    raise FileNotFoundError(f"{archive} holds no {name}: get the authors' archive, unchanged")


def _broken(intake: Intake, message: str) -> None:
    intake.read += 1
    intake.broken.append(message)
