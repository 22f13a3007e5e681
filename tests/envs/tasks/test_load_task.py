from __future__ import annotations

import pytest

from debate_gym.envs import load_task


def test_an_option_of_another_task_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown evidence option 'max_article_words'"):
        load_task("evidence", "train", 1, max_article_words=5)
    with pytest.raises(ValueError, match="unknown mmlu option 'known': .* 'known_bad'"):
        load_task("mmlu", "train", 1, known=None)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seed must not be negative, got -1"):
        load_task("evidence", "train", 1, seed=-1)
