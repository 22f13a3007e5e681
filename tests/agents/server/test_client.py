"""The client against a server that breaks in every way that servers do."""

from __future__ import annotations

import asyncio
import logging
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.agents.server.answers import Answer
from debate_gym.agents.server.cache import AnswerCache, Usage
from debate_gym.agents.server.client import ChatClient, Request
from debate_gym.agents.server.retries import Patience, ServerError
from tests.agents.server.conftest import FaultServer, completion

Make = Callable[..., ChatClient]
SOUND = Answer("because", "stop", 10, 3)


def requests(n: int) -> list[Request]:
    return [Request({"messages": [{"role": "user", "content": str(i)}]}) for i in range(n)]


FAULTS = {
    "dropped": "drop",
    "cut off": "cut",
    "truncated JSON": (200, {}, '{"choices": [{"mess'),
    "garbage": (200, {}, "<html>bad gateway</html>"),
    "no choice": (200, {}, '{"choices": []}'),
    "a list": (200, {}, "[1, 2]"),
    "an error in a 200": (200, {}, '{"error": {"message": "overloaded"}}'),
    "content that is no text": (200, {}, '{"choices": [{"message": {"content": [1]}}]}'),
    "408": (408, {}, "slow"),
    "429": (429, {}, "slow down"),
    "500": (500, {}, "oops"),
    "503": (503, {"Retry-After": "0"}, ""),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_passing_fault_is_tried_again(server: FaultServer, make_client: Make, fault: Any) -> None:
    server.behave = lambda number, body: fault if number == 0 else completion()
    client = make_client()
    assert client.complete(requests(1)) == [SOUND]
    assert client.usage == Usage(requests=2, failed=1, prompt_tokens=10, completion_tokens=3)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_lasting_fault_fails_that_request_alone(
    server: FaultServer, make_client: Make, fault: Any
) -> None:
    def behave(number: int, body: Any) -> Any:
        return fault if body["messages"][0]["content"] == "1" else completion()

    server.behave = behave
    client = make_client()
    first, second, third = client.complete(requests(3))
    assert (first, third) == (SOUND, SOUND)
    assert isinstance(second, ServerError)
    assert "attempt 3, the last" in str(second)
    assert client.usage.requests == 5
    assert client.usage.failed == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 501])
def test_a_mistake_is_not_tried_again(server: FaultServer, make_client: Make, status: int) -> None:
    server.behave = lambda number, body: (status, {}, '{"error": "no such option"}')
    (error,) = make_client().complete(requests(1))
    assert isinstance(error, ServerError)
    assert f"m at {server.url}: HTTP {status}" in str(error)
    assert len(server.bodies) == 1


def test_an_account_without_money_is_not_asked_again(
    server: FaultServer, make_client: Make
) -> None:
    server.behave = lambda n, body: (429, {}, '{"error": {"code": "insufficient_quota"}}')
    (error,) = make_client().complete(requests(1))
    assert isinstance(error, ServerError)
    assert len(server.bodies) == 1


def test_a_server_that_is_not_there(server: FaultServer, make_client: Make) -> None:
    client = make_client()
    server.server_close()
    (error,) = client.complete(requests(1))
    assert "is it running?" in str(error)
    assert client.usage == Usage(requests=3, failed=3)


def test_a_slow_answer_is_given_up_and_asked_again(server: FaultServer, make_client: Make) -> None:
    server.behave = lambda number, body: 60.0 if number == 0 else completion()
    client = make_client(timeout=3.0)
    assert client.complete(requests(1)) == [SOUND]
    server.behave = lambda number, body: 60.0
    client = make_client(cached=False, timeout=0.1)
    (error,) = client.complete(requests(1))
    assert "no answer within 0.1 s" in str(error)


def test_what_a_server_asks_to_wait_is_waited_by_all(
    server: FaultServer, make_client: Make
) -> None:
    def behave(number: int, body: Any) -> Any:
        return (429, {"Retry-After": "1"}, "") if number == 0 else completion()

    server.behave = behave
    client = make_client(concurrency=1)
    assert client.complete(requests(3)) == [SOUND] * 3
    assert len(server.bodies) == 4
    assert server.times[1] - server.times[0] >= 1.0


