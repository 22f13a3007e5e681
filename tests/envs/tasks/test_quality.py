from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import quality, quality_p24
from debate_gym.envs.tasks.intake import Intake
from debate_gym.envs.tasks.quality_files import read_questions

Write = Callable[..., Any]
Load = Callable[..., list[Question]]
DEV = "quality/QuALITY.v1.0.1.htmlstripped.dev"
TRAIN = "quality/v1/QuALITY.v1.0.1.htmlstripped.train"
JOINED = "quality/joined/quality_joined.jsonl"


def story(article_id: str, *questions: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "article_id": article_id,
        "source": "Gutenberg",
        "title": "A Story",
        "license": "free",
        "article": f" Story {article_id} of a time &amp; place.\n It goes on.\n",
        "questions": questions,
        **changes,
    }


def asked(text: str = "Why?", votes: Sequence[int] = (), **changes: Any) -> dict[str, Any]:
    """A question whose second option is right, that fools three of five timed annotators."""
    untimed = {
        "untimed_answer": 2,
        "untimed_eval1_answerability": 1,
        "untimed_eval2_context": 2,
    }
    return {
        "question": text,
        "options": [" one", "two\n", "three", "four &amp; more"],
        "gold_label": 2,
        "writer_label": 2,
        "validation": [{**untimed, "untimed_best_distractor": vote} for vote in votes],
        "speed_validation": [{"speed_answer": 1}] * 3 + [{"speed_answer": 2}] * 2,
        **changes,
    }


@pytest.mark.parametrize(
    ("question", "wrong", "rule", "tie"),
    [
        (asked(votes=(1, 3, 3)), "three", "best distractor by votes", False),
        (asked(votes=(4, 1, 2)), "one", "best distractor by votes", True),
        (asked(votes=(2, 2, 4)), "four & more", "best distractor by votes", False),
        (asked(best_distractor_label=3), "three", "best distractor as given", False),
        (asked(votes=(2, 2, 2), best_distractor_label=1), "one", "best distractor as given", False),
        (asked(votes=(2, 2, 2)), None, "drawn at random", False),
        (asked(best_distractor_label=2), None, "drawn at random", False),
    ],
)
def test_the_wrong_answer(
    write: Write, both_splits: Load, question: Any, wrong: str | None, rule: str, tie: bool
) -> None:
    write(DEV, [story(str(i), question) for i in range(40)])
    questions = both_splits("quality")
    assert len(questions) == 40
    for item in questions:
        assert item.answers[item.correct] == "two"
        assert (item.meta["wrong_rule"], item.meta["wrong_tie"]) == (rule, tie)
        options = ("one", "two", "three", "four & more")
        assert item.answers[1 - item.correct] == options[item.meta["wrong_option"] - 1]
    found = {item.answers[1 - item.correct] for item in questions}
    assert found == ({wrong} if wrong else {"one", "three", "four & more"})
    assert {item.correct for item in questions} == {0, 1}


def test_a_random_wrong_answer_on_request(write: Write, both_splits: Load) -> None:
    write(DEV, [story(str(i), asked(votes=(3, 3, 3))) for i in range(40)])
    found = both_splits("quality", wrong="random")
    assert {q.answers[1 - q.correct] for q in found} == {"one", "three", "four & more"}
    with pytest.raises(ValueError, match="unknown rule for the wrong answer 'bset'"):
        load_task("quality", "train", wrong="bset")


def test_text_and_provenance(write: Write, both_splits: Load) -> None:
    write(DEV, [story("7", asked(" Why &amp; how? ", (3,), question_unique_id="7_X_1"))])
    (item,) = both_splits("quality")
    assert item.question == "Why & how?"
    assert item.article == "Story 7 of a time & place.\n It goes on."
    assert item.answers == tuple(("two", "three")[i] for i in item.meta["permutation"])
    assert item.id == f"quality-{item.meta['content_hash']}"
    expected = {
        "licence": "CC BY 4.0",
        "article_licence": "free",
        "article_id": "7",
        "title": "A Story",
        "upstream_id": "7_X_1",
    }
    assert {name: item.meta[name] for name in expected} == expected


