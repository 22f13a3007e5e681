"""Reads the probability that a judge states in text, strictly: it is never guessed.

What counts as a declaration is said in `envs/declarations.py`. The names asked for are
"probability", "probability of answer 1", "probability that answer 1 is correct" (or true, or
right), "P(1)" and "P(answer 1)", where "1" is the first label; the same of the second label is
read as a check. The scale is 0 to 100.

- "70", "70%", "70.5 percent", "70/100" and "70 out of 100" are 0.7 (0.705).
- "70/30": what adds up to 100 is the share of the first and of the second answer, so 0.7. Any
  other fraction over anything but 100 is unreadable.
- Unreadable: out of range, negative, a comma in the number, a range ("60-70"), "about 70", a
  second number behind it, and a number above 0 and up to 1 without a percent sign, as nobody can
  tell whether 0.7 means 70 % (and 1 the label, one percent or certainty).
- Several: as for a verdict. A probability of the second answer must be the complement; alone it
  is unreadable, because it is not what was asked for.
- A reply that is a number (or "70/30") and nothing else is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from debate_gym.envs.declarations import (
    ALONE,
    GLOSS,
    OPENERS,
    Declaration,
    Value,
    declarations,
    settle,
)
from debate_gym.envs.own_text import own_lines
from debate_gym.envs.reading import LABELS, fold_labels

NUMBER = r"\d{1,3}(?:\.\d+)?(?![.,]?\d)"
STATED = re.compile(
    rf"{OPENERS}(?P<first>{NUMBER})(?P<percent> ?(?:%|percent\b|per cent\b))?"
    rf"(?: ?(?:/|out of) ?(?P<second>{NUMBER}) ?%?)?(?!\w)",
    re.IGNORECASE,
)
DIGITS = 9


def read_probability(text: str, labels: Sequence[str] = LABELS) -> float | None:
    """Reads the stated probability of the first answer. The module's docstring is the contract.

    Args:
        text: the reply as the judge wrote it, reasoning included.
        labels: what the judge was told to call the first and the second answer as shown.

    Returns:
        From 0 to 1; None if it cannot be read.

    Raises:
        ValueError: if there are not two labels that differ in letters or digits.
    """
    lines = own_lines(text, "probability")
    first, second = (_name(label) for label in fold_labels(labels))
    said = declarations(lines, rf"(?:{first}|{second}|probability)")
    if not said:
        bare = _read(" ".join(lines))
        return bare.value if bare.alone else None
    of_second = [re.fullmatch(second, one.name, re.IGNORECASE) is not None for one in said]
    if all(of_second):
        return None
    read = [_of_first(one, other) for one, other in zip(said, of_second, strict=True)]
    return settle(read)[0]


def _name(label: str) -> str:
    answer = rf"(?:(?:answer|option) )?{re.escape(label)}"
    being = r"(?: (?:is|being) (?:correct|true|right|the answer))?"
    return rf"(?:probability (?:of|for|that) {answer}{being}|p ?\( ?{answer} ?\))"


def _of_first(said: Declaration, of_second: bool) -> tuple[Declaration, Value[float]]:
    value = _read(said.text)
    if of_second and value.value is not None:
        value = replace(value, value=round(1 - value.value, DIGITS))
    return said, value


def _read(text: str) -> Value[float]:
    match = STATED.match(text)
    if not match:
        return Value(None)
    share, rest = _share(match), text[match.end() :]
    if share is not None and ALONE.fullmatch(rest):
        return Value(share, alone=True)
    gloss = GLOSS.fullmatch(rest)
    return Value(share if gloss and not re.search(r"\d", gloss["gloss"]) else None)


def _share(match: re.Match[str]) -> float | None:
    first = float(match["first"])
    if match["second"] is not None:
        second = float(match["second"])
        if second != 100 and abs(first + second - 100) > 1e-9:
            return None
    elif match["percent"] is None and 0 < first <= 1:
        return None
    return round(first / 100, DIGITS) if first <= 100 else None
