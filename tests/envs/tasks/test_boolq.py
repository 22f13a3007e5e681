from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from debate_gym.envs import Question, load_task

Write = Callable[..., Any]


def record(i: int = 0, page: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "question": f"is thing {i} blue",
        "title": f"Thing {page}",
        "answer": i % 2 == 0,
        "passage": f"Thing {page} is called ``the thing''. It is {i // 2} m high.",
        **changes,
    }


def test_items(write: Write, both_splits: Callable[..., list[Question]]) -> None:
    write("boolq/dev.jsonl", [record(i, i // 4) for i in range(40)])
    write("boolq/more/train.jsonl", [record(i, i // 4) for i in range(30, 60)])
    questions = both_splits("boolq")
    assert sorted(int(q.question.split()[2]) for q in questions) == list(range(60))
    for question in questions:
        i = int(question.question.split()[2])
        assert question.question == f"is thing {i} blue?"
        assert question.answers[question.correct] == ("Yes" if i % 2 == 0 else "No")
        right_first = ("Yes", "No") if i % 2 == 0 else ("No", "Yes")
        assert question.answers == tuple(right_first[k] for k in question.meta["permutation"])
        page = f'Thing {i // 4}\n\nThing {i // 4} is called "the thing". It is {i // 2} m high.'
        assert question.article == page
        assert question.meta["licence"] == "CC BY-SA 3.0"
        assert question.id == f"boolq-{question.meta['content_hash']}"
    assert {question.correct for question in questions} == {0, 1}
    found = {q.meta["upstream_id"] for q in questions if "thing 3" in q.question}
    assert "dev.jsonl:4" in found
    assert "train.jsonl:1" in found


def test_the_seed_draws_items_and_orders_only(write: Write) -> None:
    write("boolq/dev.jsonl", [record(i, i) for i in range(60)])
    first, again, other = (load_task("boolq", "train", 10, seed) for seed in (0, 0, 1))
    assert first == again != other
    everything = load_task("boolq", "train", 99, 0)
    assert everything[:10] == first
    known = {question.id: question.question for question in everything}
    assert all(known[question.id] == question.question for question in other)


def test_a_page_is_in_one_split(write: Write) -> None:
    write("boolq/dev.jsonl", [record(i, i // 4) for i in range(80)])
    train, held_out = (
        {q.meta["title"] for q in load_task("boolq", split, 999)} for split in ("train", "heldout")
    )
    assert len(train | held_out) == 20
    assert not train & held_out


@pytest.mark.parametrize(
    ("raw", "shown"),
    [("is it so?", "is it so?"), (" état ? ", "état?"), ("does NASA fly", "does NASA fly?")],
)
def test_the_question_text(
    write: Write, both_splits: Callable[..., list[Question]], raw: str, shown: str
) -> None:
    write("boolq/dev.jsonl", [record(question=raw)])
    assert both_splits("boolq")[0].question == shown


def test_an_excerpt_counts_the_title(
    write: Write, both_splits: Callable[..., list[Question]]
) -> None:
    passage = "one two three " * 50 + "the thing is blue " + "four five six " * 50
    write("boolq/dev.jsonl", [record(passage=passage)])
    article = str(both_splits("boolq", max_article_words=20)[0].article)
    assert len(article.split()) == 20
    assert "the thing is blue" in article
    with pytest.raises(ValueError, match="at least 1, got 0"):
        both_splits("boolq", max_article_words=0)


@pytest.mark.parametrize(
    "changes", [{"answer": "true"}, {"answer": 1}, {"question": " "}, {"passage": None}]
)
def test_a_record_in_another_layout_is_named(write: Write, changes: dict[str, Any]) -> None:
    write("boolq/dev.jsonl", [record(), record(**changes)])
    with pytest.raises(ValueError, match=rf"dev\.jsonl:2: {next(iter(changes))} must be a "):
        load_task("boolq", "train")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_files(capsys: pytest.CaptureFixture[str]) -> None:
    train, held_out = (load_task("boolq", split, 10**6) for split in ("train", "heldout"))
    for one in ("id", "article"):
        assert not {getattr(q, one) for q in train} & {getattr(q, one) for q in held_out}
    questions = train + held_out
    assert len(train) > len(held_out) > 100
    assert len({question.id for question in questions}) == len(questions)
    yes = sum(q.answers[q.correct] == "Yes" for q in questions) / len(questions)
    assert 0.5 < yes < 0.75
    assert 0.45 < sum(q.correct for q in questions) / len(questions) < 0.55
    with capsys.disabled():
        print(f"\nBoolQ: {len(train)} train, {len(held_out)} held out, {yes:.1%} yes")
