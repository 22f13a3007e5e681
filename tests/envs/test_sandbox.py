"""What the sandbox stops, with the best isolation of this machine and without namespaces.

Where an isolation does not stop something, its stated gaps are checked instead.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from debate_gym.envs.sandbox import Exit, Limits, RunResult, Sandbox, run_python, shared_sandbox

QUICK = Limits(cpu_seconds=1, wall_seconds=3, memory_mb=256, processes=6, file_mb=2)
FEW_SECONDS = 8.0


@pytest.fixture(scope="module", params=[None, "plain"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Sandbox(request.param) as sandbox:
            assert sandbox.isolation == "plain" or request.param is None
            yield sandbox


@pytest.fixture(autouse=True)
def _no_process_left(sandbox: Sandbox) -> Iterator[None]:
    before, boxes = servers(), folders()
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin < FEW_SECONDS
    assert servers() - before == set()
    assert folders() <= boxes


def servers() -> set[int]:
    """The processes that any sandbox of ours has started: forks keep their command line."""
    mine = f"for process {os.getpid()}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().rstrip(b"\0").endswith(mine):
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"debate_gym-{os.getpid()}-*"))


def stated(sandbox: Sandbox, word: str) -> bool:
    return any(word in gap for gap in sandbox.gaps)


@pytest.mark.parametrize(
    ("code", "exit", "returncode", "stdout", "stderr"),
    [
        ("print(6 * 7)", Exit.OK, 0, "42\n", ""),
        ("", Exit.OK, 0, "", ""),
        ("print('é', chr(128512))", Exit.OK, 0, "é \N{GRINNING FACE}\n", ""),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", Exit.OK, 0, "\ufffd", ""),
        ("import sys; print(1); sys.exit(3)", Exit.ERROR, 3, "1\n", ""),
        ("import sys; sys.exit()", Exit.OK, 0, "", ""),
        ("raise SystemExit('no')", Exit.ERROR, 1, "", "no\n"),
        ("exit(2)", Exit.ERROR, 2, "", ""),
        ("print(1)\n1 / 0", Exit.ERROR, 1, "1\n", "ZeroDivisionError: division by zero"),
        ("def f(:", Exit.ERROR, 1, "", "SyntaxError"),
        ("\ud800", Exit.ERROR, 1, "", "UnicodeEncodeError"),
        ("import os; os.abort()", Exit.SIGNAL, -signal.SIGABRT, "", ""),
        ("import atexit; atexit.register(print, 'end')", Exit.OK, 0, "end\n", ""),
        ("print(__name__, __import__('sys').argv)", Exit.OK, 0, "__main__ ['']\n", ""),
        ("x: int\nprint(__annotations__)", Exit.OK, 0, "{'x': <class 'int'>}\n", ""),
    ],
)
def test_how_programs_end(
    sandbox: Sandbox, code: str, exit: Exit, returncode: int, stdout: str, stderr: str
) -> None:
    result = sandbox.run(code, limits=QUICK)
    assert (result.exit, result.returncode, result.stdout) == (exit, returncode, stdout)
    assert stderr in result.stderr
    assert 0 < result.seconds < 3


def test_a_traceback_shows_the_program_only(sandbox: Sandbox) -> None:
    result = sandbox.run("def f():\n    return 1 / 0\nf()", limits=QUICK)
    assert result.stderr == (
        'Traceback (most recent call last):\n  File "<program>", line 3, in <module>\n'
        '  File "<program>", line 2, in f\nZeroDivisionError: division by zero\n'
    )


def test_stdin_is_empty(sandbox: Sandbox) -> None:
    assert sandbox.run("import sys; print(repr(sys.stdin.read()))", limits=QUICK).stdout == "''\n"
    assert "EOFError" in sandbox.run("input()", limits=QUICK).stderr


def test_programs_do_not_see_each_other(sandbox: Sandbox) -> None:
    first = "import math, builtins; math.pi = builtins.x = 3; open('left', 'w').write('x')"
    assert sandbox.run(first, limits=QUICK).exit is Exit.OK
    second = "import math, os; print(math.pi > 3, 'x' in dir(__builtins__), os.listdir())"
    assert sandbox.run(second, limits=QUICK).stdout == "True False []\n"


def test_random_draws_and_hashes_repeat(sandbox: Sandbox) -> None:
    code = (
        "import random, numpy\n"
        "print(random.random(), numpy.random.rand(), hash('a'), sorted({'a', 'b', 'c'}, key=hash))"
    )
    with Sandbox(sandbox.isolation) as other:
        assert sandbox.run(code).stdout == sandbox.run(code).stdout == other.run(code).stdout


def test_no_secret_of_the_environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    code = (
        "import ctypes, os\nprint(dict(os.environ), os.getenv('SECRET_TOKEN'))\n"
        "print(ctypes.CDLL(None).getenv(b'SECRET_TOKEN'))\n"
    )
    assert sandbox.run(code, limits=QUICK).stdout == "{} None\n0\n"


def test_the_environment_of_the_caller(sandbox: Sandbox) -> None:
    # What /proc shows is what a process was started with, so the secret goes to a new one.
    caller = (
        "import os\nfrom debate_gym.envs.sandbox import Sandbox\n"
        "code = f\"print(open('/proc/{os.getpid()}/environ').read())\"\n"
        f"print(Sandbox({sandbox.isolation!r}).run(code).stdout)"
    )
    done = subprocess.run(
        [sys.executable, "-c", caller],
        env={**os.environ, "SECRET_TOKEN": "hunter2"},
        capture_output=True,
        text=True,
        check=True,
    )
    # Root without its capabilities may not look at root with them.
    assert "hunter2" not in done.stdout or stated(sandbox, "read their environments")


def test_an_endless_loop(sandbox: Sandbox) -> None:
    result = sandbox.run("print('begun', flush=True)\nwhile True: pass", limits=QUICK)
    assert (result.exit, result.stdout) == (Exit.TIMEOUT, "begun\n")
    assert result.seconds > 0.8


def test_a_loop_that_ignores_the_warning(sandbox: Sandbox) -> None:
    code = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    assert sandbox.run(code, limits=QUICK).exit is Exit.TIMEOUT


def test_sleep(sandbox: Sandbox) -> None:
    result = sandbox.run("import time; time.sleep(60)", limits=Limits(wall_seconds=1))
    assert result.exit is Exit.DEADLINE
    assert result.seconds < 3


def test_a_fork_bomb(sandbox: Sandbox) -> None:
    bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    result = sandbox.run(bomb, limits=QUICK)
    assert result.exit in (Exit.TIMEOUT, Exit.DEADLINE, Exit.SIGNAL)


def test_the_number_of_processes(sandbox: Sandbox) -> None:
    code = (
        "import os, time\nmade = 1\ntry:\n    while made < 50:\n        if not os.fork():\n"
        "            time.sleep(60)\n        made += 1\nexcept OSError: pass\nprint(made)"
    )
    result = sandbox.run(code, limits=QUICK)
    if sandbox.isolation == "namespaces" or os.getuid() != 0:
        assert 1 < int(result.stdout) <= 6 + 3
    else:
        assert stated(sandbox, "checked only every 20 ms where the user is root")


@pytest.mark.parametrize("how", ["bytearray(10 * 2**30)", "[0] * (10 * 2**27)"])
def test_ten_gigabytes(sandbox: Sandbox, how: str) -> None:
    result = sandbox.run(f"x = {how}", limits=QUICK)
    assert result.exit is Exit.ERROR
    assert "MemoryError" in result.stderr


def test_memory_piece_by_piece(sandbox: Sandbox) -> None:
    result = sandbox.run("x = []\nwhile True: x.append(bytearray(2**20))", limits=QUICK)
    assert result.exit is Exit.ERROR


@pytest.mark.parametrize("to", ["stdout", "stderr"])
def test_a_gigabyte_of_output(sandbox: Sandbox, to: str) -> None:
    code = f"import sys\nfor _ in range(10**6): print('x' * 1000, file=sys.{to})"
    result = sandbox.run(code, limits=QUICK)
    assert result.exit is Exit.FLOOD
    assert len(result.stdout) <= 64 * 1024
    assert len(result.stderr) <= 4_000


def test_output_up_to_the_limit(sandbox: Sandbox) -> None:
    code = "import sys; sys.stdout.write('x' * {})"
    assert sandbox.run(code.format(2048), limits=Limits(output_kb=2)).exit is Exit.OK
    flooded = sandbox.run(code.format(2049), limits=Limits(output_kb=2))
    assert (flooded.exit, len(flooded.stdout)) == (Exit.FLOOD, 2048)


def test_a_file_outside_the_folder(sandbox: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    target = tmp_path / "mine"
    result = sandbox.run(f"open({str(target)!r}, 'w').write('x')", limits=QUICK)
    assert target.exists() == stated(sandbox, "read and write all files of this user")
    assert target.exists() == (result.exit is Exit.OK)


def test_files_of_the_user(sandbox: Sandbox) -> None:
    code = f"print(open({__file__!r}).read(3))"
    seen = sandbox.run(code, limits=QUICK).exit is Exit.OK
    assert seen == stated(sandbox, "read and write all files of this user")


def test_the_system_cannot_be_written(sandbox: Sandbox) -> None:
    code = (
        "import os\nprint(any(os.access(p, os.W_OK) for p in ('/', '/usr', '/dev', os.__file__)))"
    )
    if sandbox.isolation == "namespaces":
        assert sandbox.run(code, limits=QUICK).stdout == "False\n"
    else:
        assert stated(sandbox, "read and write all files of this user")


def test_its_own_folder(sandbox: Sandbox) -> None:
    code = (
        "import os\nprint(os.getcwd(), os.listdir())\nos.makedirs('a/b')\n"
        "open('a/b/c', 'w').write('x')\nos.chmod('a/b', 0)\nos.chmod('a', 0)"
    )
    result = sandbox.run(code, limits=QUICK)
    folder, files = result.stdout.split()
    assert (result.exit, files) == (Exit.OK, "[]")
    assert not Path(folder).exists()


def test_a_large_file(sandbox: Sandbox) -> None:
    code = "f = open('f', 'wb')\nwhile True: f.write(bytes(10**6))"
    assert sandbox.run(code, limits=QUICK).exit is Exit.ERROR
    many = "for i in range(4): open(str(i), 'wb').write(bytes(10**6))"
    fills = sandbox.run(many, limits=QUICK).exit is Exit.OK
    assert fills == stated(sandbox, "fill the disk")


def test_a_socket(sandbox: Sandbox) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        result = sandbox.run(code, limits=QUICK)
    assert (result.exit is Exit.OK) == stated(sandbox, "network is not blocked")


def test_no_privileges(sandbox: Sandbox) -> None:
    assert "Error" in sandbox.run("import os; os.setuid(1)", limits=QUICK).stderr
    mount = "import ctypes; print(ctypes.CDLL(None).mount(b'x', b'/', b'tmpfs', 0, None))"
    assert sandbox.run(mount, limits=QUICK).stdout == "-1\n"


ESCAPE = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        {streams}
        time.sleep(300)
    os._exit(0)
os.wait()
print("gone", flush=True)
{end}
"""


