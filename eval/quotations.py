"""What speakers quote: how much, how truly, how often again (P24 figures 11 and 12)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from debate_gym.envs.normalise import normalise
from debate_gym.envs.nouns import Episode, Passage
from debate_gym.eval.metrics import player

GRAM = 3
FABRICATED_WORDS = 7


@dataclass(frozen=True, slots=True)
class Quotations:
    """Counts over the speeches of one player, or of all. Two of them add up.

    Attributes:
        speeches: how many.
        words: in all speeches.
        verified, unverified: passages, by the check of the game.
        untagged: quotations outside any passage tag, which nobody checked.
        verified_words, unverified_words: in the passages.
        duplicates: passages that the same seat had quoted before in the same game, in the same
            normalised words.
        fabricated: unverified passages of more than 7 words of which no three words in a row stand
            in the article.
        unknown: unverified passages of more than 7 words whose article is not at hand, so that it
            cannot be told.
    """

    speeches: int = 0
    words: int = 0
    verified: int = 0
    unverified: int = 0
    untagged: int = 0
    verified_words: int = 0
    unverified_words: int = 0
    duplicates: int = 0
    fabricated: int = 0
    unknown: int = 0

    def __add__(self, other: Quotations) -> Quotations:
        names = [field.name for field in fields(self)]
        return Quotations(*(getattr(self, name) + getattr(other, name) for name in names))

    def per_speech(self) -> dict[str, float]:
        """Every count as a mean over speeches; NaN without speeches."""
        names = [field.name for field in fields(self) if field.name != "speeches"]
        count = self.speeches
        return {name: getattr(self, name) / count if count else math.nan for name in names}

    @property
    def verified_share(self) -> float:
        """Verified passages among all quotations, untagged ones counted as not verified."""
        total = self.verified + self.unverified + self.untagged
        return self.verified / total if total else math.nan

    @property
    def passage_words(self) -> float:
        """Mean length of a passage."""
        count = self.verified + self.unverified
        return (self.verified_words + self.unverified_words) / count if count else math.nan


def quotations(
    episodes: Iterable[Episode], articles: Mapping[str, str] | None = None
) -> dict[str, Quotations]:
    """Counts for each player, `model@revision`, in order of names.

    Args:
        articles: by question id, for episodes that were read from a file, which holds none.
    """
    found: dict[str, Quotations] = {}
    for episode in episodes:
        article = episode.question.article or (articles or {}).get(episode.question.id)
        for seat, record in episode.seats.items():
            if record.answer is not None:
                name = player(record.model, record.revision)
                found[name] = found.get(name, Quotations()) + _of_seat(episode, seat, article)
    return {name: found[name] for name in sorted(found)}


def similarity(passage: str, article: str) -> float:
    """Share of a passage's runs of three words that stand in the article, both normalised, in
    [0, 1]; of the whole passage where it is shorter. 0 for a passage without words.

    P24 leaves the length of its n-grams open; three is this project's choice.
    """
    words = normalise(passage).split()
    if not words:
        return 0.0
    size = min(GRAM, len(words))
    grams = [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]
    known = _grams(article, size)
    return sum(gram in known for gram in grams) / len(grams)


def _of_seat(episode: Episode, seat: str, article: str | None) -> Quotations:
    total, said = Quotations(), set[str]()
    for turn in episode.turns:
        if turn.seat != seat or not turn.speech:
            continue
        words = len(turn.argument.split())
        total += Quotations(speeches=1, words=words, untagged=turn.untagged)
        for passage in turn.passages:
            again = (text := normalise(passage.text)) in said
            total += _of_passage(passage, article) + Quotations(duplicates=int(again))
            said.add(text)
    return total


def _of_passage(passage: Passage, article: str | None) -> Quotations:
    words = len(passage.text.split())
    if passage.verified:
        return Quotations(verified=1, verified_words=words)
    long = len(normalise(passage.text).split()) > FABRICATED_WORDS
    made_up = long and article is not None and similarity(passage.text, article) == 0
    return Quotations(
        unverified=1,
        unverified_words=words,
        fabricated=int(made_up),
        unknown=int(long and article is None),
    )


@lru_cache(maxsize=256)
def _grams(article: str, size: int) -> frozenset[tuple[str, ...]]:
    words = normalise(article).split()
    return frozenset(tuple(words[i : i + size]) for i in range(len(words) - size + 1))
