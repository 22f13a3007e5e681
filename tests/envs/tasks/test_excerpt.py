from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.tasks.excerpt import excerpt

TEXT = "a a a a\n a the  red  box a a a a a a a the box a a"


@pytest.mark.parametrize(
    ("limit", "about", "expected", "why"),
    [
        (None, "box", TEXT, "no limit"),
        (99, "box", TEXT, "short enough"),
        (4, "Red BOXES, box!", "the  red  box a", "the window with both terms, layout kept"),
        (2, "box", "box a", "the first of equal ones"),
        (5, "the box", "a the  red  box a", "terms stand in the middle"),
        (3, "nothing known", "a a a", "nothing to look for: the beginning"),
        (1, "red", "red", "one word"),
    ],
)
def test_excerpt(limit: int | None, about: str, expected: str, why: str) -> None:
    assert excerpt(TEXT, limit, (about,)) == expected, why


def test_a_rare_term_weighs_more_than_a_common_one() -> None:
    text = "the x x x x the x x x the x x x the pearl x x x the"
    assert "pearl" in excerpt(text, 2, ("the pearl",))
    assert "pearl" in excerpt(text, 1, ("the pearl",))


def test_the_order_of_the_answers_does_not_matter() -> None:
    assert excerpt(TEXT, 3, ("red", "box")) == excerpt(TEXT, 3, ("box", "red"))


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1, got {limit}"):
        excerpt(TEXT, limit, ("box",))


@given(st.text(alphabet="ab \n", max_size=40), st.integers(1, 9), st.text("ab ", max_size=4))
def test_it_is_a_stretch_of_the_article(text: str, limit: int, about: str) -> None:
    found = excerpt(text, limit, (about,))
    assert found in text
    assert len(found.split()) == min(limit, len(text.split()))
    for term in set(about.split()) & set(text.split()):
        assert len(set(about.split())) > 1 or term in found.split()
