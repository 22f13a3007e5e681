"""Runs Python programs that nobody has read: `run_python(code) -> RunResult`.

A program runs as if by `python`, in a child of a server process that has NumPy and SymPy loaded
where they are installed (some ten milliseconds a program, in place of a second). It gets an empty
folder, which is gone afterwards, an empty environment, no input, and limits; at its end, or at the
deadline, it and all its descendants are killed, in whatever session they are. Hashes are fixed,
and `random` and `numpy.random` start from seed 0, so that a program ends alike each time.

Where Linux lets us (`isolation` is `namespaces`), it also has no network, no other processes in
sight, and a read-only root without any of the user's files. Elsewhere (`plain`) limits and the
kill are all there is: `Sandbox.gaps` says what is then not stopped, and a warning says it once.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal

VERSION = 1
"""Raised when the same program may end in another way than before."""

CLOSE_S = 15.0

Isolation = Literal["namespaces", "plain"]
GAPS: Mapping[str, tuple[str, ...]] = {
    "namespaces": (
        "memory is limited for each process of a program, not for all of them together",
        "a hole in the kernel is a hole in the sandbox",
    ),
    "plain": (
        "the network is not blocked",
        "programs can read and write all files of this user, and fill the disk",
        "programs can see and signal this user's other processes and read their environments",
        "memory is limited for each process of a program, not for all of them together",
        "the number of processes is checked only every 20 ms where the user is root",
        "a hole in the kernel is a hole in the sandbox",
    ),
}

# Bare packages in place of the real ones: the server needs three small files and no environment.
_START = """
import sys, types
for name in ("debate_gym", "debate_gym.envs"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [sys.argv[1]]
from debate_gym.envs import sandbox_server
sandbox_server.main(sys.argv[2])
"""
# Fixed hashes, so that the order of a set does not differ from run to run. One thread: a process
# with more cannot enter a user namespace, nor fork safely.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Exit(StrEnum):
    """How a program ended.

    `ERROR` is an exit code other than 0, `TIMEOUT` the end of its processor time, `DEADLINE` of the
    time on the clock, `FLOOD` too much output, `SIGNAL` any other signal.
    """

    OK = "ok"
    ERROR = "error"
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    DEADLINE = "deadline"
    FLOOD = "flood"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use.

    Attributes:
        cpu_seconds: processor time of each process: whole seconds.
        wall_seconds: time on the clock. Generous, for it depends on what else the machine does.
        memory_mb: address space of each process, beyond what the interpreter has.
        processes: processes and threads at a time, the program itself included.
        file_mb: size of a file; with namespaces also of all files together.
        output_kb: what it may print, and what it may write to the error output.

    Raises:
        ValueError: on a limit below 1.
    """

    cpu_seconds: int = 10
    wall_seconds: float = 60.0
    memory_mb: int = 512
    processes: int = 8
    file_mb: int = 16
    output_kb: int = 64

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")


@dataclass(frozen=True, slots=True)
class RunResult:
    """What became of a program.

    Attributes:
        returncode: its exit code, or minus the number of the signal that ended it.
        stdout: at most `output_kb`; bytes that are no UTF-8 are replaced.
        stderr: the last 4,000 bytes.
        seconds: time on the clock.
    """

    exit: Exit
    returncode: int
    stdout: str
    stderr: str
    seconds: float


class Sandbox:
    """A server process that runs one program at a time; started at the first one.

    Args:
        isolation: `namespaces` or `plain`; the former where it works if None.

    Raises:
        OSError: by `run`, if this is not Linux, or the server or a program cannot be started.
        ValueError: on an unknown isolation.
    """

    def __init__(self, isolation: Isolation | None = None) -> None:
        if isolation not in (None, *GAPS):
            raise ValueError(f"isolation must be one of {list(GAPS)} or None, got {isolation!r}")
        self._wanted: Isolation | None = isolation
        self._server: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._isolation: Isolation = "plain"
        self._lock = threading.Lock()

    @property
    def isolation(self) -> Isolation:
        """What is in force."""
        self._started()
        return self._isolation

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is not stopped, in sentences."""
        return GAPS[self.isolation]

    def run(self, code: str, *, limits: Limits | None = None) -> RunResult:
        """Runs a program to its end, or ends it. Whatever it does is a result."""
        with self._lock:
            reply = self._asked_for({"code": code, "limits": asdict(limits or Limits())})
        if "error" in reply:
            raise OSError(f"sandbox: {reply['error']}")
        return RunResult(**{**reply, "exit": Exit(reply["exit"])})

    def close(self) -> None:
        """Ends the server, and the program that it runs."""
        server, self._server = self._server, None
        if server is None or self._owner != os.getpid():
            return
        for pipe in (server.stdin, server.stdout):
            if pipe is not None:
                pipe.close()
        try:
            server.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _asked_for(self, request: Mapping[str, Any]) -> dict[str, Any]:
        server = self._started()
        try:
            _send(server, request)
            return _receive(server)
        except BaseException:
            # Whatever cut this short, the next program must not get the reply that is under way.
            self.close()
            raise

    def _started(self) -> subprocess.Popen[bytes]:
        if self._server is None or self._owner != os.getpid():
            self._server, self._owner = _start_server(self._wanted), os.getpid()
            greeting = _receive(self._server)
            self._isolation = greeting["isolation"]
            if self._isolation == "plain" and self._wanted is None:
                _warn(greeting["reason"])
        return self._server


def shared_sandbox() -> Sandbox:
    """The sandbox of `run_python`, which lives as long as this process."""
    return _sandbox_of(os.getpid())


def run_python(code: str, *, limits: Limits | None = None) -> RunResult:
    """Runs a program in the process's own sandbox; see `Sandbox.run`."""
    return shared_sandbox().run(code, limits=limits)


@cache
def _sandbox_of(process: int) -> Sandbox:
    sandbox = Sandbox()
    atexit.register(sandbox.close)
    return sandbox


@cache
def _warn(reason: str) -> None:
    gaps = "; ".join(GAPS["plain"])
    warnings.warn(
        f"the sandbox has no namespaces here ({reason}): {gaps}", RuntimeWarning, stacklevel=2
    )


def _start_server(isolation: Isolation | None) -> subprocess.Popen[bytes]:
    if sys.platform != "linux":
        raise OSError(f"the sandbox needs Linux, this is {sys.platform}: use a container")
    folder = str(Path(__file__).parent)
    # The last argument is for whoever reads a process list.
    arguments = [folder, isolation or "", f"for process {os.getpid()}"]
    return subprocess.Popen(
        [sys.executable, "-P", "-X", "utf8", "-c", _START, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd="/",
        env=_ENVIRONMENT,
        start_new_session=True,
    )


def _send(server: subprocess.Popen[bytes], request: Mapping[str, Any]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()


def _receive(server: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line.endswith(b"\n"):
        raise OSError(f"the sandbox's server ended with status {server.wait()}")
    reply: dict[str, Any] = json.loads(line)
    return reply
