from __future__ import annotations

import math

import pytest

from debate_gym.envs.sandbox import Exit
from debate_gym.envs.tasks.gsm8k_labels import Label, gold_number, label, number
from debate_gym.envs.tasks.program_runs import Ran


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8000", 8000),
        ("8,000", 8000),
        ("8000.0", 8000),
        ("1,234,567.5", 1234567.5),
        ("-7", -7),
        ("\N{MINUS SIGN}7", -7),
        ("+7", 7),
        ("$18.00", 18),
        ("-$3", -3),
        (" 18 ", 18),
        (".5", 0.5),
        ("18.", 18),
        ("1e3", 1000),
        ("2.5E-1", 0.25),
        ("3/2", 1.5),
        ("-840/13", -840 / 13),
        ("1e999", math.inf),
        ("8,00", None),
        ("8,0000", None),
        ("18 dollars", None),
        ("x = 18", None),
        ("True", None),
        ("[18]", None),
        ("(160, 300)", None),
        ("1_000", None),
        ("0x12", None),
        ("1/0", None),
        ("١٨", None),
        ("", None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "Infinity", "oo", "-oo", "zoo"])
def test_what_is_not_finite(text: str) -> None:
    assert math.isnan(number(text) or 0)
    assert label(Ran(Exit.OK, text), 18) is Label.NOT_FINITE


@pytest.mark.parametrize(
    ("printed", "gold", "expected"),
    [
        ("18", 18, Label.RIGHT),
        ("18.0", 18, Label.RIGHT),
        ("8,000", 8000, Label.RIGHT),
        ("-5", -5, Label.RIGHT),
        ("5", -5, Label.WRONG),
        ("5.000000000000002", 5, Label.RIGHT),
        ("53.99999999999999", 54, Label.RIGHT),
        ("13.166666666666668", 13, Label.WRONG),
        ("0.0000001", 0, Label.RIGHT),
        ("0.001", 0, Label.WRONG),
        ("385000.1", 385000, Label.RIGHT),
        ("385001", 385000, Label.WRONG),
        ("1e999", 18, Label.NOT_FINITE),
        ("eighteen", 18, Label.NO_NUMBER),
        ("", 18, Label.NOTHING),
    ],
)
def test_labels_of_what_is_printed(printed: str, gold: float, expected: Label) -> None:
    assert label(Ran(Exit.OK, printed), gold) is expected


@pytest.mark.parametrize(
    ("exit", "expected"),
    [
        (Exit.ERROR, Label.CRASH),
        (Exit.SIGNAL, Label.CRASH),
        (Exit.TIMEOUT, Label.TIMEOUT),
        (Exit.DEADLINE, Label.TIMEOUT),
        (Exit.FLOOD, Label.FLOOD),
    ],
)
def test_a_program_that_fails_is_never_right(exit: Exit, expected: Label) -> None:
    assert label(Ran(exit, "18"), 18) is expected


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("She has 9 <<16-7=9>>9.\n#### 18", 18),
        ("So:\n#### 1,080", 1080),
        ("So:\n#### -3\n", -3),
        ("####2.5", 2.5),
        ("#### 18\nand more", None),
        ("A: 18", None),
        ("#### eighteen", None),
    ],
)
def test_the_gold_number(answer: str, gold: float | None) -> None:
    assert gold_number(answer) == gold
