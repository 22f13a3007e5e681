from __future__ import annotations

import copy
import pickle

import pytest

from debate_gym.envs.spaces import TextSpace


def test_any_string_up_to_the_length_is_in_it() -> None:
    space = TextSpace(5)
    for text in ("", "a b,c", "é漢\n\0", "12345"):
        assert text in space
    for other in ("123456", 3, None, b"ab", ["a"]):
        assert other not in space


def test_samples_are_members_and_follow_the_seed() -> None:
    for length in (1, 7, 1000):
        one, other = TextSpace(length, seed=3), TextSpace(length)
        other.seed(3)
        drawn = [one.sample() for _ in range(50)]
        assert all(text in one for text in drawn)
        assert drawn == [other.sample() for _ in range(50)]
        assert len(set(drawn)) > 10
    with pytest.raises(ValueError, match="without a mask"):
        TextSpace(3).sample(mask="a")


def test_equality_is_about_the_length() -> None:
    assert TextSpace(5) == TextSpace(5, seed=1)
    assert hash(TextSpace(5)) == hash(TextSpace(5))
    assert TextSpace(5) != TextSpace(6)
    assert TextSpace(5) != 5
    with pytest.raises(ValueError, match="at least 1"):
        TextSpace(0)


def test_copies_draw_the_same() -> None:
    space = TextSpace(9, seed=2)
    space.sample()
    copies = [copy.deepcopy(space), pickle.loads(pickle.dumps(space))]
    expected = space.sample()
    assert [other.sample() for other in copies] == [expected] * 2


def test_samples_survive_json() -> None:
    space = TextSpace(9, seed=2)
    drawn = [space.sample() for _ in range(3)]
    assert list(space.from_jsonable(space.to_jsonable(drawn))) == drawn