@pytest.mark.parametrize("streams", ["pass", "os.closerange(0, 99)"])
@pytest.mark.parametrize(("end", "exit"), [("", Exit.OK), ("time.sleep(300)", Exit.DEADLINE)])
def test_a_child_that_escapes(sandbox: Sandbox, streams: str, end: str, exit: Exit) -> None:
    limits = Limits(wall_seconds=1)
    result = sandbox.run(ESCAPE.format(streams=streams, end=end), limits=limits)
    assert (result.exit, result.stdout) == (exit, "gone\n")


def test_killing_the_others(sandbox: Sandbox) -> None:
    code = (
        "import os, signal\ntry: os.kill(os.getppid(), signal.SIGKILL)\nexcept OSError: pass\n"
        "print(os.getppid())"
    )
    result = sandbox.run(code, limits=QUICK)
    if sandbox.isolation == "namespaces":
        assert (result.exit, result.stdout) == (Exit.OK, "1\n")
    else:
        assert stated(sandbox, "signal this user's other processes")
        assert result.exit is Exit.SIGNAL
    assert sandbox.run("print(1)", limits=QUICK).stdout == "1\n"


def test_sympy_where_it_is_installed(sandbox: Sandbox) -> None:
    pytest.importorskip("sympy")
    code = "from sympy import symbols, solve\nx = symbols('x')\nprint(solve(2 * x - 3, x)[0])"
    assert sandbox.run(code).stdout == "3/2\n"


