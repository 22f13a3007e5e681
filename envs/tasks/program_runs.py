"""What programs print, each run once: the runs are kept in a file of the user's cache folder.

The folder is `$DEBATE_GYM_CACHE`, else `debate_gym` in `$XDG_CACHE_HOME` or `~/.cache`. A run is
found by a hash over the program, the sandbox's version and limits, and the versions of Python,
NumPy and SymPy; the file may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from tqdm import tqdm

from debate_gym.envs.sandbox import VERSION, Exit, Limits, RunResult, Sandbox

VARIABLE = "DEBATE_GYM_CACHE"
FILE = "program_runs.jsonl"
SAVE_EVERY = 250
SHOW_FROM = 50
LONGEST = 200

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and the last line that it printed (blank ones aside), cut to 200
    characters."""

    exit: Exit
    printed: str


def cache_file() -> Path:
    """Where runs are kept unless a caller names another file."""
    if folder := os.environ.get(VARIABLE):
        return Path(folder).expanduser() / FILE
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "debate_gym" / FILE


def run_programs(
    codes: Iterable[str], *, cache: Path | None = None, limits: Limits | None = None
) -> dict[str, Ran]:
    """Runs each different program that the cache does not hold, with a progress bar if many.

    What the clock decided (`DEADLINE`, or a SIGKILL that came from elsewhere) is not kept: it may
    turn out otherwise on a quieter machine. A warning tells how many ran into a time limit.

    Args:
        cache: the file; `cache_file()` if None.

    Raises:
        OSError: if the sandbox cannot run programs here.
    """
    path, limits = cache or cache_file(), limits or Limits()
    keys = {code: _key(code, limits) for code in codes}
    known = _read(path)
    todo = [code for code, key in keys.items() if key not in known]
    known |= _run_all(todo, keys, limits, path)
    runs = {code: known[key] for code, key in keys.items()}
    _tell_timeouts(runs, limits)
    return runs


def _run_all(
    todo: list[str], keys: Mapping[str, str], limits: Limits, path: Path
) -> dict[str, Ran]:
    runs: dict[str, Ran] = {}
    fresh: dict[str, Ran] = {}
    bar = tqdm(todo, desc="running programs", unit="program", disable=len(todo) < SHOW_FROM)
    with Sandbox() as sandbox:
        try:
            for code in bar:
                result = sandbox.run(code, limits=limits)
                runs[keys[code]] = ran = _ran(result)
                if _repeatable(result):
                    fresh[keys[code]] = ran
                if len(fresh) >= SAVE_EVERY:
                    _save(path, fresh)
                    fresh = {}
        finally:
            _save(path, fresh)
    return runs


def _ran(result: RunResult) -> Ran:
    lines = result.stdout.split("\n") if result.exit is Exit.OK else []
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return Ran(result.exit, last[:LONGEST])


def _repeatable(result: RunResult) -> bool:
    killed = result.exit is Exit.SIGNAL and result.returncode == -9
    return result.exit is not Exit.DEADLINE and not killed


def _key(code: str, limits: Limits) -> str:
    where = [VERSION, asdict(limits), list(sys.version_info[:3]), _version("numpy")]
    content = json.dumps([*where, _version("sympy"), code])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _read(path: Path) -> dict[str, Ran]:
    """What the file holds; a line that is no run, or a file that cannot be read, is as good as
    absent."""
    runs = {}
    with suppress(OSError), path.open("rb") as lines:
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                value = json.loads(line)
                runs[str(value["key"])] = Ran(Exit(value["exit"]), str(value["printed"]))
    return runs


def _save(path: Path, fresh: Mapping[str, Ran]) -> None:
    """Puts a new file in the old one's place. If two processes do so at once, one of them loses
    runs that it will do again; the file is whole at any time."""
    if not fresh:
        return
    runs = {**_read(path), **fresh}
    lines = [json.dumps({"key": key, **asdict(ran)}) + "\n" for key, ran in sorted(runs.items())]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file:
            file.writelines(lines)
        os.replace(file.name, path)
    except OSError as error:
        logger.warning("the runs of programs are not kept: %s; set %s to a folder", error, VARIABLE)


def _tell_timeouts(runs: Mapping[str, Ran], limits: Limits) -> None:
    late = sum(ran.exit in (Exit.TIMEOUT, Exit.DEADLINE) for ran in runs.values())
    if late:
        logger.warning(
            "%d of %d programs ran into the time limit (%d s of processor time, %g s on the clock)",
            late,
            len(runs),
            limits.cpu_seconds,
            limits.wall_seconds,
        )
