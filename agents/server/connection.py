"""One request to a server: sent, answered or not, and what is wrong with the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from debate_gym.agents.server.address import KEY, Address, api_key, redacted
from debate_gym.agents.server.answers import read_answer, usage
from debate_gym.agents.server.retries import ServerError, is_passing, retry_after

SHOWN = 300


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; `text` without the key, should the server repeat it."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def tokens(self) -> tuple[int, int]:
        """The prompt and completion tokens that it says were used, even if it is no answer."""
        try:
            return usage(json.loads(self.text))
        except ValueError:
            return 0, 0


class Connection:
    """Connections to one server, for one event loop.

    Args:
        size: most connections at once.
        timeout: seconds for one request from start to end; a server that trickles does not get
            more.

    Raises:
        ModuleNotFoundError: without httpx2.
    """

    def __init__(self, address: Address, *, size: int, timeout: float) -> None:
        self._address = address
        self._timeout = timeout
        self._http = _httpx()
        limits = self._http.Limits(max_connections=size)
        self._session = self._http.AsyncClient(limits=limits, timeout=None)

    async def post(self, content: str) -> Reply:
        """
        Raises:
            ServerError: if nothing whole comes back.
        """
        key = api_key()
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._session.post(
                    self._address.chat, content=content.encode(), headers=headers
                )
        except TimeoutError:
            raise self._fault(f"no answer within {self._timeout:g} s", passing=True) from None
        except self._http.ConnectError as error:
            raise self._fault(f"no connection ({error}): is it running?", passing=True) from None
        except self._http.HTTPError as error:
            raise self._fault(f"{type(error).__name__} {error}", passing=True) from None
        return Reply(reply.status_code, reply.headers, redacted(reply.text, key))

    def check(self, reply: Reply) -> None:
        """
        Raises:
            ServerError: if the reply is no answer.
        """
        if reply.status != 200:
            raise self._fault(
                _refusal(reply.status, reply.text),
                passing=is_passing(reply.status, reply.text),
                wait=retry_after(reply.headers),
            )
        try:
            read_answer(reply.text)
        except ValueError as error:
            said = f"{error}: {reply.text[:SHOWN]!r}"
            raise self._fault(f"an answer that cannot be read: {said}", passing=True) from None

    def _fault(self, said: str, **about: Any) -> ServerError:
        return ServerError(f"{self._address}: {said}", **about)


def _refusal(status: int, text: str) -> str:
    if status == 401:  # some servers repeat a part of the key
        return f"HTTP 401: the server does not take the key in {KEY}, or none is set"
    hint = ": does the URL end as the server wants, mostly in /v1?" if status == 404 else ""
    return f"HTTP {status}{hint} {text[:SHOWN]!r}"


def _httpx() -> ModuleType:
    try:
        import httpx2
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("asking a server needs httpx2: pip install httpx2") from error
    return httpx2
