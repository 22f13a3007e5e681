from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.nouns import (
    Episode,
    Outcome,
    Overhead,
    Passage,
    PassageStatus,
    Question,
    SeatRecord,
    Turn,
    Verdict,
)

text = st.text(max_size=20)
counts = st.integers(0, 999)
questions = st.builds(
    Question,
    id=text,
    task=text,
    question=text,
    answers=st.tuples(text, text).filter(lambda pair: pair[0] != pair[1]),
    correct=st.integers(0, 1),
    article=st.none() | text,
    images=st.lists(text, max_size=2).map(tuple),
    meta=st.dictionaries(text, st.integers() | text, max_size=2),
)
turns = st.builds(
    Turn,
    seat=text,
    round=counts,
    thinking=text,
    argument=text,
    passages=st.lists(st.builds(Passage, text, st.sampled_from(PassageStatus)), max_size=3).map(
        tuple
    ),
    untagged=counts,
    prompt_tokens=counts,
    completion_tokens=counts,
    finish=st.sampled_from(["stop", "length", "error"]),
)
verdicts = st.builds(
    Verdict,
    judge=text,
    order=st.sampled_from([None, (0, 1), (1, 0)]),
    p=st.just((0.25, 0.75)),
    choice=st.just(1),
    outcome=st.sampled_from([Outcome.CORRECT, Outcome.INCORRECT]),
    reasoning=text,
    label_mass=st.none() | st.floats(0, 1),
    spent=st.builds(
        Overhead, counts, counts, counts, st.just(()) | st.just((("readings", 2), ("words", 1)))
    ),
)


def through_json(record: dict[str, Any]) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(json.dumps(record))
    return loaded


@given(questions)
def test_questions_survive_their_file(question: Question) -> None:
    assert Question.from_json(through_json(question.to_json())) == question


@given(turns)
def test_turns_survive_their_file(turn: Turn) -> None:
    record = through_json(turn.to_json())
    assert Turn.from_json(record) == turn
    verified, unverified = record["passages"]["verified"], record["passages"]["unverified"]
    assert verified + unverified == len(turn.passages)
    assert verified == sum(p.status is not PassageStatus.MISSING for p in turn.passages)


@given(verdicts)
def test_verdicts_survive_their_file(verdict: Verdict) -> None:
    assert Verdict.from_json(through_json(verdict.to_json())) == verdict


def test_unknown_keys_of_a_question_are_kept() -> None:
    record = {"id": "q", "task": "t", "question": "?", "answers": ["a", "b"], "correct": 0}
    read = Question.from_json({**record, "meta": {"year": 3}, "author": "me"})
    assert read.meta == {"year": 3, "author": "me"}
    with pytest.raises(ValueError, match=r"lacks \['correct'\]"):
        Question.from_json({key: value for key, value in record.items() if key != "correct"})


@pytest.mark.parametrize(
    ("answers", "correct", "message"),
    [
        (("a", "a"), 0, "two different answers"),
        (("a",), 0, "two different answers"),
        (("a", "b"), 2, "0 or 1"),
        (("a", "b"), None, "0 or 1"),
    ],
)
def test_wrong_questions_are_refused(answers: Any, correct: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Question("q", "t", "?", answers, correct)


def test_an_episode_holds_its_cost_and_at_least_one_verdict() -> None:
    def episode(*held: Verdict) -> Episode:
        spoken = tuple(
            Turn("debater_0", i, "", "x", prompt_tokens=10 + i, completion_tokens=2)
            for i in range(3)
        )
        seats = {"debater_0": SeatRecord("scripted:best", "", 0)}
        question = Question("q", "t", "?", ("a", "b"), 1)
        return Episode("e", question, "debate", "", seats, spoken, held, 0, "hash")

    verdict = Verdict("j", None, (0.2, 0.8), 1, Outcome.CORRECT)
    assert episode(verdict).to_json()["cost"] == {
        "generations": 3,
        "prompt_tokens": 33,
        "completion_tokens": 6,
    }
    asked = replace(verdict, spent=Overhead(2, 100, 20))
    assert episode(asked, asked).to_json()["cost"] == {
        "generations": 3 + 4,
        "prompt_tokens": 33 + 200,
        "completion_tokens": 6 + 40,
    }
    assert "spent" not in episode(verdict).to_json()["verdicts"][0]
    with pytest.raises(ValueError, match="no verdict"):
        episode()


def test_a_canary_goes_where_the_question_goes() -> None:
    question = Question("q", "gpqa", "?", ("a", "b"), 0, meta={"canary": "c-1"})
    verdict = Verdict("j", None, None, None, Outcome.FAILED)
    record = Episode("e", question, "debate", "", {}, (), (verdict,), 0, "hash").to_json()
    assert record["canary"] == "c-1"
    assert Episode.from_json(record).to_json() == record
    bare = Question("q", "t", "?", ("a", "b"), 0)
    assert "canary" not in Episode("e", bare, "debate", "", {}, (), (verdict,), 0, "h").to_json()


def test_there_are_five_outcomes() -> None:
    assert [o.value for o in Outcome] == ["correct", "incorrect", "tie", "unreadable", "failed"]
