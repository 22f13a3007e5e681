from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from debate_gym.envs.nouns import Episode, Outcome
from debate_gym.envs.tasks import load_task
from debate_gym.eval.checkpoint import SELF, VERSUS, Evaluation

Evaluate = Callable[..., Evaluation]


def test_a_debate_is_played_alone_and_in_both_assignments(evaluate: Evaluate) -> None:
    evaluation = evaluate("best", n=3)
    assert (len(evaluation.of(SELF)), len(evaluation.of(VERSUS))) == (3, 6)
    assert {record.model for e in evaluation.of(SELF) for record in e.seats.values()} == {
        "scripted:best"
    }
    seats = [[record.model for record in e.seats.values()] for e in evaluation.of(VERSUS)]
    assert seats == [["scripted:best", "scripted:random"], ["scripted:random", "scripted:best"]] * 3


def test_a_consultant_argues_both_sides_of_every_question(evaluate: Evaluate) -> None:
    evaluation = evaluate("best", protocol="consultancy", n=3)
    sides = [record.answer for e in evaluation.episodes for record in e.seats.values()]
    assert sides == [0, 1] * 3
    assert {e.question.id for e in evaluation.of(SELF)} == {
        e.question.id for e in evaluation.episodes
    }


def test_a_consultant_that_chooses_is_played_once_a_question(evaluate: Evaluate) -> None:
    evaluation = evaluate("best", protocol="open-consultancy", n=3)
    assert [e.seats["consultant_0"].answer for e in evaluation.episodes] == [
        e.question.correct for e in evaluation.episodes
    ]
    assert len(evaluation.episodes) == 3


@pytest.mark.parametrize("protocol", ["open-debate", "interactive-debate", "open-consultancy"])
def test_choices_and_questions_are_no_speeches(evaluate: Evaluate, protocol: str) -> None:
    """Random players quote one sentence in every speech of theirs."""
    assert evaluate("random", protocol=protocol, n=3).metrics()["eval/verified_share"] == 1.0


def test_a_judge_alone_is_asked_once(evaluate: Evaluate) -> None:
    evaluation = evaluate("best", protocol="direct-qa", n=3)
    assert len(evaluation.episodes) == 3
    assert evaluation.metrics()["eval/judge_accuracy"] == 0.5
    assert "eval/verified_share" not in evaluation.metrics()


@pytest.mark.parametrize("protocol", ["debate", "consultancy"])
@pytest.mark.parametrize(("judge", "expected"), [("gold", 1.0), ("mirrored", 0.0), ("first", 0.5)])
def test_judges_that_ignore_the_transcript(
    evaluate: Evaluate, protocol: str, judge: str, expected: float
) -> None:
    figures = evaluate("random", protocol=protocol, judge=judge).metrics()
    assert figures["eval/judge_accuracy"] == expected
    assert figures["eval/order_dependent_share"] == float(judge == "first")
    if protocol == "debate":
        assert figures["eval/win_rate_vs_start"] == 0.5
    else:
        assert figures["eval/win_rate_wrong_side"] == 1 - expected
        assert figures["eval/win_rate_correct_side"] == expected


def test_best_play_helps_the_judge_in_debate(evaluate: Evaluate) -> None:
    best, random = evaluate("best", n=100).metrics(), evaluate("random", n=100).metrics()
    assert best["eval/judge_accuracy_low"] > random["eval/judge_accuracy_high"]
    assert best["eval/win_rate_vs_start_low"] > 0.5


def test_best_play_of_a_consultant_by_hand(evaluate: Evaluate) -> None:
    """It wins wherever its side has any evidence, and ties where it has none, which happens to
    wrong sides only."""
    questions = load_task("evidence", "heldout", 100, 0)
    bare = sum(q.meta["totals"][1 - q.correct] == 0 for q in questions) / len(questions)
    assert 0 < bare < 0.5
    figures = evaluate("best", protocol="consultancy", n=100).metrics()
    assert figures["eval/win_rate_correct_side"] == 1
    assert figures["eval/win_rate_wrong_side"] == pytest.approx(1 - bare / 2)
    assert figures["eval/judge_accuracy"] == pytest.approx(0.5 + bare / 4)


@pytest.mark.parametrize("protocol", ["debate", "consultancy"])
def test_metrics_are_finite_and_outcomes_add_up(evaluate: Evaluate, protocol: str) -> None:
    evaluation = evaluate("forger", protocol=protocol)
    figures = evaluation.metrics()
    assert all(math.isfinite(value) for value in figures.values())
    outcomes = sum(figures[f"eval/outcome/{outcome}"] for outcome in Outcome)
    assert outcomes == len(evaluation.of(SELF))
    assert figures["eval/verified_share"] == 0


def test_the_same_call_plays_the_same_episodes(evaluate: Evaluate) -> None:
    assert evaluate("random", slots=2) == evaluate("random", slots=64)


def test_what_is_done_is_not_played_again(evaluate: Evaluate) -> None:
    whole = evaluate("random")
    played: list[Episode] = []
    resumed = evaluate("random", done=whole.episodes[:10], keep=played.append)
    assert resumed == whole
    assert [e.id for e in played] == [e.id for e in whole.episodes[10:]]
