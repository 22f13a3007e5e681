"""From a rendered prompt to token ids, so that no text can forge a chat token."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2.exceptions import TemplateError

MARK = "\u2060"


def encode_prompt(tokenizer: Any, system: str, user: str, primed: str = "") -> list[int]:
    """Token ids of a system and a user message, up to where the assistant's reply begins.

    Args:
        primed: text that the reply is made to begin with.

    Raises:
        ValueError: if the tokenizer has no chat template.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise ValueError(
            f"tokenizer {tokenizer.name_or_path!r} has no chat template: use an instruction-tuned "
            "model, or set tokenizer.chat_template"
        )
    system, user = neutralise(tokenizer, system), neutralise(tokenizer, user)
    if _takes_system(tokenizer):
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    else:
        messages = [{"role": "user", "content": f"{system}\n\n{user}"}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids: list[int] = tokenizer(text + primed, add_special_tokens=False)["input_ids"]
    return ids


def neutralise(tokenizer: Any, text: str) -> str:
    """Breaks every special token that stands in a text, by a word joiner after its first letter.

    Speeches and articles are other people's words: without this one could end its own message and
    open one of another role.
    """
    for token in _special_tokens(tokenizer):
        if token in text:
            text = text.replace(token, token[0] + MARK + token[1:])
    return text


def _special_tokens(tokenizer: Any) -> tuple[str, ...]:
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    return tuple(sorted({*added, *tokenizer.all_special_tokens}, key=len, reverse=True))


@lru_cache(maxsize=32)
def _takes_system(tokenizer: Any) -> bool:
    messages = [{"role": "system", "content": "x"}, {"role": "user", "content": "x"}]
    try:
        tokenizer.apply_chat_template(messages, tokenize=False)
    except TemplateError:
        return False
    return True
