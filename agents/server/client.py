"""Chat completions, many at once: bounded, retried, cached and counted."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from debate_gym.agents.server.address import Address, api_key
from debate_gym.agents.server.answers import Answer, read_answer
from debate_gym.agents.server.cache import AnswerCache, Usage, canonical, request_key
from debate_gym.agents.server.connection import Connection
from debate_gym.agents.server.loop import LoopThread
from debate_gym.agents.server.retries import Patience, ServerError

logger = logging.getLogger(__name__)
CONCURRENCY = 16
TIMEOUT = 300.0


@dataclass(frozen=True, slots=True)
class Request:
    """One completion to ask for.

    Attributes:
        body: the options and messages, without the model.
        draw: sets apart requests that are equal but for chance, where the server takes no seed.
    """

    body: Mapping[str, Any]
    draw: int = 0


class ChatClient:
    """Asks one model on one server. One call of `complete` at a time.

    Args:
        cache: None to ask every time.
        concurrency: most requests at once.
        timeout: seconds for one request from start to end.

    Attributes:
        usage: what this client has asked and paid.

    Raises:
        ValueError: on a number out of range.
    """

    def __init__(
        self,
        address: Address,
        *,
        cache: AnswerCache | None,
        concurrency: int = CONCURRENCY,
        timeout: float = TIMEOUT,
        patience: Patience | None = None,
    ) -> None:
        if concurrency < 1 or timeout <= 0:
            raise ValueError(
                f"expected concurrency >= 1 and timeout > 0, got {concurrency}, {timeout}"
            )
        self.address = address
        self.cache = cache
        self.concurrency = concurrency
        self.timeout = timeout
        self.patience = patience or Patience()
        self.usage = Usage()
        self._thread: LoopThread | None = None

    def complete(self, requests: Sequence[Request]) -> list[Answer | ServerError]:
        """One answer per request, in order, or why there is none. Equal requests are asked once.

        Raises:
            ValueError: on a key that cannot be sent.
            OSError: if the cache cannot be read or written.
            ModuleNotFoundError: without httpx2.
        """
        api_key()
        return self._connected().run(self._complete(requests))

    def _connected(self) -> LoopThread:
        """The thread that calls; a forked process needs its own."""
        if self._thread is None or self._thread.process != os.getpid():
            size = self.concurrency
            self._connection = Connection(self.address, size=size, timeout=self.timeout)
            self._free = asyncio.Semaphore(size)
            self._resume = 0.0
            self._thread = LoopThread()
        return self._thread

    async def _complete(self, requests: Sequence[Request]) -> list[Answer | ServerError]:
        keys = [self._key(request) for request in requests]
        distinct = dict(zip(keys, requests, strict=True))
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {
                    key: group.create_task(self._answer(key, request))
                    for key, request in distinct.items()
                }
        except ExceptionGroup as broken:
            raise broken.exceptions[0] from None
        return [tasks[key].result() for key in keys]

    def _key(self, request: Request) -> str:
        whole = {"url": self.address.chat, "body": self._body(request), "draw": request.draw}
        return request_key(whole)

    def _body(self, request: Request) -> dict[str, Any]:
        return {"model": self.address.model, **request.body}

    async def _answer(self, key: str, request: Request) -> Answer | ServerError:
        kept = self.cache.get(key) if self.cache else None
        if kept is not None:
            self.usage.cached += 1
            return read_answer(kept)
        try:
            text = await self._patiently(canonical(self._body(request)))
        except ServerError as error:
            return error
        if self.cache:
            text = self.cache.put(key, self.address.url, self.address.model, text)
        return read_answer(text)

    async def _patiently(self, content: str) -> str:
        """The text of an answer that can be read."""
        attempt = 0
        while True:
            try:
                async with self._free:
                    await asyncio.sleep(max(0.0, self._resume - time.monotonic()))
                    return await self._counted(content)
            except ServerError as error:
                wait = self._wait(error, attempt)
            attempt += 1
            await asyncio.sleep(wait)

    def _wait(self, error: ServerError, attempt: int) -> float:
        """Seconds to the next attempt.

        Raises:
            ServerError: if there is none.
        """
        wait = self.patience.wait(attempt, error.wait) if error.passing else None
        if wait is None:
            tried = f" (attempt {attempt + 1}, the last)" if attempt else ""
            raise ServerError(f"{error}{tried}") from None
        if error.wait is not None:  # what the server asks for holds for all requests
            self._resume = max(self._resume, time.monotonic() + wait)
        logger.info("%s; next attempt in %.1f s", error, wait)
        return wait

    async def _counted(self, content: str) -> str:
        outcome, tokens = "dropped", (0, 0)
        self.usage.requests += 1
        try:
            reply = await self._connection.post(content)
            outcome, tokens = str(reply.status), reply.tokens
            self._connection.check(reply)
            outcome = "ok"
            return reply.text
        finally:
            self._note(outcome, tokens)

    def _note(self, outcome: str, tokens: tuple[int, int]) -> None:
        self.usage.failed += outcome != "ok"
        self.usage.prompt_tokens += tokens[0]
        self.usage.completion_tokens += tokens[1]
        if self.cache:
            self.cache.count(self.address.url, self.address.model, outcome, tokens)

    def __reduce__(self) -> Any:
        # A copy has connections and counts of its own.
        options: dict[str, Any] = {
            "cache": self.cache,
            "concurrency": self.concurrency,
            "timeout": self.timeout,
            "patience": self.patience,
        }
        return partial(ChatClient, self.address, **options), ()
