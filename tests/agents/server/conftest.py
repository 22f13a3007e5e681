"""A chat server in a thread that answers as each test tells it to, well or badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from debate_gym.agents.server.address import Address
from debate_gym.agents.server.cache import AnswerCache
from debate_gym.agents.server.client import ChatClient
from debate_gym.agents.server.retries import Patience

pytest.importorskip("httpx2")


def completion(text: str = "because", **choice: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3},
    }


class FaultServer(ThreadingHTTPServer):
    """`behave(number, body)` gives what to do with the request of that number, from 0: a dict to
    answer as JSON, `(status, headers, text)`, `"drop"`, `"cut"`, or seconds to wait before a
    sound answer."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave: Callable[[int, Any], Any] = lambda number, body: completion()
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.busy = self.busiest = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: FaultServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.bodies)
            self.server.bodies.append(body)
            self.server.headers.append(dict(self.headers))
            self.server.times.append(time.monotonic())
            self.server.busy += 1
            self.server.busiest = max(self.server.busiest, self.server.busy)
        try:
            deed = self.server.behave(number, body)
            if isinstance(deed, float):
                time.sleep(deed)
                deed = completion()
        finally:
            with self.server.lock:
                self.server.busy -= 1
        self.answer(deed)

    def answer(self, deed: Any) -> None:
        if deed == "drop":
            self.close_connection = True
            return
        cut = deed == "cut"
        whole = completion() if cut else deed
        status, headers, text = whole if isinstance(whole, tuple) else (200, {}, json.dumps(whole))
        data = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = cut

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[FaultServer]:
    serving = FaultServer()
    thread = threading.Thread(target=serving.serve_forever, args=(0.02,))
    thread.start()
    yield serving
    serving.shutdown()
    serving.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("DEBATE_GYM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def make_client(server: FaultServer, tmp_path: Path) -> Callable[..., ChatClient]:
    """A client of the fault server that waits milliseconds where others wait seconds."""

    def make(cached: bool = True, **options: Any) -> ChatClient:
        cache = AnswerCache(tmp_path / "answers.sqlite") if cached else None
        patience = Patience(attempts=3, first_wait=0.01, longest_wait=2.0)
        return ChatClient(
            Address("m", server.url), cache=cache, **{"patience": patience, **options}
        )

    return make