def test_layouts_share_articles_and_name_a_question_once(write: Write, both_splits: Load) -> None:
    write(DEV, [story("7", asked("Why?", (3,)))])
    write(JOINED, [story("7", asked("Why?"), asked("How?"), article="another text")])
    questions = both_splits("quality")
    assert sorted(q.question for q in questions) == ["How?", "Why?"]
    assert len({q.article for q in questions}) == 1
    assert {q.meta["wrong_rule"] for q in questions if q.question == "Why?"} == {
        "best distractor by votes"
    }
    assert [q.question for q in both_splits("quality", joined=False)] == ["Why?"]


@pytest.mark.parametrize(
    ("option", "about_others"),
    [
        ("All of the above", True),
        ("none of the above.", True),
        ("Both of the above are true", True),
        ("All the answers are correct", True),
        ("Both A and C are correct. ", True),
        ("both (a) and (c)", True),
        ("A, B and D", True),
        ("Neither B nor C", True),
        ("The previous answer", True),
        ("Option C", True),
        ("None of these", True),
        ("All of them are correct", True),
        ("All of them are smart", False),
        ("They both got a car", False),
        ("None", False),
        ("There was no other choice", False),
        ("To answer a call and leave", False),
        ("He was above the role", False),
        ("Neither of them likes the other", False),
    ],
)
def test_answers_about_other_options_are_left_out(
    write: Write, both_splits: Load, option: str, about_others: bool
) -> None:
    question = asked(votes=(3, 3, 3), options=["one", "two", option, "four"])
    write(JOINED, [story("1", question), story("2", asked())])
    assert len(both_splits("quality")) == (1 if about_others else 2)


def test_equal_answers_are_left_out(write: Write, both_splits: Load) -> None:
    question = asked(votes=(3,), options=["one", "two", " two ", "four"])
    write(DEV, [story("1", question), story("2", asked())])
    assert len(both_splits("quality")) == 1


def test_five_questions_a_story_over_both_writers(write: Write, both_splits: Load) -> None:
    sets = [story("7", *[asked(f"{j} {i}?", (3,)) for i in range(4)]) for j in range(2)]
    write(TRAIN, sets)
    drawn = [{q.question for q in both_splits("quality", seed)} for seed in range(9)]
    assert {len(questions) for questions in drawn} == {5}
    assert set().union(*drawn) == {f"{j} {i}?" for j in range(2) for i in range(4)}


def test_splits_share_no_article(write: Write) -> None:
    write(TRAIN, [story(str(i), asked("A?", (3,))) for i in range(40)])
    write(DEV, [story(str(i), asked("B?", (3,))) for i in range(40)])
    train, held_out = (load_task("quality", split, 999) for split in ("train", "heldout"))
    assert len(train) + len(held_out) == 80
    assert not {q.meta["article_id"] for q in train} & {q.meta["article_id"] for q in held_out}
    assert load_task("quality", "train", 5) == train[:5]


def vote(**changes: int) -> dict[str, Any]:
    (good,) = asked(votes=(3,))["validation"]
    return {"validation": [good, {**good, **changes}]}


@pytest.mark.parametrize(
    ("changes", "source", "unmet"),
    [
        ({}, "Gutenberg", set()),
        (vote(untimed_answer=1), "Gutenberg", {"untimed_all_right"}),
        (vote(untimed_eval1_answerability=2), "Gutenberg", {"answerable"}),
        (vote(untimed_eval2_context=1), "Gutenberg", set()),
        ({"validation": vote(untimed_eval2_context=1)["validation"][1:]}, "x", {"needs_context"}),
        (
            {"speed_validation": [{"speed_answer": 2}, {"speed_answer": 1}]},
            "x",
            {"timed_under_half_right"},
        ),
        ({"writer_label": 1}, "Gutenberg", {"writer_agrees"}),
    ],
)
def test_p24_criteria(changes: dict[str, Any], source: str, unmet: set[str]) -> None:
    expected = set(unmet)
    if source != "Gutenberg":
        expected.add("gutenberg")
    met = quality_p24.p24_criteria(asked(**{**asked(votes=(3, 3)), **changes}), source)
    assert tuple(met) == quality_p24.CRITERIA
    assert {name for name, value in met.items() if not value} == expected


