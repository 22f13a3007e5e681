"""A question with any number of options, of which one is correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from debate_gym.envs.nouns import Question


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A multiple-choice question; its options are lettered A, B, C, ... in their order.

    Attributes:
        gold: index of the correct option.
        article: what the panel may read; None on closed tasks.
        meta: provenance; any JSON values.

    Raises:
        ValueError: on fewer than 2 or more than 26 options, two equal ones, or a `gold` that is
            none of them.
    """

    id: str
    task: str
    question: str
    options: tuple[str, ...]
    gold: int
    article: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 2 <= len(self.options) <= 26 or len(set(self.options)) < len(self.options):
            raise ValueError(
                f"question {self.id!r} needs 2 to 26 different options, got {self.options!r:.200}"
            )
        if self.gold not in range(len(self.options)):
            raise ValueError(
                f"question {self.id!r}: gold must be the index of an option, got {self.gold!r}"
            )

    @classmethod
    def of(cls, question: Question) -> ChoiceQuestion:
        """A binary question as one with two options; pictures are not carried over.

        Raises:
            ValueError: on a question with pictures, which a panel cannot be shown.
        """
        if question.images:
            raise ValueError(f"question {question.id!r} has pictures, and a panel reads text only")
        return cls(
            question.id,
            question.task,
            question.question,
            question.answers,
            question.correct,
            question.article,
            question.meta,
        )

    @property
    def letters(self) -> str:
        """One letter an option."""
        return ascii_uppercase[: len(self.options)]
