"""What a program's run says about a GSM8K answer.

The number that a program prints is its last line that is not blank: digits with or without a sign,
thousands commas, decimals, an exponent or a leading dollar, or a fraction a/b as SymPy prints it.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum

from debate_gym.envs.sandbox import Exit
from debate_gym.envs.tasks.program_runs import Ran

TOLERANCE = 1e-6
DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
NUMBER = re.compile(rf"([+-]?)\$?((?:{DIGITS}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
FRACTION = re.compile(r"([+-]?\d+)/(\d+)", re.ASCII)
GOLD = re.compile(rf"^#### *([+-]?{DIGITS}(?:\.\d+)?) *\Z", re.MULTILINE | re.ASCII)
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|oo|zoo)", re.IGNORECASE)


class Label(StrEnum):
    """`RIGHT` prints the gold number, `WRONG` another one; the others print none, each in its way.

    `CRASH` is an exit code other than 0 or a signal, whatever was printed before. `FLOOD` is more
    output than the sandbox takes.
    """

    RIGHT = "right"
    WRONG = "wrong"
    NOTHING = "nothing"
    NO_NUMBER = "no number"
    NOT_FINITE = "not finite"
    TIMEOUT = "timeout"
    FLOOD = "flood"
    CRASH = "crash"


ENDS = {
    Exit.ERROR: Label.CRASH,
    Exit.SIGNAL: Label.CRASH,
    Exit.TIMEOUT: Label.TIMEOUT,
    Exit.DEADLINE: Label.TIMEOUT,
    Exit.FLOOD: Label.FLOOD,
}


def label(ran: Ran, gold: float) -> Label:
    """Compares what was printed with the gold number, within a millionth of the gold number (of
    one where that is less): binary fractions miss an integer by less, other answers by more."""
    if ran.exit in ENDS:
        return ENDS[ran.exit]
    if not ran.printed:
        return Label.NOTHING
    printed = number(ran.printed)
    if printed is None:
        return Label.NO_NUMBER
    if not math.isfinite(printed):
        return Label.NOT_FINITE
    near = abs(printed - gold) <= TOLERANCE * max(1.0, abs(gold))
    return Label.RIGHT if near else Label.WRONG


def number(text: str) -> float | None:
    """The number that a line is; NaN for one that is not finite, infinity for one beyond floats,
    None for a line that is no number."""
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    if NOT_FINITE.fullmatch(text):
        return math.nan
    if match := NUMBER.fullmatch(text):
        return float(match[1] + match[2].replace(",", ""))
    if (match := FRACTION.fullmatch(text)) and int(match[2]):
        return int(match[1]) / int(match[2])
    return None


def gold_number(answer: str) -> float | None:
    """The number after the last line's `####`; None if the answer does not end like that."""
    match = GOLD.search(answer.rstrip())
    return number(match[1]) if match else None
