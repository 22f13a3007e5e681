from __future__ import annotations

import numpy as np
import pytest

from debate_gym.envs import Question
from debate_gym.envs.tasks.length_cue import LengthCue, alternating, length_cue, longer


def question(right: str, wrong: str, correct: int) -> Question:
    answers = (right, wrong) if correct == 0 else (wrong, right)
    return Question(id="q", task="t", question="?", answers=answers, correct=correct)


def test_length_cue() -> None:
    questions = [
        question("longer", "short", 0),
        question("longer", "short", 1),
        question("état", "long", 1),
        question("a", "much longer", 0),
        question("longest", "long", 0),
    ]
    # three right, one wrong, one tie
    assert length_cue(questions) == LengthCue(accuracy=0.7, count=5)
    assert length_cue(questions[3:4]) == LengthCue(accuracy=0, count=1)
    with pytest.raises(ValueError, match="of no questions is undefined"):
        length_cue([])


def test_longer() -> None:
    assert [longer("aa", "a"), longer("a", "aa"), longer("a", "b")] == [1, -1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_alternating(seed: int) -> None:
    items = [(i, sign) for i, sign in enumerate([1] * 20 + [-1] * 20 + [0] * 10)]
    order = alternating(items, lambda item: item[1], np.random.default_rng(seed))
    assert sorted(order) == sorted(items)
    sums = np.cumsum([sign for _, sign in order])
    assert set(np.abs(sums)) == {0, 1}
    assert order != alternating(items, lambda item: item[1], np.random.default_rng(seed + 1))


def test_alternating_with_more_of_one_sign() -> None:
    order = alternating([1, 1, 1, -1], lambda sign: sign, np.random.default_rng(0))
    assert order in ([1, -1, 1, 1], [-1, 1, 1, 1])
