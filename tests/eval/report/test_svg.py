from __future__ import annotations

from debate_gym.eval.report.svg import shorten, swatch


def test_the_ninth_series_differs_from_the_first() -> None:
    assert len({swatch(i) for i in range(16)}) == 16


def test_long_names_lose_their_middle() -> None:
    assert shorten("abcdefghij", 10) == "abcdefghij"
    assert shorten("abcdefghijk", 7) == "abc…ijk"
