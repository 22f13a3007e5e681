from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from rich.console import Console

from debate_gym.eval.checkpoint import Evaluation
from debate_gym.eval.table import comparison_table, gap_closed, verdict_line

Evaluate = Callable[..., Evaluation]
NAMES = ("random quoting", "best play", "before", "after")


@pytest.fixture
def columns(evaluate: Evaluate) -> dict[str, Evaluation]:
    scripts = ("random", "best", "random", "best")
    return {name: evaluate(script) for name, script in zip(NAMES, scripts, strict=True)}


def printed(columns: dict[str, Evaluation], width: int) -> list[str]:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(comparison_table(columns, "debate on evidence"))
    return capture.get().splitlines()


def row(lines: list[str], label: str) -> list[str]:
    (line,) = [line for line in lines if line.strip().startswith(label)]
    return line.strip().removeprefix(label).split()


def test_four_columns_in_a_hundred_characters(columns: dict[str, Evaluation]) -> None:
    lines = printed(columns, 100)
    assert max(map(len, lines)) <= 100
    assert all(name in lines[1] for name in NAMES)
    expected = [f"{e.estimates()['judge_accuracy'].value:.3f} n=8" for e in columns.values()]
    assert row(lines, "judge accuracy") == " ".join(expected).split()
    low = columns["after"].estimates()["judge_accuracy"].low
    assert any(f"[{low:.3f}, " in line for line in lines)


def test_outcomes_add_up_to_the_episodes_shown(columns: dict[str, Evaluation]) -> None:
    lines = printed(columns, 100)
    outcomes = ("correct", "incorrect", "tie", "unreadable", "failed")
    counts = [[int(cell) for cell in row(lines, outcome)] for outcome in outcomes]
    assert [sum(column) for column in zip(*counts, strict=True)] == [8] * 4
    assert row(lines, "episodes") == ["8"] * 4


def test_a_consultancy_shows_its_sides(evaluate: Evaluate) -> None:
    lines = printed({"after": evaluate("best", protocol="consultancy")}, 80)
    assert row(lines, "consultant wins, wrong side")
    assert not any("against the start" in line for line in lines)


def test_one_question_has_no_interval(evaluate: Evaluate) -> None:
    lines = printed({"after": evaluate("best", n=1)}, 80)
    assert row(lines, "judge accuracy")[1] == "n=1"
    assert sum(line.strip() == "[-]" for line in lines) == 4


def test_names_are_shown_as_they_are(evaluate: Evaluate) -> None:
    assert "runs/[x]" in printed({"runs/[x]": evaluate("best", n=2)}, 80)[1]


def test_gap_by_hand() -> None:
    assert gap_closed(0.6, 1.0, 0.7) == pytest.approx(0.25)
    assert gap_closed(0.6, 1.0, 0.6) == 0
    assert math.isnan(gap_closed(0.6, 0.6, 0.7))


def test_the_sentence_on_the_gap(columns: dict[str, Evaluation]) -> None:
    line = verdict_line(columns, NAMES)
    assert "stood at 0% of the gap before training and stands at 100% after it" in line