def test_the_end_of_the_caller_ends_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom debate_gym.envs.sandbox import Limits, Sandbox\n"
        f"with Sandbox({sandbox.isolation!r}) as s:\n    s.run('1')\n    print('up', flush=True)\n"
        "    s.run('import time; time.sleep(300)', limits=Limits(wall_seconds=300))\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert caller.stdout is not None
    assert caller.stdout.readline() == b"up\n"
    time.sleep(0.3)
    caller.kill()
    caller.wait()
    mine, end = f"for process {caller.pid}".encode(), time.monotonic() + 3
    while any(
        mine in path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()
    ):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_interrupted_wait_leaves_no_reply_behind(sandbox: Sandbox) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with Sandbox(sandbox.isolation) as own:
        own.run("1")
        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with pytest.raises(KeyboardInterrupt):
                own.run("import time; time.sleep(2); print('late')")
        finally:
            signal.signal(signal.SIGALRM, before)
        assert own.run("print('next')").stdout == "next\n"


def test_the_shared_sandbox() -> None:
    result = run_python("print(1)")
    assert result == RunResult(Exit.OK, 0, "1\n", "", result.seconds)
    assert shared_sandbox() is shared_sandbox()
    shared_sandbox().close()


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="memory_mb must be at least 1, got 0"):
        Limits(memory_mb=0)
    with pytest.raises(ValueError, match="isolation must be one of"):
        Sandbox("jail")  # type: ignore[arg-type]
