from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

from debate_gym.eval.report import tables
from debate_gym.eval.report.rows import Played, Row

Make = Callable[..., dict[str, Any]]


class Cells(HTMLParser):
    """The texts of a table's cells, line by line."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.lines.append([])
        if tag in ("td", "th"):
            self.lines[-1].append("")

    def handle_data(self, data: str) -> None:
        self.lines[-1][-1] += data


def lines(html: str) -> list[dict[str, str]]:
    head, *body = Cells(html).lines
    return [dict(zip(head, line, strict=True)) for line in body]


def test_the_outcomes_of_a_group_add_up_to_n(
    judged: Callable[..., list[Row]], record: Make
) -> None:
    failed = record("f", question="v", error="broke")
    failed["verdicts"][0] |= {"p": None, "choice": None, "outcome": "failed", "order": None}
    (found,) = lines(
        tables.outcomes(
            judged(
                record("a", 0.9),
                record("b", 0.8, question="r"),
                record("c", 0.2, question="s"),
                record("d", 0.5, question="t"),
                record("e", None, question="u"),
                failed,
            )
        )
    )
    outcomes = ("correct", "incorrect", "tie", "unreadable", "failed")
    assert [found[name] for name in outcomes] == ["2", "1", "1", "1", "1"]
    # (1 + 1 + 0 + 1/2) / 4; standard deviation 0.479, so 1.96 * 0.479 / 2 = 0.469 to each side.
    assert (found["N"], found["accuracy"], found["questions"]) == ("6", "0.625", "6")
    assert found["95 % interval"] == "[0.156, 1.000]"


def test_groups_are_told_apart_and_link_to_their_transcripts(
    judged: Callable[..., list[Row]], record: Make
) -> None:
    html = tables.outcomes(
        judged(
            record("a", {"j": [0.9], "k": [0.9]}, condition="x & <y>"),
            record("b", protocol="consultancy"),
        )
    )
    assert [(one["protocol"], one["condition"], one["judge"]) for one in lines(html)] == [
        ("consultancy", "", "j"),
        ("debate", "x & <y>", "j"),
        ("debate", "x & <y>", "k"),
    ]
    links = re.findall('href="#(.*?)"', html)
    assert links[0] == "task=boolq&amp;protocol=consultancy&amp;condition=%28none%29&amp;judge=j"
    assert links[2] == "task=boolq&amp;protocol=debate&amp;condition=x+%26+%3Cy%3E&amp;judge=k"


def test_undefined_numbers_are_dashes(judged: Callable[..., list[Row]], record: Make) -> None:
    (found,) = lines(tables.outcomes(judged(record("a", None))))
    assert (found["accuracy"], found["95 % interval"], found["words a turn"]) == ("–", "–", "–")


def test_costs_are_means_of_an_episode(played: Callable[..., list[Played]], record: Make) -> None:
    dear = {"generations": 4, "prompt_tokens": 41, "completion_tokens": 10}
    (found,) = lines(tables.costs(played(record("a"), record("b", cost=dear))))
    assert (found["N"], found["generations"], found["prompt tokens"]) == ("2", "3.0", "30.5")
