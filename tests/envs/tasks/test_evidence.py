from __future__ import annotations

import numpy as np
import pytest

from debate_gym.envs import load_task
from debate_gym.envs.tasks import evidence
from debate_gym.envs.tasks.evidence import generate, strengths


def test_the_side_with_the_most_points_is_correct() -> None:
    for question in load_task("evidence", "train", 200):
        lines = str(question.article).splitlines()
        assert len(set(lines)) == evidence.SENTENCES
        sums = np.sum([strengths(line, question.answers) for line in lines], axis=0)
        assert sums[question.correct] > sums[1 - question.correct]


def test_the_same_seed_gives_the_same_questions() -> None:
    assert load_task("evidence", "train", 5, seed=3) == load_task("evidence", "train", 5, seed=3)
    assert load_task("evidence", "train", 5, seed=3) != load_task("evidence", "train", 5, seed=4)


def test_the_splits_share_no_question() -> None:
    train, held_out = (
        {q.id for q in load_task("evidence", split, 3000)} for split in ("train", "heldout")
    )
    assert not train & held_out
    with pytest.raises(ValueError, match="unknown split"):
        load_task("evidence", "test")


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("To Ada go 7 points from the miller.", (7, 0)),
        ("To  Ben\ngo 2 points from the miller.", (0, 2)),
        ("To nobody go 7 points from the miller.", (0, 0)),
        ("To Cleo go 7 points from the miller.", (0, 0)),
        ("To Ada go 7 points from", (0, 0)),
        ("To Ada go 77 points from the miller.", (0, 0)),
    ],
)
def test_strengths(text: str, worth: tuple[int, int]) -> None:
    assert strengths(text, ("Ada", "Ben")) == worth


def test_positions_and_names_carry_no_hint() -> None:
    questions = [generate(seed) for seed in range(2000)]
    assert 0.45 < np.mean([question.correct for question in questions]) < 0.55
