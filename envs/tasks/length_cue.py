"""The length cue: what a judge gets right that does nothing but pick the longer answer.

Lengths are in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from debate_gym.envs.nouns import Question

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LengthCue:
    """`accuracy` in [0, 1] over `count` questions."""

    accuracy: float
    count: int


def length_cue(questions: Iterable[Question]) -> LengthCue:
    """Accuracy of a judge that picks the longer answer; two of the same length count 1/2.

    Raises:
        ValueError: if there are no questions.
    """
    signs = [
        longer(question.answers[question.correct], question.answers[1 - question.correct])
        for question in questions
    ]
    if not signs:
        raise ValueError("the length cue of no questions is undefined, give at least one")
    return LengthCue(0.5 + sum(signs) / (2 * len(signs)), len(signs))


def longer(right: str, wrong: str) -> int:
    """1 if the right answer is the longer one, -1 if the wrong one is, 0 on a tie."""
    return (len(right) > len(wrong)) - (len(right) < len(wrong))


def alternating(items: Iterable[T], sign: Callable[[T], int], rng: np.random.Generator) -> list[T]:
    """The items in a drawn order in which signs 1 and -1 alternate as long as there are both.

    If there are as many of both, they differ by at most one in number among the first n, whatever
    n is. Items of sign 0 stand anywhere.
    """
    pool = list(items)
    shuffled = [pool[i] for i in rng.permutation(len(pool))]
    ends = [[item for item in shuffled if sign(item) == end] for end in (1, -1)]
    first, second = ends if rng.integers(2) else ends[::-1]
    return _merged(shuffled, first, second, sign)


def _merged(
    shuffled: Sequence[T], first: Sequence[T], second: Sequence[T], sign: Callable[[T], int]
) -> list[T]:
    both = min(len(first), len(second))
    turns = [item for pair in zip(first, second, strict=False) for item in pair]
    signed = iter([*turns, *first[both:], *second[both:]])
    return [item if sign(item) == 0 else next(signed) for item in shuffled]
