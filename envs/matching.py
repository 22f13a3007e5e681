"""Whether one passage stands in an article. The contract is in `envs/passages.py`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from debate_gym.envs.normalise import DASHES, WORD, length, normalise
from debate_gym.envs.nouns import PassageStatus

MIN_WORDS = 2
NUMBER_REACH = 40

ELLIPSIS = re.compile(r"[\[({]?\s?(?:…+|\.(?:\s?\.){2,})\s?[\])}]?")
RUN = re.compile(r"\w+")
# A run of letters and digits that the stretch itself ends on both sides.
INNER_RUN = re.compile(r"(?<=\W)\w+(?=\W)")


class _Article(NamedTuple):
    """What is kept of an article: its runs of letters and digits, and its normalised form with a
    blank at both ends."""

    runs: frozenset[str]
    normalised: str
    words: frozenset[str]


def find(text: str, article: str | None, min_words: int = MIN_WORDS) -> PassageStatus:
    """Looks for one passage in the article.

    Args:
        min_words: the fewest words that prove anything, of the passage and, where it is matched
            part by part, of each part.
    """
    if article is None or not _long_enough(wanted := normalise(text), min_words):
        return PassageStatus.MISSING
    prepared = _prepare(article)
    if _stands_in(text, article, prepared):
        return PassageStatus.EXACT
    if _place(wanted, prepared) >= 0 or _in_parts(text, prepared, min_words):
        return PassageStatus.NORMALISED
    return PassageStatus.MISSING


def _long_enough(normalised: str, min_words: int) -> bool:
    return length(normalised) >= max(1, min_words)


def _stands_in(text: str, article: str, prepared: _Article) -> bool:
    """Whether it stands there to the letter, at a place where no number is cut."""
    if not prepared.runs.issuperset(INNER_RUN.findall(text)):
        return False
    start = article.find(text)
    while start >= 0:
        if not _cuts_number(article, start, start + len(text)):
            return True
        start = article.find(text, start + 1)
    return False


def _place(wanted: str, prepared: _Article, after: int = 0) -> int:
    """Where the normalised words stand in the normalised article, or -1."""
    if not prepared.words.issuperset(wanted.split()):
        return -1
    return prepared.normalised.find(f" {wanted} ", after)


def _in_parts(text: str, prepared: _Article, min_words: int) -> bool:
    """Whether what stands between the ellipses is in the article, in this order.

    The earliest place for each part leaves the most room for the next, so no other need be tried.
    """
    parts = [part for part in map(normalise, ELLIPSIS.split(text)) if part]
    if len(parts) < 2 or not all(_long_enough(part, min_words) for part in parts):
        return False
    end = 0
    for part in parts:
        start = _place(part, prepared, end)
        if start < 0:
            return False
        end = start + len(part) + 1
    return True


def _cuts_number(article: str, start: int, end: int) -> bool:
    """Whether the numbers that one reads in a stretch of the article are others than the article
    has there: "3." is not in "3.14", nor "-5 m" in "10-5 m"."""
    if article[max(0, start - 1) : start].strip() == article[end : end + 1].strip() == "":
        return False
    left, right = max(0, start - NUMBER_REACH), end + NUMBER_REACH
    around = article[left:right].translate(DASHES)
    first, last = start - left, end - left
    there = [m[0] for m in WORD.finditer(around) if m.start() < last and m.end() > first]
    return _numbers(there) != _numbers(WORD.findall(around[first:last]))


def _numbers(words: list[str]) -> list[str]:
    return [word for word in words if any(letter.isnumeric() for letter in word)]


@lru_cache(maxsize=256)
def _prepare(article: str) -> _Article:
    normalised = normalise(article)
    runs = frozenset(RUN.findall(article))
    return _Article(runs, f" {normalised} ", frozenset(normalised.split()))
