"""Where a model is served, and the key that opens the door."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

SERVED = "openai:"
KEY = "OPENAI_API_KEY"
SPEC = re.compile(r"openai:(?P<model>.+)@(?P<url>https?://.+)")


@dataclass(frozen=True, slots=True)
class Address:
    """A model on a server.

    Attributes:
        model: as the server names it.
        url: the server's base, without a slash at the end: `/chat/completions` is put behind it.
    """

    model: str
    url: str

    @classmethod
    def of(cls, spec: str) -> Address:
        """Reads `openai:MODEL@URL`; the model's name may hold an `@` itself.

        Raises:
            ValueError: on another form, and on a URL with a key, a query or a fragment in it: the
                URL is written into episodes.
        """
        match = SPEC.fullmatch(spec)
        if match is None:
            raise ValueError(
                f"expected {SERVED}MODEL@URL with an http or https URL, such as "
                f"{SERVED}some-model@http://localhost:8000/v1, got {spec!r}"
            )
        parts = urlsplit(match["url"])
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError(
                f"the URL of {SERVED}{match['model']} holds a user, a query or a fragment: "
                f"expected a plain base URL, since episodes name it; give a key in {KEY}"
            )
        if not parts.hostname:
            raise ValueError(f"the URL of {spec!r} names no host")
        return cls(match["model"], match["url"].rstrip("/"))

    @property
    def chat(self) -> str:
        return f"{self.url}/chat/completions"

    def __str__(self) -> str:
        return f"{self.model} at {self.url}"


def api_key() -> str | None:
    """The key of `OPENAI_API_KEY`; None where it is not set, as for most local servers.

    It is read anew for each request and kept nowhere.

    Raises:
        ValueError: if it cannot stand in a header; without showing it.
    """
    key = os.environ.get(KEY, "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise ValueError(f"{KEY} holds blanks or letters that no key has: set it again")
    return key or None


def redacted(text: str, key: str | None) -> str:
    """A text without the key, should a server repeat it."""
    return text.replace(key, "[key]") if key else text
