"""What a server answered: a text, why it ended, what it cost, and how likely its tokens were."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from debate_gym.envs.nouns import Finish

# Servers write such a number for a token that they did not look at.
NOT_LOOKED_AT = -1000.0
FINISH: dict[object, Finish] = {"length": "length", "content_filter": "error"}


@dataclass(frozen=True, slots=True)
class TokenChances:
    """One token of an answer.

    Attributes:
        text: the token that was written.
        chances: (text, probability) of the likeliest tokens in its place, the written one
            included; different tokens may have equal texts.
    """

    text: str
    chances: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion.

    Attributes:
        finish: `error` if the server's filter kept the text back.
        prompt_tokens, completion_tokens: as the server counts them; 0 if it does not.
        tokens: empty unless they were asked for and the server gives them.
    """

    text: str
    finish: Finish = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: tuple[TokenChances, ...] = ()


def read_answer(body: str) -> Answer:
    """Reads the body of a chat completion.

    Reasoning that a server reports beside the text is private, and left out.

    Raises:
        ValueError: if it is none: not JSON, cut off, or without a choice.
    """
    record = json.loads(body)
    try:
        choice = record["choices"][0]
        text = choice["message"].get("content") or ""
        if not isinstance(text, str):
            raise TypeError(f"content is {type(text).__name__}")
        tokens = _tokens(choice.get("logprobs"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        said = record.get("error") if isinstance(record, dict) else None
        raise ValueError(f"no chat completion ({said or error!r})") from error
    prompt, completion = usage(record)
    return Answer(text, FINISH.get(choice.get("finish_reason"), "stop"), prompt, completion, tokens)


def usage(record: Any) -> tuple[int, int]:
    """The prompt and completion tokens that a body reports; zeros where it does not."""
    told = record.get("usage") if isinstance(record, dict) else None
    counts = told if isinstance(told, dict) else {}
    return _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _tokens(logprobs: Any) -> tuple[TokenChances, ...]:
    content = (logprobs or {}).get("content") or []
    return tuple(TokenChances(entry["token"], _chances(entry)) for entry in content)


def _chances(entry: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    listed = list(entry.get("top_logprobs") or [])
    if entry["token"] not in {other["token"] for other in listed}:
        listed.append(entry)
    return tuple(
        (other["token"], math.exp(min(0.0, other["logprob"])))
        for other in listed
        if other.get("logprob") is not None and other["logprob"] > NOT_LOOKED_AT
    )