def test_p24_filter_switches(write: Write, both_splits: Load) -> None:
    write(
        DEV,
        [
            story("1", asked("Good?", (3, 3)), asked("Miswritten?", (3, 3), writer_label=1)),
            story("2", asked("Doubted?", **vote(untimed_eval1_answerability=3)), source="Slate"),
            story("3", asked("Bare?", validation=[], speed_validation=[], writer_label=None)),
        ],
    )

    def kept(chosen: Any) -> list[str]:
        return sorted(q.question for q in both_splits("quality", p24_filter=chosen))

    assert kept(False) == ["Bare?", "Doubted?", "Good?", "Miswritten?"]
    assert kept(True) == ["Good?"]
    assert kept(["answerable"]) == ["Good?", "Miswritten?"]
    assert kept("gutenberg") == ["Bare?", "Good?", "Miswritten?"]
    with pytest.raises(ValueError, match="did you mean 'answerable'"):
        kept(["anserable"])
    assert quality.filter_counts() == {
        "questions": 4,
        "untimed_all_right": 3,
        "timed_under_half_right": 3,
        "answerable": 2,
        "needs_context": 3,
        "writer_agrees": 2,
        "gutenberg": 3,
        "all": 1,
        "usable_pair": 4,
    }


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (asked(gold_label=0), "gold_label must be a whole number 1 to 4, got 0"),
        (asked(gold_label="2"), "gold_label must be .* got '2'"),
        (asked(options="one"), "options must be two texts or more"),
        (asked(validation=[{"untimed_answer": 2}]), "untimed_eval1_answerability must be"),
        (asked(votes=(5,)), "untimed_best_distractor must be .* got 5"),
        (asked(speed_validation=[{}]), "speed_answer must be .* got None"),
        ({"options": []}, "expected a question with its text"),
    ],
)
def test_a_record_in_another_layout_is_named(write: Write, broken: Any, message: str) -> None:
    write(DEV, [story("1", asked()), story("2", asked(), broken)])
    with pytest.raises(ValueError, match=rf"stripped\.dev:2: .*{message}"):
        load_task("quality", "train")


def test_an_article_is_needed(write: Write) -> None:
    write(DEV, [story("1", asked(), article=None)])
    with pytest.raises(ValueError, match=r"stripped\.dev:1: expected 'article', got None"):
        load_task("quality", "train")


def test_every_question_is_accounted_for(write: Write) -> None:
    others = ["one", "two", "all of the above", "four"]
    write(
        DEV,
        [
            story("1", *[asked(f"{i}?", (3,)) for i in range(7)], {"options": []}),
            story("2", asked("Same?", (3,), options=["one", "two", "two ", "four"]), article=None),
            story("3", asked("Same?", (3,), options=["one", "two", "two ", "four"])),
            story("4", asked("Others?", (3,), options=others)),
        ],
    )
    write(JOINED, [story("1", asked("3?"), asked("7?")), story("5", asked())])
    with (Path(os.environ["DEBATE_GYM_DATA"]) / DEV).open("a", encoding="utf-8") as file:
        file.write("{\n")
    intake = Intake()
    items = quality.read(intake, np.random.default_rng(0))
    assert [item.key for item in items] == sorted(item.key for item in items)
    assert sorted(item.group for item in items) == ["1"] * 5 + ["5"]
    assert intake.read == 7 + 1 + 1 + 1 + 1 + 2 + 1 + 1
    assert intake.duplicates == 1
    assert intake.dropped == {
        "more than five questions a story": 3,
        "two equal answers": 1,
        "an answer about other options": 1,
    }
    places = [re.sub(r".*[/\\]", "", text).split(": ")[0] for text in intake.broken]
    assert places == [f"QuALITY.v1.0.1.htmlstripped.dev:{line}" for line in (1, 2, 5)]
    assert intake.read == len(items) + 1 + intake.dropped.total() + 3
    assert items[0].filters == (
        "two equal answers",
        "an answer about other options",
        "more than five questions a story",
    )


