from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.eval.report.rows import Played
from debate_gym.eval.report.transcripts import browser_data, inlined, spread

Make = Callable[..., dict[str, Any]]
Read = Callable[..., list[Played]]


@given(st.text())
def test_inlined_text_comes_back_and_cannot_end_a_script(text: str) -> None:
    shown = inlined({"text": text})
    assert json.loads(shown) == {"text": text}
    assert shown.isascii()
    assert not set("<>&\n\r") & set(shown)


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--<script>", "\u2028\u2029", "\ud800"]
)
def test_hostile_text_is_only_text(text: str) -> None:
    shown = inlined([text])
    assert json.loads(shown) == [text]
    assert shown.isascii()
    assert "<" not in shown


def test_a_question_is_written_once(played: Read, record: Make) -> None:
    listed, shown = browser_data(played(record("a"), record("b"), record("c", task="mmlu")))
    assert [question["task"] for question in listed["questions"]] == ["boolq", "mmlu"]
    assert [one["question"] for one in listed["episodes"]] == [0, 0, 1]
    assert len(shown) == 3


def test_equal_ids_get_different_links(played: Read, record: Make) -> None:
    listed, _ = browser_data(played(record("a"), record("b"), record("a"), record("a")))
    assert [one["key"] for one in listed["episodes"]] == ["a", "b", "a~2", "a~3"]


def test_outcomes_are_those_of_averaged_orders(played: Read, record: Make) -> None:
    listed, shown = browser_data(played(record("a", {"j": [0.9, 0.3], "k": [0.9, 0.1]})))
    assert listed["episodes"][0]["outcomes"] == {"j": "correct", "k": "tie"}
    assert [verdict["order"] for verdict in shown[0]["verdicts"]] == [(0, 1), (1, 0)] * 2


def test_probabilities_after_a_turn_are_kept(played: Read, record: Make, turn: Make) -> None:
    turns = [turn("debater_0", "x", judge_p={"j": [0.7, 0.3]}), turn("debater_1", "y")]
    _, (shown,) = browser_data(played(record("a", turns=turns)))
    assert shown["turns"][0]["judge_p"] == {"j": [0.7, 0.3]}
    assert "judge_p" not in shown["turns"][1]


@pytest.mark.parametrize("wrong", [0.7, {"j": 0.7}, {"j": [0.7]}, {"j": ["a", "b"]}])
def test_other_shapes_of_them_are_refused(
    played: Read, record: Make, turn: Make, wrong: Any
) -> None:
    found = played(record("a", turns=[turn("debater_0", "x", judge_p=wrong)]))
    with pytest.raises(ValueError, match="episode 'a': judge_p"):
        browser_data(found)


def test_a_part_is_spread_evenly(played: Read, record: Make) -> None:
    found = played(*(record(f"{i}") for i in range(7)))
    assert spread(found, 7) is found
    assert [one.episode.id for one in spread(found, 3)] == ["0", "2", "4"]
    assert list(spread(found, 0)) == []