def test_a_server_that_asks_for_too_long_has_refused(
    server: FaultServer, make_client: Make
) -> None:
    server.behave = lambda number, body: (429, {"Retry-After": "3600"}, "come back later")
    began = time.monotonic()
    (error,) = make_client().complete(requests(1))
    assert isinstance(error, ServerError)
    assert "come back later" in str(error)
    assert time.monotonic() - began < 60
    assert len(server.bodies) == 1


def test_requests_are_bounded_and_answers_in_order(server: FaultServer, make_client: Make) -> None:
    three = threading.Barrier(3, timeout=60)

    def behave(number: int, body: Any) -> Any:
        three.wait()  # so at least three are under way at once
        return completion(body["messages"][0]["content"])

    server.behave = behave
    answers = make_client(concurrency=3).complete(requests(12))
    assert [answer.text for answer in answers if isinstance(answer, Answer)] == [
        str(i) for i in range(12)
    ]
    assert server.busiest == 3


def test_a_cached_answer_takes_no_request(server: FaultServer, make_client: Make) -> None:
    make_client().complete(requests(2))
    assert len(server.bodies) == 2
    client = make_client()
    assert client.complete(requests(3)) == [SOUND] * 3
    assert len(server.bodies) == 3
    assert client.usage == Usage(1, 0, cached=2, prompt_tokens=10, completion_tokens=3)


def test_every_part_of_a_request_counts(server: FaultServer, make_client: Make) -> None:
    base = {"messages": [{"role": "user", "content": "a"}], "temperature": 0.5, "seed": 1}
    others = [
        {**base, "messages": [{"role": "user", "content": "b"}]},
        {**base, "temperature": 0.6},
        {**base, "seed": 2},
        {**base, "max_tokens": 5},
    ]
    client = make_client()
    client.complete([Request(body) for body in (base, base, *others)])
    assert len(server.bodies) == 5, "equal requests are asked once"
    client.complete([Request(base, draw=7)])
    assert len(server.bodies) == 6
    other = pickle.loads(pickle.dumps(client))
    assert other.complete([Request(base)]) == [SOUND]
    assert len(server.bodies) == 6
    other.address = type(client.address)("n", client.address.url)
    other.complete([Request(base)])
    assert len(server.bodies) == 7


def test_failures_are_not_kept(server: FaultServer, make_client: Make) -> None:
    server.behave = lambda number, body: (400, {}, "bad")
    make_client().complete(requests(1))
    server.behave = lambda number, body: completion()
    assert make_client().complete(requests(1)) == [SOUND]


def test_what_was_paid_is_added_up_on_disk(
    server: FaultServer, make_client: Make, tmp_path: Path
) -> None:
    def behave(number: int, body: Any) -> Any:
        # This one costs and cannot be used.
        return {"choices": [], "usage": {"prompt_tokens": 5}} if number == 0 else completion()

    server.behave = behave
    make_client().complete(requests(1))
    make_client().complete(requests(2))
    (total,) = AnswerCache(tmp_path / "answers.sqlite").totals().items()
    assert total == ((server.url, "m"), Usage(3, 1, 0, 25, 6))
    assert total[1].price(2.0, 10.0) == pytest.approx((25 * 2 + 6 * 10) / 1e6)


CHILD = """
import sys
from pathlib import Path
from debate_gym.agents.server.address import Address
from debate_gym.agents.server.cache import AnswerCache
from debate_gym.agents.server.client import ChatClient, Request
url, path, n = sys.argv[1:]
client = ChatClient(Address("m", url), cache=AnswerCache(Path(path)))
body = lambda i: {"messages": [{"role": "user", "content": str(i)}]}
print("ready", flush=True)
answers = client.complete([Request(body(i)) for i in range(int(n))])
print(client.usage.requests, [a.text for a in answers])
"""


