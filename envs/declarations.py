r"""What a judge declares in its own words: the values it gives after `Answer:` and the like.

The rules are the same for a label (`envs/reading.py`) and a probability (`envs/probability.py`):

- **Own words** are the reply without reasoning and quotations (`envs/own_text.py`).
- **Declared**: a line begins with the name of what was asked for and a colon, an equals sign or
  "is". Before the name may stand marks that are no letters (bullets, brackets), the number of a
  list, and lead-in words such as "So my final". The value is the rest of the line, or the next
  line that is not empty. `<answer>...</answer>`, a LaTeX box, and lines of their own that are a
  JSON object with such a key, without braces in it, declare as well.
- **Mentioned**: the same at the start of a sentence within a line. Elsewhere a name is only talked
  about: "A says: Answer: 1" declares nothing.
- **Final**: with "final" before the name.

Whatever follows a colon is a value, readable or not; what follows "is" must be readable, or it is
prose. Markdown, LaTeX, case, invisible and full-width characters make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")

START = r"(?:^[^\w\"'“”„«»‘’‹›<>\\]*(?:\d{1,3}[.)] ?)?|(?<=[.!?] ))"
LEAD = (
    r"(?:(?:so|thus|therefore|hence|finally|overall|in conclusion|in summary),? )?"
    r"(?:(?:my|the|our) )?(?P<final>final )?(?:(?:correct|best|right) )?"
)
GIVES = r"(?:(?P<colon>(?: is)? ?[:=])| is\b) ?"
BOX = re.compile(r"\\f?box(?:ed)? ?\{((?:[^{}]|\{[^{}]*+\})*+)\}", re.IGNORECASE)
BLANK = re.compile(r"[\W_]*")

# What may stand before a value, and after it: nothing but marks, or a gloss.
OPENERS = r"[(<\[{\"'“”‘’ ]*"
ALONE = re.compile(r"[)\]}>\"'“”‘’.。!;:, ]*")
GLOSS = re.compile(
    r"[)\]}>\"'“”‘’]*(?: ?[(\[]|[.!;:] | ?- |,? (?=(?:because|since|as)\b))"
    r"(?!(?:or|and|but|no|not|nor|neither|maybe)\b)(?P<gloss>.*)",
    re.IGNORECASE,
)


class Why(StrEnum):
    """How a reply was read, or why it was not. The first four come with a value."""

    DECLARED = "declared"
    MENTIONED = "mentioned"
    FINAL = "the final one of several"
    BARE = "nothing else in the reply"
    EMPTY = "empty reply"
    HIDDEN = "only reasoning and quotations"
    NONE = "nothing declared"
    OTHER = "not a value that was asked for"
    SEVERAL = "more than one value in a declaration"
    CONTRADICTION = "declarations that differ"


@dataclass(frozen=True, slots=True)
class Value(Generic[T]):
    """A value as read.

    Attributes:
        alone: nothing but marks stood with it.
        why: what was wrong; only for a value of None.
    """

    value: T | None
    alone: bool = False
    why: Why = Why.OTHER


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration, its value not yet read. `colon`: it has one, or is a box."""

    name: str
    text: str
    declared: bool
    final: bool
    colon: bool


def declarations(lines: Sequence[str], name: str) -> list[Declaration]:
    """The declarations of a judge's own lines (`own_lines`), in order.

    Args:
        name: a regular expression without groups, for a folded line.
    """
    pattern = re.compile(f"{START}{LEAD}(?P<name>{name}){GIVES}", re.IGNORECASE)
    found = [list(pattern.finditer(line)) for line in lines]
    made: list[Declaration] = []
    for place, (line, matches) in enumerate(zip(lines, found, strict=True)):
        last = place + 1 == len(lines)
        following = None if last else "" if found[place + 1] else lines[place + 1]
        made += _named(line, matches, following) if matches else _boxed(line)
    return made


def settle(read: Sequence[tuple[Declaration, Value[T]]]) -> tuple[T | None, Why]:
    """One value out of several declarations.

    Mentions that are not final count only if nothing is declared. If all that count agree, that is
    the value. If not, the last one is it only where it is declared, final and alone on its line,
    and no other final one differs.
    """
    given = [(said, value) for said, value in read if said.colon or value.value is not None]
    counted = [(said, value) for said, value in given if said.declared or said.final]
    counted = counted if any(said.declared for said, _ in counted) else given
    if not counted:
        return None, Why.NONE
    said, last = counted[-1]
    if all(value.value == last.value for _, value in counted):
        how = Why.DECLARED if said.declared else Why.MENTIONED
        return last.value, last.why if last.value is None else how
    finals = {value.value for said, value in counted if said.final}
    if said.declared and last.alone and finals == {last.value}:
        return last.value, Why.FINAL
    return None, Why.CONTRADICTION


def nothing_said(reply: str, lines: Sequence[str]) -> Why | None:
    """Why a reply has no words of the judge's own; None if it has some."""
    if not reply.strip():
        return Why.EMPTY
    return Why.HIDDEN if all(BLANK.fullmatch(line) for line in lines) else None


def _named(
    line: str, matches: Sequence[re.Match[str]], following: str | None
) -> Iterator[Declaration]:
    """The declarations of one line.

    Args:
        following: the next line, empty if it declares something itself; None if there is none.
    """
    declared = matches[0].start() == 0
    ends = [*(match.start() for match in matches[1:]), len(line)]
    for match, end in zip(matches, ends, strict=True):
        text = line[match.end() : end]
        if end == len(line) and following is not None and BLANK.fullmatch(text):
            if not following:
                continue
            text = following
        final, colon = match["final"] is not None, match["colon"] is not None
        yield Declaration(match["name"].casefold(), _unboxed(text), declared, final, colon)


def _boxed(line: str) -> Iterator[Declaration]:
    for box in BOX.finditer(line):
        yield Declaration("", _unboxed(box[1]), True, False, True)


def _unboxed(text: str) -> str:
    return BOX.sub(r"\1", text)