def test_a_question_is_counted_under_the_first_criterion_that_it_fails(write: Write) -> None:
    write(
        DEV,
        [
            story(
                "1",
                asked("Good?", (3, 3)),
                asked("Miswritten?", (3, 3), writer_label=1),
                asked("Doubted?", **vote(untimed_eval1_answerability=3), writer_label=1),
                asked("Bare?", validation=[], speed_validation=[], writer_label=None),
            )
        ],
    )
    intake = Intake()
    (item,) = quality.read(intake, np.random.default_rng(0), p24_filter=True)
    assert item.record.asked.question == "Good?"
    assert intake.dropped == {
        "P24's criterion untimed_all_right": 1,
        "P24's criterion answerable": 1,
        "P24's criterion writer_agrees": 1,
    }
    assert item.filters[:6] == tuple(f"P24's criterion {name}" for name in quality_p24.CRITERIA)


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_files(capsys: pytest.CaptureFixture[str]) -> None:
    train, held_out = (load_task("quality", split, 10**6) for split in ("train", "heldout"))
    for one in ("id", "article"):
        assert not {getattr(q, one) for q in train} & {getattr(q, one) for q in held_out}
    assert len(train) > len(held_out) > 20
    for question in train + held_out:
        assert "&amp;" not in f"{question.question}{question.answers}{question.article}"
        assert question.article
        assert len(question.article.split()) > 1000
    short = load_task("quality", "heldout", 8, max_article_words=300)
    assert {len(str(question.article).split()) for question in short} == {300}
    counts = quality.filter_counts()
    assert counts["questions"] >= counts["writer_agrees"] > counts["all"] > 0
    intake = Intake()
    items = quality.read(intake, np.random.default_rng(0))
    assert len(items) == len(train) + len(held_out)
    assert intake.read == len(items) + intake.duplicates + intake.dropped.total()
    assert not intake.broken
    with capsys.disabled():
        print(f"\nQuALITY: {len(train)} train, {len(held_out)} held out; kept by each: {counts}")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_sample_of_85_articles() -> None:
    intake = Intake()
    items = quality.read(intake, np.random.default_rng(0))
    if intake.read != 670:
        pytest.skip("counts are those of 15 annotated and 75 joined lines")
    assert intake.duplicates == 0
    assert intake.dropped == {"more than five questions a story": 301}
    assert len(items) == 369
    assert len({item.group for item in items}) == 85
    annotated = [item.record.raw for item in read_questions(Intake(), joined=False)]
    untimed = [len(raw["validation"]) for raw in annotated]
    assert (len(annotated), untimed.count(3), untimed.count(5)) == (116, 77, 39)
    assert {len(raw["speed_validation"]) for raw in annotated} == {5}
    everything = [item.record.raw for item in read_questions(Intake())]
    assert sum(raw.get("best_distractor_label") is not None for raw in everything) == 232
    strict = Intake()
    assert len(quality.read(strict, np.random.default_rng(0), joined=False, p24_filter=True)) == 29
    assert strict.dropped == {
        "P24's criterion untimed_all_right": 29,
        "P24's criterion timed_under_half_right": 33,
        "P24's criterion answerable": 8,
        "P24's criterion needs_context": 15,
        "P24's criterion writer_agrees": 2,
    }
