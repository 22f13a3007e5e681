from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from debate_gym.envs.nouns import CHOICE_ROUND, Episode, Question, SeatRecord, Turn, Verdict
from debate_gym.envs.verdict import make_verdict
from debate_gym.eval.compare import Comparison, compare
from debate_gym.eval.compare_table import lines
from debate_gym.eval.report.rows import Row

COST = {"generations": 2, "prompt_tokens": 10, "completion_tokens": 4}
NUMBERS = itertools.count()


def row(
    question: str,
    p: float | None,
    *,
    condition: str = "c",
    answers: tuple[str, str] = ("yes", "no"),
    correct: int = 0,
    seats: dict[str, SeatRecord] | None = None,
    turns: Sequence[Turn] = (),
    cost: dict[str, int] = COST,
    task: str = "boolq",
    judge: str = "j",
) -> Row:
    """An episode and its verdict; `p` is of the correct answer."""
    asked = Question(question, task, "?", answers, correct)
    shares = None if p is None else ((p, 1 - p) if correct == 0 else (1 - p, p))
    verdict: Verdict = make_verdict(judge, None, shares, asked)
    episode = Episode(
        f"{next(NUMBERS)}",
        asked,
        "debate",
        condition,
        seats or {},
        tuple(turns),
        (verdict,),
        0,
        "",
    )
    return Row(episode, verdict, True, cost)


def only(a: Sequence[Row], b: Sequence[Row], **more: Any) -> Comparison:
    (found,), _ = compare(a, b, **more)
    return found


def test_accuracy_is_compared_on_shared_questions() -> None:
    a = [row("q1", 0.9), row("q2", 0.9), row("q3", 0.1), row("only a", 0.9)]
    b = [row("q1", 0.1), row("q2", 0.9), row("q3", 0.9), row("q4", 0.9), row("q5", 0.1)]
    found = only(a, b)
    assert (found.a.value, found.b.value) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (found.paired.difference.value, found.paired.difference.n) == (0, 3)
    assert (found.unpaired_a, found.unpaired_b) == (1, 2)
    shown = found.to_json()
    assert (shown["only_a_right"], shown["only_b_right"], shown["partly_right"]) == (1, 1, 0)


def test_the_difference_is_second_minus_first_and_the_test_exact() -> None:
    questions = [f"q{i}" for i in range(5)]
    found = only([row(q, 0.1) for q in questions], [row(q, 0.9) for q in questions])
    assert found.paired.difference.value == 1
    # Of 32 sign patterns two are as extreme; McNemar: 2 (1/2)^5.
    shown = found.to_json()
    assert shown["permutation_p"] == pytest.approx(2 / 32)
    assert shown["mcnemar_p"] == pytest.approx(2 / 32)
    assert (shown["only_a_right"], shown["only_b_right"]) == (0, 5)


def test_outcomes_before_and_after_add_up() -> None:
    a = [row("q1", 0.9), row("q2", 0.9), row("q3", 0.5), row("q4", None)]
    b = [row("q1", 0.9), row("q2", 0.2), row("q3", None), row("q4", 0.9)]
    found = only(a, b)
    assert found.outcomes_a == {
        "correct": 2,
        "incorrect": 0,
        "tie": 1,
        "unreadable": 1,
        "failed": 0,
    }
    assert found.changes["correct"]["incorrect"] == 1
    assert found.changes["tie"]["unreadable"] == 1
    assert found.changes["unreadable"]["correct"] == 1
    assert sum(sum(after.values()) for after in found.changes.values()) == 4
    for before, after in found.changes.items():
        assert sum(after.values()) == found.outcomes_a[before]
    # Only q1 and q2 have an accuracy in both.
    assert found.paired.difference.n == 2


def test_a_run_compared_with_itself_does_not_differ() -> None:
    a = [row("q1", 0.9), row("q2", 0.1), row("q3", 0.5)]
    found = only(a, a)
    assert found.paired.difference.value == 0
    assert found.paired.p == 1
    assert not [
        1 for old in found.changes for new, n in found.changes[old].items() if n and new != old
    ]


def test_relabelled_answers_are_the_same_question_and_others_are_not() -> None:
    a = [row("q1", 0.9), row("q2", 0.9)]
    b = [
        row("q1", 0.9, answers=("no", "yes"), correct=1),
        row("q2", 0.9, answers=("yes", "perhaps")),
    ]
    assert only(a, b).paired.difference.n == 1


