"""From a rendered prompt to chat messages for a server whose tokenizer is not known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from debate_gym.envs.images import content_parts, data_uri
from debate_gym.envs.nouns import Observation

JOINER = "\u2060"
CHAT_TOKEN = re.compile(
    r"<[|｜][^<>]{1,60}?[|｜]>|</?s>|<</?SYS>>|</?(?:bos|eos|pad|unk|image|think|tool_call)>"
    r"|<(?:start|end)_of_(?:turn|role|text|image|utterance)>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|THINK)\]",
    re.IGNORECASE,
)


def chat_messages(observation: Observation) -> list[dict[str, Any]]:
    """The system and the user message of a seat, the question's pictures where they are named.

    Raises:
        ValueError: on a picture that is no picture, or a name without its picture.
        OSError: if a picture's file cannot be read.
    """
    user: str | list[dict[str, Any]] = neutralise(observation.user)
    if observation.images:
        parts = content_parts(str(user), [_uri(image) for image in observation.images])
        user = [_part(part) for part in parts]
    return [
        {"role": "system", "content": neutralise(observation.system)},
        {"role": "user", "content": user},
    ]


def neutralise(text: str) -> str:
    """Breaks what is a chat token in the common templates, by a word joiner after its first letter.

    Speeches and articles are other people's words, and many servers read chat tokens in a message
    as such. Which ones a model has is not known here, so the list is of the common ones.
    """
    return CHAT_TOKEN.sub(lambda token: token[0][0] + JOINER + token[0][1:], text)


def _uri(image: str) -> str:
    return image if image.startswith("data:") else data_uri(Path(image).read_bytes())


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return part
    return {"type": "image_url", "image_url": {"url": part["image"]}}