def child(server: FaultServer, path: Path, n: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, server.url, str(path), str(n)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_share_a_cache(server: FaultServer, tmp_path: Path) -> None:
    server.behave = lambda number, body: completion(f"answer {number}")
    path = tmp_path / "new" / "answers.sqlite"
    together = [child(server, path, 20) for _ in range(2)]
    said = [process.communicate(timeout=60)[0].splitlines()[1] for process in together]
    assert [process.returncode for process in together] == [0, 0]
    texts = {line.partition(" ")[2] for line in said}
    assert len(texts) == 1, "where both asked, both keep the first answer"
    asked = len(server.bodies)
    assert 20 <= asked <= 40
    later = child(server, path, 20)
    assert later.communicate(timeout=60)[0].splitlines()[1] == f"0 {texts.pop()}"
    assert len(server.bodies) == asked


def test_what_was_answered_before_a_kill_is_kept(server: FaultServer, tmp_path: Path) -> None:
    blocked = threading.Event()

    def behave(number: int, body: Any) -> Any:
        if body["messages"][0]["content"] == "4":
            blocked.wait(30)
        return completion()

    server.behave = behave
    path = tmp_path / "answers.sqlite"
    process = child(server, path, 5)
    deadline = time.monotonic() + 60
    while not path.exists() or _answers(path) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    blocked.set()
    before = len(server.bodies)
    server.behave = lambda number, body: completion()
    again = child(server, path, 5)
    assert again.communicate(timeout=60)[0].splitlines()[1].startswith("1 ")
    assert len(server.bodies) == before + 1


def _answers(path: Path) -> int:
    try:
        return int(sqlite3.connect(path).execute("select count(*) from answers").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_the_key_is_sent_and_told_nowhere(
    server: FaultServer,
    make_client: Make,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "sk-very-secret-0123"
    monkeypatch.setenv("OPENAI_API_KEY", key)

    def behave(number: int, body: Any) -> Any:
        content = body["messages"][0]["content"]
        if content == "0":
            return completion(f"your key is {key}")
        return (401 if content == "1" else 400, {}, f"wrong key: {key}")

    server.behave = behave
    client = make_client()
    answers = client.complete(requests(3))
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {key}"] * 3
    assert answers[0] == Answer("your key is [key]", "stop", 10, 3)
    shown = [repr(answers), str(answers[1]), str(answers[2]), caplog.text, repr(vars(client))]
    assert not any(key in text for text in shown)
    assert key.encode() not in pickle.dumps(client)
    assert key.encode() not in (tmp_path / "answers.sqlite").read_bytes()
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    client.complete(requests(1))
    assert len(server.bodies) == 3, "another key is not another request"


def test_a_key_that_cannot_be_sent_is_not_shown(
    make_client: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\nb")
    with pytest.raises(ValueError, match="OPENAI_API_KEY holds blanks") as raised:
        make_client().complete(requests(1))
    assert "sk-a" not in str(raised.value)


def test_an_interrupt_ends_the_call(server: FaultServer, make_client: Make) -> None:
    server.behave = lambda number, body: 60.0
    client = make_client(cached=False)
    main = threading.get_ident()
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        client.complete(requests(1))
    assert time.monotonic() - began < 30
    server.behave = lambda number, body: completion()
    assert client.complete(requests(1)) == [SOUND]


def test_a_running_loop_is_no_obstacle(make_client: Make) -> None:
    async def notebook() -> Any:
        return make_client().complete(requests(1))

    assert asyncio.run(notebook()) == [SOUND]


def test_a_file_that_is_no_cache(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_text("these are no tables, but it is long enough to be read as some" * 40)
    with pytest.raises(OSError, match="is no cache of answers .* move it away"):
        AnswerCache(path)


@pytest.mark.parametrize("options", [{"concurrency": 0}, {"timeout": 0.0}])
def test_numbers_out_of_range(make_client: Make, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected concurrency"):
        make_client(**options)


def test_waits_grow_and_end() -> None:
    patience = Patience(attempts=5, first_wait=1.0, longest_wait=3.0)
    for attempt, whole in enumerate((1, 2, 3, 3)):
        waits = [patience.wait(attempt, None) for _ in range(50)]
        assert all(wait is not None and whole / 2 <= wait <= whole for wait in waits)
        assert len(set(waits)) > 1
    assert patience.wait(4, None) is None
    asked = patience.wait(0, 2.0)
    assert asked is not None
    assert 2.0 <= asked <= 2.5
    assert patience.wait(0, 3.5) is None
    with pytest.raises(ValueError, match="attempts >= 1"):
        Patience(attempts=0)
