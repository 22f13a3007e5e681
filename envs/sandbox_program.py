"""Running a text as if it were the main program of a fresh interpreter."""

from __future__ import annotations

import atexit
import builtins
import os
import random
import signal
import sys
import threading
from types import ModuleType
from typing import Any, NoReturn, cast


def run_as_main(code: str) -> NoReturn:
    """Runs the code as `__main__`, without an environment, and ends the process with the exit code
    that python would give."""
    status = 1
    try:
        os.environ.clear()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = [""]
        # Only here: the module seeds itself anew in each fork.
        random.seed(0)
        status = _exit_code(code)
        cast(Any, threading)._shutdown()
        cast(Any, atexit)._run_exitfuncs()
    finally:
        status = _flush(status)
        os._exit(status)


def _exit_code(code: str) -> int:
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    try:
        # dont_inherit: the future imports of this file are not the program's.
        exec(compile(code, "<program>", "exec", dont_inherit=True), module.__dict__)
    except SystemExit as end:
        return _code_of(end)
    except BaseException as error:  # noqa: BLE001 - it is the program's, shown as python would
        own = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(own), own)
        return 1
    return 0


def _code_of(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return (end.code or 0) & 0xFF
    print(end.code, file=sys.stderr)  # noqa: T201 - as python does
    return 1


def _flush(status: int) -> int:
    """120 where the output cannot be written, as python has it."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return status or 120
    return status
