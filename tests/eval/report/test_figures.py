"""The figures as a whole: what they need, and the numbers that they show, worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from debate_gym.eval.report import figure
from debate_gym.eval.report.accuracy import by_judge, by_task, open_roles
from debate_gym.eval.report.calibration import coverage, reliability
from debate_gym.eval.report.figure import Figure
from debate_gym.eval.report.players import elo, win_rate
from debate_gym.eval.report.rows import Row

Make = Callable[..., dict[str, Any]]
Judged = Callable[..., list[Row]]
ALONE = {"consultant_0": ("m@1", 0)}
WRONG = {"consultant_0": ("m@1", 1)}


def values(drawn: Figure, panel: int = 0) -> list[str]:
    found = re.findall(r'"value">([\d.]+)</tspan> n=(\d+)', drawn.panels[panel].svg)
    return [f"{value} {n}" for value, n in found]


def tips(drawn: Figure, panel: int = 0) -> list[str]:
    return re.findall("<title>(.*?)</title>", drawn.panels[panel].svg)


def test_accuracy_by_kind_protocol_and_judge(judged: Judged, record: Make) -> None:
    both = {"j": [0.9], "k": [0.2]}
    drawn = by_judge(
        judged(
            record("a", both),
            record("b", both, question="r", protocol="consultancy", seats=ALONE),
            record("c", both, question="s", task="quality"),
            record("d", both, question="t", task="mmlu"),
        )
    )
    assert [panel.title for panel in drawn.panels] == ["closed: mmlu", "extractive: boolq, quality"]
    assert drawn.legend == ["j", "k"]
    # Consultancy comes before debate: one question each judge, then two.
    assert values(drawn, 1) == ["1.000 1", "0.000 1", "1.000 2", "0.000 2"]


def test_a_lone_speaker_is_split_by_its_side(judged: Judged, record: Make) -> None:
    alone = {"protocol": "consultancy"}
    drawn = by_task(
        judged(
            record("a", 0.9, seats=ALONE, **alone),
            record("b", 0.2, seats=WRONG, **alone),
            record("c", 0.9, question="r", seats=WRONG, **alone),
        )
    )
    # Question q has 1 and 0, question r has 1: 3/4. The correct side won once, the wrong one lost
    # on r only.
    assert values(drawn) == ["0.750 2", "1.000 1", "0.500 2"]


def test_open_roles(judged: Judged, record: Make, turn: Make) -> None:
    def chosen(id: str, side: int, p: float) -> dict[str, Any]:
        choice = [turn("consultant_0", f"Answer: {side + 1}", -1)]
        seats = {"consultant_0": ("m@1", side)}
        return record(id, p, question=id, seats=seats, turns=choice, protocol="open-consultancy")

    drawn = open_roles(
        judged(chosen("a", 0, 0.9), chosen("b", 0, 0.1), chosen("c", 1, 0.1), chosen("d", 1, 0.2))
    )
    # It wins a, c and d. Right on a and b: the judge is right once. Wrong on c and d: never.
    assert values(drawn) == ["0.750 4", "0.500 4", "0.500 2", "0.000 2"]


def test_an_unfilled_choice_is_left_out(judged: Judged, record: Make, turn: Make) -> None:
    failed = record(
        "a", None, seats={}, turns=[turn("consultant_0", "?", -1)], protocol="open-consultancy"
    )
    failed["seats"] = {"consultant_0": {"model": "m", "revision": "1", "answer": None}}
    assert not open_roles(judged(failed)).panels


def test_calibration_by_hand(judged: Judged, record: Make) -> None:
    rows = judged(record("a", 0.9), record("b", 0.1, question="r"), record("c", 0.6, question="s"))
    # Confidence 0.9, 0.9 (wrong) and 0.6: Brier (0.01 + 0.81 + 0.16) / 3, and the bins' gaps are
    # 0.4 twice on 0.9 and 0.4 once on 0.6.
    drawn = reliability(rows)
    assert tips(drawn) == [
        "debate · Brier 0.327, ECE 0.400, 3 verdicts",
        "debate · Brier 0.327, ECE 0.400, 3 verdicts: 0.600, 1.000",
        "debate · Brier 0.327, ECE 0.400, 3 verdicts: 0.900, 0.500",
    ]
    assert "<td>0.327<td>[" in drawn.table


def test_coverage_by_hand(judged: Judged, record: Make) -> None:
    rows = judged(record("a", 0.9), record("b", 0.1, question="r"), record("c", 0.6, question="s"))
    # The two that are sure come together: half of them right at 2/3, two of three at 1.
    (path,) = re.findall(r'class="curve s0" d="M(.*?)"', coverage(rows).panels[0].svg)
    spots = [(46 + x * 302, 236 - y * 224) for x, y in ((2 / 3, 1 / 2), (1, 2 / 3))]
    assert path == "L".join(f"{x:.1f},{y:.1f}" for x, y in spots)


def test_calibration_needs_stated_probabilities(judged: Judged, record: Make) -> None:
    words = record("a", 1.0)
    words["verdicts"][0]["p"] = None
    rows = judged(words, record("b", None))
    assert not reliability(rows).panels
    assert not coverage(rows).panels
    assert "stated probabilities" in reliability(rows).missing


def test_win_rate_against_accuracy(judged: Judged, record: Make) -> None:
    def game(id: str, first: str, second: str, p: float) -> dict[str, Any]:
        return record(id, p, seats={"debater_0": (first, 0), "debater_1": (second, 1)})

    # a meets b, whom a run calls its reference, in both assignments and wins both times.
    drawn = win_rate(
        judged(
            game("1", "a@", "b@-reference", 0.9),
            game("2", "b@-reference", "a@", 0.1),
            game("3", "a@", "a@", 0.9),
            game("4", "b@", "b@", 0.3),
        )
    )
    assert drawn.legend == ["a", "b"]
    told = [tip for tip in tips(drawn) if tip.startswith(("a:", "b:"))]
    assert told == [
        "a: win rate 1.000, n = 1, accuracy 1.000, n = 1",
        "b: win rate 0.000, n = 1, accuracy 0.000, n = 1",
    ]


def test_one_assignment_is_no_win_rate(judged: Judged, record: Make) -> None:
    met = {"debater_0": ("a@", 0), "debater_1": ("b@", 1)}
    rows = judged(
        record("1", seats=met),
        *(record(n, seats={"debater_0": (n, 0), "debater_1": (n, 1)}) for n in ("a@", "b@")),
    )
    assert not win_rate(rows).panels


def test_elo_against_accuracy(judged: Judged, record: Make) -> None:
    def game(number: int, first: str, second: str, p: float) -> dict[str, Any]:
        seats = {"debater_0": (first, 0), "debater_1": (second, 1)}
        return record(f"{first}{second}{number}", p, question=f"q{number}", seats=seats)

    games = []
    for number in range(4):
        games += [game(number, "a@", "b@", 0.9 if number else 0.1), game(number, "b@", "a@", 0.2)]
        games += [game(number, "a@", "a@", 0.9), game(number, "b@", "b@", 0.4)]
    drawn = elo(judged(*games))
    told = {tip.split(":")[0]: tip for tip in tips(drawn)}
    # a wins 7 of 8 games: 400 log10(7) = 338 between the two, and the mean is 0.
    rating = int(re.search(r"Elo (-?\d+)", told["a"])[1])  # type: ignore[index]
    assert 160 <= rating <= 170
    assert "accuracy 1.000" in told["a"]
    assert "accuracy 0.000" in told["b"]


@pytest.mark.parametrize("draw", [open_roles, win_rate, elo])
def test_a_figure_without_rows_says_what_it_needs(
    draw: Callable[..., Figure], judged: Judged, record: Make
) -> None:
    drawn = draw(judged(record("a")))
    assert not drawn.panels
    assert drawn.missing in figure.html(drawn).replace("&#x27;", "'")


def test_panels_beyond_the_first_six_are_folded(judged: Judged, record: Make) -> None:
    records = [record(f"{i}", task=f"task-{i}") for i in range(8)]
    html = figure.html(by_task(judged(*records)))
    assert html.count("<figure>") == 8
    assert "<summary>2 more panels</summary>" in html
