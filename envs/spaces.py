"""A space of texts."""

from __future__ import annotations

from typing import Any

from gymnasium import Space

ALPHABET = list("abcdefghijklmnopqrstuvwxyz ,.")


class TextSpace(Space[str]):
    """Any string of at most `max_length` characters.

    `gymnasium.spaces.Text` only holds characters of a given set, and what a model writes has no
    such set. Samples are short strings of lower-case letters.

    Raises:
        ValueError: on a `max_length` below 1.
    """

    def __init__(self, max_length: int, seed: int | None = None) -> None:
        if max_length < 1:
            raise ValueError(f"max_length must be at least 1, got {max_length}")
        self.max_length = max_length
        super().__init__(dtype=str, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        if mask is not None or probability is not None:
            raise ValueError("a text space samples without a mask")
        length = int(self.np_random.integers(1, min(32, self.max_length) + 1))
        return "".join(ALPHABET[i] for i in self.np_random.integers(len(ALPHABET), size=length))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"TextSpace({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextSpace) and self.max_length == other.max_length

    def __hash__(self) -> int:
        return hash((TextSpace, self.max_length))
