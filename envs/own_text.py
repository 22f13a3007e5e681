"""A judge's own words: its reply without its reasoning and without what it quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from debate_gym.envs.markup import split_thinking
from debate_gym.envs.normalise import fold_forms

_QUOTED = r"(?:[uv]_)?passage|quote|blockquote|cite|q"
# In each of these, group 1 is set where a mark may open a quotation, group 2 where it may close
# one. An apostrophe within a word does neither, an inch mark does not open.
TAG = re.compile(rf"<\s*(?:(?:{_QUOTED})()|/\s*(?:{_QUOTED})())\b[^<>\n]*(?<!/)>", re.IGNORECASE)
DIRECTED = (
    re.compile(r"(?:„()|[“”]())"),
    re.compile(r"(?:“()|”())"),
    re.compile(r"(?:«()|»())"),
)
UNDIRECTED = (
    re.compile(r'(?:(?<!\w)())?"()'),
    re.compile(r"(?:``()|''())"),
    re.compile(r"(?:‘()|’(?!\w)())"),
    re.compile(r"(?:(?<![\w'])())?'(?!')(?:(?!\w)())?"),
)
PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
BLOCK_QUOTE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[\w-]*[^\S\n]*$", re.MULTILINE)
LONE_WORD = re.compile(r"[\W_]*[^\W_]+[\W_]*")
PLACE = " □ "
# A JSON object on lines of its own, without braces outside its strings.
OBJECT = re.compile(r'^[^\S\n]*(\{(?:[^{}"]|"(?:[^"\\\n]|\\.)*+")*+\})[^\S\n]*$', re.MULTILINE)
LATEX = re.compile(r"\\(?!f?box)[a-z]+ ?\{([^{}]*)\}", re.IGNORECASE)
ESCAPE = re.compile(r"\\(?=[^a-z]|$)", re.IGNORECASE)
DECORATION = str.maketrans("", "", "*_`#$~")
UNREADABLE = "unreadable"


def own_lines(reply: str, key: str) -> list[str]:
    """The lines of a judge's own words that are not empty, each as `fold_line` has it.

    Args:
        key: of a JSON object, alone or after `final_`, and name of a tag, both in any case. What
            they hold becomes a line `key: value`; a JSON value that is neither a string nor a
            number becomes `key: unreadable`. Other objects stay as they are.
    """
    text = OBJECT.sub(lambda match: _as_lines(match[1], key), own_text(reply))
    text = re.sub(rf"<\s*{key}\s*>", f"\n{key}: ", text, flags=re.IGNORECASE)
    text = re.sub(rf"<\s*/\s*{key}\s*>", "\n", text, flags=re.IGNORECASE)
    return [line for line in map(fold_line, unquoted(text).splitlines()) if line]


def fold_line(text: str) -> str:
    """One line without Markdown and LaTeX commands other than a box, its blanks single."""
    text = text if text.isascii() else fold_forms(text, case=False)
    text = text.translate(DECORATION)
    for _ in range(3):
        text = LATEX.sub(r"\1", text)
    return " ".join(ESCAPE.sub("", text).split())


def own_text(reply: str) -> str:
    """What a judge says itself, with quotations in quotation marks still in it.

    Left out are thinking (see `split_thinking`), the text of passage and quote tags, Markdown
    block quotes, and the lines of code fences, but not what they fence in. A tag that is not
    closed hides the rest of its paragraph.
    """
    _, text = split_thinking(reply)
    text = _without(text, _quotations(text, TAG, to_border=True))
    return FENCE.sub("", BLOCK_QUOTE.sub(PLACE, text))


def unquoted(text: str) -> str:
    """The text with `□` for each quotation in marks; a lone word in marks is kept.

    Marks are paired over the whole text. Without a partner, an opening mark of a kind that has a
    direction hides the rest of its paragraph, and any other mark is text.
    """
    for marks in DIRECTED:
        text = _without(text, _quotations(text, marks, to_border=True))
    for marks in UNDIRECTED:
        text = _without(text, _quotations(text, marks, to_border=False))
    return text


def _quotations(text: str, marks: re.Pattern[str], *, to_border: bool) -> Iterator[tuple[int, int]]:
    """The ends of each quotation, nested ones included, in no order.

    Args:
        to_border: an opening mark without a partner reaches to the end of its paragraph.
    """
    unclosed: list[int] = []
    for mark in marks.finditer(text):
        closes = mark[2] is not None
        if closes and unclosed:
            yield unclosed.pop(), mark.end()
        elif mark[1] is not None:
            unclosed.append(mark.start())
    if to_border:
        yield from _rests(text, unclosed)


def _rests(text: str, starts: Iterable[int]) -> Iterator[tuple[int, int]]:
    end = -1
    for start in starts:
        if start >= end:
            border = PARAGRAPH.search(text, start)
            end = border.start() if border else len(text)
            yield start, end


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in chain(sorted(spans), [(len(text), len(text))]):
        if start >= position:
            pieces.append(text[position:start])
            pieces.append(text[start:end] if LONE_WORD.fullmatch(text, start, end) else PLACE)
        position = max(position, end)
    return "".join(pieces[:-1])


def _as_lines(text: str, key: str) -> str:
    try:
        pairs: list[tuple[str, object]] = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return text
    named = [(name.casefold().replace("_", " "), value) for name, value in pairs]
    lines = [
        f"{name}: {_written(value)}" for name, value in named if name.removeprefix("final ") == key
    ]
    return "\n".join(["", *lines, ""]) if lines else text


def _written(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return UNREADABLE
    return " ".join(re.sub("[\"'“”‘’]", "", str(value)).split()) or UNREADABLE