def test_episodes_are_paired_by_who_argued_what() -> None:
    def consultant(answer: int) -> dict[str, SeatRecord]:
        return {"consultant_0": SeatRecord("m", "1", answer)}

    a = [row("q", 0.9, seats=consultant(0)), row("q", 0.2, seats=consultant(1))]
    b = [row("q", 0.3, seats=consultant(1)), row("q", 0.9, seats=consultant(0))]
    found = only(a, b)
    assert found.changes["correct"]["correct"] == 1
    assert found.changes["incorrect"]["incorrect"] == 1
    # Relabelled, answer 1 is what answer 0 was.
    turned = [row("q", 0.9, answers=("no", "yes"), correct=1, seats=consultant(1))]
    assert only(a, turned).changes["correct"]["correct"] == 1


def test_a_side_that_was_chosen_may_differ() -> None:
    def chosen(answer: int, p: float) -> Row:
        turn = Turn("consultant_0", CHOICE_ROUND, "", f"Answer: {answer + 1}")
        return row("q", p, seats={"consultant_0": SeatRecord("m", "1", answer)}, turns=[turn])

    found = only([chosen(0, 0.9)], [chosen(1, 0.2)])
    assert found.changes["correct"]["incorrect"] == 1


def test_costs_are_means_of_paired_episodes() -> None:
    dear = {"generations": 6, "prompt_tokens": 10, "completion_tokens": 4}
    found = only([row("q1", 0.9)], [row("q1", 0.9, cost=dear), row("q2", 0.9)])
    assert (found.cost_a["generations"], found.cost_b["generations"]) == (2, 6)


def seat(model: str) -> dict[str, SeatRecord]:
    return {"debater_0": SeatRecord(model, "1", 0), "debater_1": SeatRecord(model, "1", 1)}


def test_conditions_that_name_their_player_are_matched_by_kind() -> None:
    a = [row("q", 0.9, condition="x@1:self-play", seats=seat("x"))]
    b = [row("q", 0.2, condition="y@1:self-play", seats=seat("y"))]
    found = only(a, b)
    assert (found.condition_a, found.condition_b) == ("x@1:self-play", "y@1:self-play")
    assert found.changes["correct"]["incorrect"] == 1


def test_of_several_players_none_is_guessed() -> None:
    a = [row("q", 0.9, condition="x@1:self-play", seats=seat("x"))]
    b = [row("q", 0.2, condition=f"{n}@1:self-play", seats=seat(n)) for n in ("y", "z")]
    found, notes = compare(a, b)
    assert not found
    assert len(notes) == 2
    assert "'y@1:self-play', 'z@1:self-play'" in notes[1]
    named = only(a, b, condition_a="x@1:self-play", condition_b="z@1:self-play")
    assert named.condition_b == "z@1:self-play"


def test_equal_conditions_go_before_equal_kinds() -> None:
    a = [row("q", 0.9, condition="x@1:self-play", seats=seat("x"))]
    b = [row("q", 0.2, condition=f"{n}@1:self-play", seats=seat(n)) for n in ("x", "y")]
    found, notes = compare(a, b)
    assert [one.condition_b for one in found] == ["x@1:self-play"]
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"condition_a": "c"}, "both runs, or of none"),
        ({"condition_a": "c", "condition_b": "d"}, r"run B has no condition 'd': it has \['c'\]"),
    ],
)
def test_conditions_must_be_there(names: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare([row("q", 0.9)], [row("q", 0.9)], **names)


def test_all_tasks_together_come_last() -> None:
    a = [row("q", 0.9), row("q", 0.9, task="mmlu")]
    b = [row("q", 0.1), row("q", 0.9, task="mmlu")]
    found, _ = compare(a, b)
    assert [one.task for one in found] == ["boolq", "mmlu", "all tasks"]
    assert (found[2].paired.difference.value, found[2].paired.difference.n) == (-0.5, 2)


def test_judges_are_told_apart() -> None:
    found, notes = compare([row("q", 0.9)], [row("q", 0.1, judge="k")])
    assert not found
    assert len(notes) == 2


def test_nothing_in_common_is_undefined_and_not_zero() -> None:
    found = only([row("q1", 0.9)], [row("q2", 0.9)])
    shown = found.to_json()
    assert shown["difference"] == {"value": None, "low": None, "high": None}
    assert shown["permutation_p"] is None
    assert (shown["questions"], shown["unpaired_a"], shown["unpaired_b"]) == (0, 1, 1)


def test_the_lines_say_what_changed_and_how_to_read_many_tests() -> None:
    a = [row("q", 0.9), row("q", 0.9, task="mmlu")]
    b = [row("q", 0.1), row("q", 0.9, task="mmlu")]
    text = "\n".join(lines(*compare(a, b)))
    assert "boolq · debate · judge j · c\n" in text
    assert "difference   -1.000" in text
    assert "changed      correct to incorrect 1\n" in text
    assert "changed      none" in text
    assert "after Holm's correction" in text
