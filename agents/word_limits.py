"""How long a speech may be, and how one that is too long is cut.

A word is a run of characters without blanks that holds a letter or a digit; each Chinese, Japanese
or Korean character is a word of its own. Passage tags are no words and part words. Only the public
argument is counted: thinking is free.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from debate_gym.envs.markup import strip_thinking
from debate_gym.envs.names import unknown
from debate_gym.envs.normalise import CJK
from debate_gym.envs.nouns import Utterance
from debate_gym.envs.passages import CLOSE, OPEN

PIECE = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
CUT = "..."


@dataclass(frozen=True, slots=True)
class WordLimits:
    """Bounds of a speech in words, both included.

    Attributes:
        target: the length that the speaker is asked for; None to ask for nothing.
    """

    low: int
    high: int
    target: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.low <= (self.target or self.low) <= self.high or self.high < 1:
            raise ValueError(f"expected 0 <= low <= target <= high and high >= 1, got {self}")

    def hold(self, argument: str) -> bool:
        """Whether an argument is within them."""
        return self.low <= count_words(argument) <= self.high


# P24 appendix D.4, table 6, and K24 appendix H, whose prompts already ask for the limit.
LIMITS: dict[str, dict[str, WordLimits]] = {
    "p24": {"debater": WordLimits(70, 150, 100), "consultant": WordLimits(140, 300, 200)},
    "k24": {"debater": WordLimits(0, 150), "consultant": WordLimits(0, 150)},
}


def limits_of(scheme: str, seat: str) -> WordLimits:
    """The limits of a seat.

    Raises:
        ValueError: on an unknown scheme, or a seat that it does not limit.
    """
    if scheme not in LIMITS:
        raise ValueError(unknown("word limits", scheme, LIMITS))
    role = seat.rpartition("_")[0]
    if role not in LIMITS[scheme]:
        raise ValueError(
            f"word limits {scheme!r} are for {sorted(LIMITS[scheme])}, got the seat {seat!r}"
        )
    return LIMITS[scheme][role]


def count_words(argument: str) -> int:
    """The number of words; see the module for what counts."""
    return len(_words(argument))


def truncate(argument: str, limit: int) -> str:
    """The first `limit` words (at least 1) of an argument, and `...`; all of it if it has no more.

    A passage that the cut leaves open is closed before the dots, so that what is left of it can
    still be checked (P24 appendix D.6).
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    words = _words(argument)
    if len(words) <= limit:
        return argument
    kept = argument[: words[limit - 1]]
    return f"{kept}{'</passage>' if _open(kept) else ''}{CUT}"


def truncated(utterance_text: str, limit: int) -> str:
    """An utterance whose argument is cut, with its thinking kept private."""
    thinking, argument = strip_thinking(utterance_text)
    cut = truncate(argument, limit)
    return f"<thinking>{thinking}</thinking>\n{cut}" if thinking else cut


def argument_of(utterance: Utterance) -> str:
    """The public part of what was said, as written."""
    return strip_thinking(utterance.text)[1]


def _words(argument: str) -> list[int]:
    """Where each word ends."""
    pieces = PIECE.finditer(_without_tags(argument))
    return [piece.end() for piece in pieces if any(map(str.isalnum, piece[0]))]


def _without_tags(argument: str) -> str:
    """The argument with blanks in place of its passage tags; every place stays where it is."""
    for tag in (OPEN, CLOSE):
        argument = tag.sub(lambda match: " " * len(match[0]), argument)
    return argument


def _open(text: str) -> bool:
    """Whether a passage is open at the end, as the passage check reads it."""
    position = 0
    while opening := OPEN.search(text, position):
        closing = CLOSE.search(text, opening.end())
        if closing is None:
            return True
        position = closing.end()
    return False
