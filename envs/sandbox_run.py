"""One program in the sandbox: its supervisor, which keeps the clock, and its start.

The processes are supervisor -> init of a process table -> program. Without namespaces there is no
init; then orphans fall to the supervisor, which looks for them in `/proc`.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import select
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from debate_gym.envs import sandbox_jail as jail
from debate_gym.envs.sandbox_program import run_as_main

TICK_MS = 20
STDERR_TAIL = 4_000
CHUNK = 65_536
OWN_PROCESSES = 3
GIVE_UP_S = 10.0


@dataclass(frozen=True, slots=True)
class Walls:
    """What stands around programs.

    Attributes:
        enclosed: whether the server lives in namespaces.
        held: bytes of address space that a program's process has from the start.
        nobody: whether programs run as NOBODY, since no process limit binds the machine's root.
    """

    enclosed: bool
    held: int
    nobody: bool


class Supervisor:
    """Runs one program to its end, or ends it.

    Args:
        limits: the fields of `sandbox.Limits`.
        requests: a descriptor that hangs up when nobody waits for the result any more.
    """

    def __init__(self, limits: Mapping[str, Any], walls: Walls, requests: int) -> None:
        self._limits = limits
        self._walls = walls
        self._requests = requests
        self._server = os.getppid()
        self._statuses: dict[int, int] = {}
        self._verdict: str | None = None

    def run(self, code: str, box: str | None) -> dict[str, Any] | None:
        """The fields of a `RunResult`; None if nobody waits for them.

        Args:
            box: the program's folder; None with namespaces, where it gets one of its own.

        Raises:
            OSError: if the program could not be started.
        """
        (out, out_w), (err, err_w), (told, told_w) = os.pipe(), os.pipe(), os.pipe()
        if box is None:
            jail.new_process_tree()
        else:
            jail.adopt_orphans()
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            _start(code, self._limits, self._walls, box, (out_w, err_w, told_w))
        for writer in (out_w, err_w, told_w):
            os.close(writer)
        self._texts = {out: bytearray(), err: bytearray()}
        self._watch(child, begin + self._limits["wall_seconds"])
        self._end(child)
        seconds = time.monotonic() - begin
        for pipe in self._texts:
            self._drain(pipe)
        if self._verdict == "abandoned":
            return None
        status = self._status(child, told)
        return {
            "exit": self._verdict or self._exit(status),
            "returncode": os.waitstatus_to_exitcode(status),
            "stdout": self._texts[out][: self._limits["output_kb"] * 1024].decode(errors="replace"),
            "stderr": self._texts[err][-STDERR_TAIL:].decode(errors="replace"),
            "seconds": seconds,
        }

    def _watch(self, child: int, deadline: float) -> None:
        """Reads what the program writes until it ends or has to be ended."""
        poll, ended = select.poll(), os.pidfd_open(child)
        for descriptor in (*self._texts, ended):
            poll.register(descriptor, select.POLLIN)
        poll.register(self._requests, 0)
        while self._verdict is None:
            for descriptor, _ in poll.poll(TICK_MS):
                if descriptor == ended:
                    return
                if descriptor == self._requests:
                    self._verdict = "abandoned"
                elif not self._read(descriptor):
                    poll.unregister(descriptor)
            self._tick(deadline)

    def _tick(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            self._verdict = "deadline"
        elif os.getppid() != self._server:
            self._verdict = "abandoned"
        elif not self._walls.enclosed and len(_descendants()) > self._limits["processes"]:
            self._verdict = "signal"

    def _read(self, pipe: int) -> int:
        chunk = os.read(pipe, CHUNK)
        self._texts[pipe] += chunk
        if len(self._texts[pipe]) > self._limits["output_kb"] * 1024:
            self._verdict = self._verdict or "flood"
        return len(chunk)

    def _drain(self, pipe: int) -> None:
        fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_NONBLOCK)
        with suppress(BlockingIOError):
            while self._verdict in (None, "signal") and self._read(pipe):
                pass

    def _end(self, child: int) -> None:
        """Kills what is left; the end of an init takes its whole process table along."""
        if self._walls.enclosed:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            self._statuses[child] = os.waitpid(child, 0)[1]
        else:
            self._statuses = kill_descendants()

    def _status(self, child: int, told: int) -> int:
        """The program's wait status."""
        with os.fdopen(told, "rb") as message:
            said = json.loads(message.read() or b"{}")
        if "error" in said:
            raise OSError(f"the program could not be started: {said['error']}")
        if self._walls.enclosed:
            return int(said.get("status", signal.SIGKILL))
        return self._statuses.get(child, signal.SIGKILL)

    def _exit(self, status: int) -> str:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        late = used.ru_utime + used.ru_stime >= self._limits["cpu_seconds"]
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            slow = number == signal.SIGXCPU or (number == signal.SIGKILL and late)
            return "timeout" if slow else "signal"
        return "error" if os.WEXITSTATUS(status) else "ok"


def kill_descendants() -> dict[int, int]:
    """Kills the processes below this one, which must adopt orphans, until none is left.

    Returns:
        Wait statuses by process id, of those that became our children.
    """
    statuses: dict[int, int] = {}
    give_up = time.monotonic() + GIVE_UP_S
    while (found := _descendants()) and time.monotonic() < give_up:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                statuses[ended[0]] = ended[1]
        time.sleep(0.0005)
    return statuses


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:
            parent = int(stat.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def _start(
    code: str,
    limits: Mapping[str, Any],
    walls: Walls,
    box: str | None,
    pipes: tuple[int, int, int],
) -> NoReturn:
    """What the supervisor's child does. Trouble is told on the third pipe, not to the program."""
    out, err, told = pipes
    try:
        os.setsid()
        processes = limits["processes"] + (OWN_PROCESSES if box is None else _own_threads())
        if box is None:
            jail.open_box(limits["file_mb"] * 2**20)
        else:
            os.chdir(box)
        jail.drop_privileges(walls.nobody)
        jail.die_with_parent()
        if box is None and (program := os.fork()):
            _be_init(program, pipes)
        jail.set_limits(limits, walls.held, processes)
        os.dup2(out, 1)
        os.dup2(err, 2)
    except OSError as error:
        os.write(told, json.dumps({"error": str(error)}).encode())
        os._exit(1)
    os.closerange(3, 2**16)
    run_as_main(code)


def _be_init(program: int, pipes: tuple[int, int, int]) -> NoReturn:
    os.close(pipes[0])
    os.close(pipes[1])
    while True:
        pid, status = os.wait()
        if pid == program:
            os.write(pipes[2], json.dumps({"status": status}).encode())
            os._exit(0)


def _own_threads() -> int:
    """How many threads this user runs on the whole machine: what RLIMIT_NPROC counts."""
    number = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == os.getuid():
                number += len(os.listdir(f"/proc/{name}/task"))
    return number
