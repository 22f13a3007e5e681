r"""Reads the verdict of a judge that writes text, strictly: it is never guessed.

What counts as a declaration is said in `envs/declarations.py`; the name asked for is "answer". So
these are read as the first answer: "Answer: 1", "answer: <1>", "**Answer:** (1)", "Final answer:
1.", "Answer: option 1", "The answer is 1", `\boxed{1}`, `{"answer": 1}`, `<answer>1</answer>`,
"Answer: 1 because she quotes the source", and a reply that is "1" or "Answer 1" and nothing else.

The contract of `read_verdict`, `choice` being None in all but the first four:

- `DECLARED`: all that is declared is one label. `MENTIONED`: nothing is, and all that is mentioned
  is one label. `FINAL`: declarations differ, and the last one is final and alone on its line, and
  no other final one differs. `BARE`: the reply is a label. (A mention with "final" counts beside
  declarations, other mentions do not.)
- `OTHER`: "Answer: 12", "Answer: None of the above", "Answer: 1.5", "Answer: 1 is wrong".
- `SEVERAL`: "Answer: 1 or 2", "Answer: 1 (not 2)": the other label stands in the same value, on
  its own and in the case of the label. This is so even if the text would tell which is meant.
- `CONTRADICTION`: "Answer: 1" and "Answer: 2", a readable and an unreadable one, JSON twice.
- `NONE`: a refusal, prose, "Debater A is right", a quoted or reported answer beside such.
- `EMPTY`, `HIDDEN`: no words, or none but reasoning and quotations.

A speech that a judge copies with neither marks nor tags looks like its own words, so a prompt
should ask it to quote in them. A reply that was cut off can be read like any other: "Answer: 1"
may have been on the way to 12. A caller that knows the finish reason should not read such a reply.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from debate_gym.envs.declarations import (
    ALONE,
    GLOSS,
    OPENERS,
    Value,
    Why,
    declarations,
    nothing_said,
    settle,
)
from debate_gym.envs.own_text import fold_line, own_lines

Choice = Literal[0, 1]
LABELS = ("1", "2")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a judge's reply says.

    Attributes:
        choice: index of the label; None if it cannot be read, which makes the verdict unreadable.
        why: how it was read or why it was not; the words are an interface for tables.
    """

    choice: Choice | None
    why: Why


def read_verdict(text: str, labels: Sequence[str] = LABELS) -> Reading:
    """Reads which of two answers a judge declares. The module's docstring is the contract.

    Args:
        text: the reply as the judge wrote it, reasoning included.
        labels: what the judge was told to call the first and the second answer as shown; in any
            case. Nothing else is a label: "A" or a debater's name is one only if it stands here.

    Raises:
        ValueError: if there are not two labels that differ in letters or digits.
    """
    pattern = _label_pattern(labels)
    lines = own_lines(text, "answer")
    if nothing := nothing_said(text, lines):
        return Reading(None, nothing)
    said = declarations(lines, "answer")
    if not said:
        bare = _read_label(" ".join(lines), pattern)
        return Reading(bare.value, Why.BARE) if bare.alone else Reading(None, Why.NONE)
    return Reading(*settle([(one, _read_label(one.text, pattern)) for one in said]))


def fold_labels(labels: Sequence[str]) -> tuple[str, str]:
    """The two labels as they stand in a folded line.

    Raises:
        ValueError: if there are not two that differ in letters or digits.
    """
    folded = [fold_line(label) for label in labels]
    wanted = {label.casefold() for label in folded if any(c.isalnum() for c in label)}
    if len(folded) != 2 or len(wanted) != 2:
        raise ValueError(f"expected two labels that differ in letters or digits, got {labels!r}")
    return folded[0], folded[1]


@dataclass(frozen=True, slots=True)
class _Labels:
    """What finds the labels in a folded line.

    Attributes:
        value: one of them as a value, in any case; group `label_0` or `label_1`.
        tokens: each of them anywhere, on its own and in its case.
    """

    value: re.Pattern[str]
    tokens: tuple[re.Pattern[str], re.Pattern[str]]


def _label_pattern(labels: Sequence[str]) -> _Labels:
    names = {f"label_{index}": re.escape(label) for index, label in enumerate(fold_labels(labels))}
    # The longer one first, as one may begin like the other.
    by_length = sorted(names.items(), key=lambda named: len(named[1]), reverse=True)
    either = "|".join(f"(?P<{name}>{label})" for name, label in by_length)
    # A decimal, a range or a longer word is another value.
    value = rf"{OPENERS}(?:(?:answer|option) )?(?:{either})(?![.,:/^'’-]?\w)"
    first, second = (re.compile(rf"(?<!\w){label}(?!\w)") for label in names.values())
    return _Labels(re.compile(value, re.IGNORECASE), (first, second))


def _read_label(text: str, labels: _Labels) -> Value[Choice]:
    match = labels.value.match(text)
    if not match:
        return Value(None)
    choice: Choice = 0 if match["label_0"] is not None else 1
    rest = text[match.end() :]
    if labels.tokens[1 - choice].search(rest):
        return Value(None, why=Why.SEVERAL)
    if ALONE.fullmatch(rest):
        return Value(choice, alone=True)
    return Value(choice) if GLOSS.fullmatch(rest) else Value(None)
