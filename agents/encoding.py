"""From a rendered prompt to token ids, so that no text can forge a chat token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2.exceptions import TemplateError

JOINER = "\u2060"
PROBES = ("debate gym system probe", "debate gym user probe")
BRACKETED = re.compile(r"<+[^\s<>]+>+|\[+[^\s\[\]]+\]+")


def encode_prompt(tokenizer: Any, system: str, user: str, primed: str = "") -> list[int]:
    """Token ids of a system and a user message, up to where the assistant's reply begins.

    A system message is always given, since some templates put in one of their own without it. A
    template that refuses or drops system messages gets it in front of the user message.

    Args:
        primed: text that the reply is made to begin with.

    Raises:
        ValueError: if the tokenizer has no chat template, or if a chat token in the messages
            could not be broken up.
    """
    text = render_chat(tokenizer, neutralise(tokenizer, system), neutralise(tokenizer, user))
    ids = _ids(tokenizer, text + primed)
    chat = _chat(tokenizer, tokenizer.chat_template)
    if sum(i in chat.ids for i in ids) != chat.number:
        raise ValueError(
            f"tokenizer {tokenizer.name_or_path!r} still reads a chat token in a message whose "
            f"chat tokens {chat.texts} were broken up; this model cannot be given others' words"
        )
    return ids


def neutralise(tokenizer: Any, text: str) -> str:
    """Breaks every chat token that stands in a text, by a word joiner after its first letter.

    Speeches and articles are other people's words: without this one could end its own message and
    open one of another role. Chat tokens are the tokenizer's special tokens, and whatever stands
    in brackets in its chat template's own text (`[INST]`), special or not.

    Raises:
        ValueError: if the tokenizer has no chat template.
    """
    for token in _chat(tokenizer, getattr(tokenizer, "chat_template", None)).texts:
        if token in text:
            text = text.replace(token, token[0] + JOINER + token[1:])
    return text


def render_chat(tokenizer: Any, system: str, user: str | list[dict[str, Any]]) -> str:
    """A system and a user message as the model's template prints them.

    Args:
        user: a text, or content parts for a processor that takes them.

    Raises:
        ValueError: if the tokenizer has no chat template.
    """
    template = getattr(tokenizer, "chat_template", None)
    if not template:
        raise ValueError(
            f"tokenizer {tokenizer.name_or_path!r} has no chat template: use an instruction-tuned "
            "model, or set tokenizer.chat_template"
        )
    messages: list[dict[str, Any]]
    if _takes_system(tokenizer, template):
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    elif isinstance(user, str):
        messages = [{"role": "user", "content": f"{system}\n\n{user}"}]
    else:
        first = {"type": "text", "text": f"{system}\n\n"}
        messages = [{"role": "user", "content": [first, *user]}]
    text: str = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return text


@dataclass(frozen=True)
class _Chat:
    """What a tokenizer's template is made of.

    Attributes:
        texts: what must not stand in a message, longest first.
        ids: special tokens other than the unknown one, which any odd letter gives.
        number: how many of `ids` the template puts around a system and a user message.
    """

    texts: tuple[str, ...]
    ids: frozenset[int]
    number: int


# Keyed by the template too: it may be set on a tokenizer that lacked one.
@lru_cache(maxsize=32)
def _chat(tokenizer: Any, template: Any) -> _Chat:
    frame = render_chat(tokenizer, *PROBES)
    added = tokenizer.added_tokens_decoder
    special = {i: str(token) for i, token in added.items() if token.special}
    special |= dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))
    texts = {*special.values(), *BRACKETED.findall(frame)}
    ids = frozenset(special) - {tokenizer.unk_token_id}
    number = sum(i in ids for i in _ids(tokenizer, frame))
    return _Chat(tuple(sorted(texts, key=lambda t: (-len(t), t))), ids, number)


@lru_cache(maxsize=32)
def _takes_system(tokenizer: Any, template: Any) -> bool:
    system, user = PROBES
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    try:
        return system in tokenizer.apply_chat_template(messages, tokenize=False)
    except TemplateError:
        return False


def _ids(tokenizer: Any, text: str) -> list[int]:
    # The template has put in what begins a text, so the tokenizer must not do it again.
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids
