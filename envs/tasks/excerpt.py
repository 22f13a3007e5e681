"""A stretch of an article for readers whose context does not hold all of it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

WORD = re.compile(r"\S+")
TERM = re.compile(r"[^\W_]+")
STEM = 6


def excerpt(text: str, limit: int | None, about: Iterable[str]) -> str:
    """The `limit` consecutive words that say most about some texts; all of it if None.

    A window of words weighs what the different terms of `about` in it weigh, each once: a term is
    a word's first six letters, case folded, and weighs log(1 + words / occurrences) in the
    article, so rare ones count. Of the heaviest windows the first is taken, moved so that its
    terms stand in its middle (an odd word follows) as far as the article goes. The layout is kept.

    Hand in the question and both answers: then the rule does not know which answer is correct.

    Raises:
        ValueError: on a limit below 1.
    """
    if limit is None:
        return text
    if limit < 1:
        raise ValueError(f"max_article_words must be at least 1, got {limit}")
    words = list(WORD.finditer(text))
    if len(words) <= limit:
        return text
    wanted = {term for part in about for term in _terms(part)}
    hits = [(i, term) for i, word in enumerate(words) for term in _terms(word[0]) if term in wanted]
    first, last = _heaviest(hits, len(words), limit)
    start = first - (limit - (last - first + 1)) // 2
    start = min(max(0, start), len(words) - limit)
    return text[words[start].start() : words[start + limit - 1].end()]


def _terms(text: str) -> list[str]:
    return [match[:STEM] for match in TERM.findall(text.casefold())]


def _heaviest(hits: list[tuple[int, str]], words: int, limit: int) -> tuple[int, int]:
    """First and last hit of the heaviest window."""
    # It is enough to look at the windows that end in a hit.
    occurrences = Counter(term for _, term in hits)
    inside: Counter[str] = Counter()
    best, span, weight, left = 0.0, (0, 0), 0.0, 0
    weights = {term: math.log1p(words / number) for term, number in occurrences.items()}
    for place, term in hits:
        weight += weights[term] * (inside[term] == 0)
        inside[term] += 1
        while hits[left][0] <= place - limit:
            gone = hits[left][1]
            inside[gone] -= 1
            weight -= weights[gone] * (inside[gone] == 0)
            left += 1
        if weight > best + 1e-9:
            best, span = weight, (hits[left][0], place)
    return span
