from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from debate_gym.eval.metrics import Estimate
from debate_gym.eval.report.charts import (
    LEFT,
    RIGHT,
    Curve,
    Group,
    Mark,
    Point,
    curves,
    intervals,
    scatter,
)

HALF = Estimate(0.5, 0.25, 0.75, 4)
UNDEFINED = Estimate(math.nan, math.nan, math.nan, 0)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in parsed(svg).iter("text")]


def test_a_bar_is_as_long_as_its_share() -> None:
    svg = parsed(intervals("t", [Group("g", [Mark(0, "a", HALF)])], bars=True))
    (bar,) = svg.iter("rect")
    assert float(bar.attrib["width"]) == pytest.approx((RIGHT - LEFT) / 2)
    whisker = next(n for n in svg.iter("path") if "whisker" in n.attrib["class"])
    low, high = LEFT + 0.25 * (RIGHT - LEFT), LEFT + 0.75 * (RIGHT - LEFT)
    assert whisker.attrib["d"].startswith(f"M{low:.1f},")
    assert whisker.attrib["d"].endswith(f"H{high:.1f}")


def test_value_n_and_tooltip_stand_beside_a_mark() -> None:
    svg = intervals("t", [Group("debate", [Mark(0, "judge a", HALF)], "heading")])
    assert {"heading", "debate", "0.500 n=4"} <= set(texts(svg))
    tips = [node.text for node in parsed(svg).iter("title")]
    assert tips == ["judge a: 0.500 [0.250, 0.750], n = 4"]


def test_what_is_undefined_is_said_and_not_drawn() -> None:
    svg = intervals("t", [Group("g", [Mark(0, "a", UNDEFINED)])])
    assert "no such verdict" in texts(svg)
    assert "shape" not in svg


def test_one_question_has_no_interval() -> None:
    svg = intervals("t", [Group("g", [Mark(0, "a", Estimate(1.0, math.nan, math.nan, 1))])])
    assert "whisker" not in svg
    assert "1.000 n=1" in texts(svg)


def test_names_cannot_break_the_picture() -> None:
    evil = '<script>alert(1)</script> & "quoted"'
    svg = intervals(evil, [Group(evil, [Mark(0, evil, HALF)], evil)])
    assert evil in texts(svg)
    assert parsed(svg).attrib["aria-label"] == evil
    point = Point(0, evil, HALF, HALF)
    for other in (
        curves(evil, [Curve(0, evil, [(0.5, 0.5)])], evil, evil),
        scatter(evil, [point], evil, evil, unit=True),
    ):
        assert not list(parsed(other).iter("script"))


def test_a_curve_goes_through_its_points() -> None:
    line = Curve(1, "c", [(0.5, 0.0), (1.0, 1.0)], dots=False)
    svg = parsed(curves("t", [line], "x", "y", xs=(0.5, 1)))
    (path,) = [n for n in svg.iter("path") if n.attrib["class"] == "curve s1"]
    assert path.attrib["d"] == "M46.0,236.0L348.0,12.0"


def test_a_lone_point_of_a_curve_is_seen() -> None:
    assert "shape" in curves("t", [Curve(0, "c", [(1.0, 0.5)], dots=False)], "x", "y")


def test_the_range_of_ratings_is_round_and_holds_them() -> None:
    points = [Point(i, "p", Estimate(x, x - 5, x + 5, 9), HALF) for i, x in enumerate((-10, 310))]
    # 15 % of 320 is less than the least room of 50: from -60 to 360, in steps of 50.
    shown = [text for text in texts(scatter("t", points, "Elo", "y", unit=False)) if text != "y"]
    assert shown[0:9:2] == ["-100", "50", "200", "350", "500"]
