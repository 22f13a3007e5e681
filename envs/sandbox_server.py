"""The process that forks one child a program: the other end of `debate_gym.envs.sandbox`.

It reads requests (`code`, `limits`) and writes replies (the fields of `RunResult`, or `error`), one
JSON object a line. `sandbox.Sandbox` starts it in an interpreter of its own; it loads the libraries
that programs may use, goes behind the walls of `sandbox_jail`, and forks a supervisor
(`sandbox_run`) for each request.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from debate_gym.envs import sandbox_jail as jail
from debate_gym.envs.sandbox_run import Supervisor, Walls, kill_descendants

LIBRARIES = ("math", "fractions", "decimal", "datetime", "statistics", "numpy.random")
KILLED = {
    "exit": "signal",
    "returncode": -signal.SIGKILL,
    "stdout": "",
    "stderr": "",
    "seconds": 0.0,
}


def main(isolation: str) -> None:
    """Serves until the other end closes.

    Args:
        isolation: `namespaces`, `plain`, or empty for namespaces where they work, else plain.
    """
    requests, replies = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.umask(0o022)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _load_libraries()
    walls, reason = _walls(isolation)
    isolation = "namespaces" if walls.enclosed else "plain"
    write_line(replies, {"isolation": isolation, "reason": reason})
    for name in [name for name in sys.modules if name.split(".")[0] == "debate_gym"]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()
    with os.fdopen(requests, "rb") as lines:
        for line in lines:
            if (reply := _serve(json.loads(line), walls, requests)) is None:
                return
            write_line(replies, reply)


def _load_libraries() -> None:
    """What every program inherits, the state of NumPy's global generator too."""
    for name in LIBRARIES:
        importlib.import_module(name)
    with suppress(ImportError):
        importlib.import_module("sympy")
    sys.modules["numpy.random"].seed(0)


def write_line(to: int, message: Any) -> None:
    """Writes a value as one line of JSON."""
    line = json.dumps(message).encode() + b"\n"
    while line:
        line = line[os.write(to, line) :]


def _serve(request: Mapping[str, Any], walls: Walls, requests: int) -> dict[str, Any] | None:
    """The reply, once every process of the request has ended; None if nobody waits for it."""
    if walls.enclosed:
        return _supervised(request, walls, requests, None)
    box = tempfile.mkdtemp(prefix=f"debate_gym-{os.getppid()}-")
    try:
        return _supervised(request, walls, requests, box)
    finally:
        shutil.rmtree(box, onerror=_make_removable)
        shutil.rmtree(box, ignore_errors=True)


def _supervised(
    request: Mapping[str, Any], walls: Walls, requests: int, box: str | None
) -> dict[str, Any] | None:
    reader, writer = os.pipe()
    supervisor = os.fork()
    if supervisor == 0:
        try:
            os.close(reader)
            message = Supervisor(request["limits"], walls, requests).run(request["code"], box)
            write_line(writer, message)
        except Exception as error:  # noqa: BLE001 - told to the caller, who raises it
            write_line(writer, {"error": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        line = said.read()
    os.waitpid(supervisor, 0)
    if not line.endswith(b"\n"):
        if walls.enclosed:
            return {"error": "the program's supervisor was killed from outside"}
        # Without namespaces a program can kill its supervisor; what it leaves falls to us.
        kill_descendants()
        return dict(KILLED)
    reply: dict[str, Any] | None = json.loads(line)
    return reply


def _walls(isolation: str) -> tuple[Walls, str]:
    """Puts up the best walls, and says why they are not the namespaces if they are not."""
    held, root = jail.address_space(), os.geteuid() == 0
    reason = "asked for" if isolation == "plain" else _trial(root)
    if reason and isolation == "namespaces":
        raise SystemExit(f"namespaces do not work here: {reason}")
    if reason:
        jail.adopt_orphans()
    else:
        jail.isolate()
    return Walls(not reason, held, nobody=root and not reason), reason


def _trial(root: bool) -> str:
    """Why namespaces do not work here, found out in a child; empty if they do."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            jail.isolate()
            jail.new_process_tree()
            init = os.fork()
            if init == 0:
                _try_box(root, writer)
            os.waitpid(init, 0)
        except OSError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as said:
        reason = said.read().decode()
    return "" if reason == "works" else reason or "a child that tried them was killed"


def _try_box(root: bool, writer: int) -> None:
    try:
        jail.open_box(2**20)
        jail.drop_privileges(root)
        _try_libraries()
        os.write(writer, b"works")
    except OSError as error:
        os.write(writer, str(error).encode())
    finally:
        os._exit(0)


def _try_libraries() -> None:
    """Raises OSError if what programs may import cannot be read by the user that they run as."""
    for name in ("os", "numpy", "sympy"):
        source = getattr(sys.modules.get(name), "__file__", None)
        if source is not None:
            with open(source, "rb"):
                pass


def _make_removable(_: object, path: str, __: object) -> None:
    with suppress(OSError):
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o700)
