"""Reads the option letter that a panelist's text settles on.

Four rules, in this order; the first one that finds a letter decides, and inside a rule the last
occurrence does (L26, Transition accounting):

1. `final-marker`: an explicit marker, as in "Final answer: B" or "\\boxed{B}";
2. `answer-wording`: answer or choose wording, as in "the answer is (B)" or "I choose B";
3. `lone-letter`: a line that holds nothing but a letter;
4. `last-letter`: the last letter of an option in the text.

Only letters of options that the question has are read. "A" and "I" are words as well: followed by
a word, they count as letters only where English would not allow the word ("A because", but not
"A matter"), and a lower-case letter is never read by the last rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from string import ascii_uppercase


class AnswerRule(StrEnum):
    """The rules, in the order in which they are tried."""

    FINAL_MARKER = "final-marker"
    ANSWER_WORDING = "answer-wording"
    LONE_LETTER = "lone-letter"
    LAST_LETTER = "last-letter"


@dataclass(frozen=True, slots=True)
class Reading:
    """A letter and the rule that found it; both None where no rule did."""

    letter: str | None
    rule: AnswerRule | None


UNREAD = Reading(None, None)
ALL_RULES = tuple(AnswerRule)
STRICT_RULES = ALL_RULES[:-1]

# Runs are bounded, so that no text takes more than linear time.
_OPEN = r"[\s*_`\"'“‘(\[{$]{0,8}"
_LEAD = (
    rf"{_OPEN}(?:the\s{{1,4}})?(?:(?:option|choice|letter)\b\s{{0,4}}:?\s{{0,4}})?"
    rf"(?:\\(?:text|mathrm|textbf)\s{{0,4}}\{{)?{_OPEN}"
)
_SAYS = (
    r"[\s*_`\"'”’)\]}]{0,8}"
    r"(?:[:=]|\s(?:is|would\s{1,4}be|must\s{1,4}be|should\s{1,4}be)\b\s{0,4}:?)"
)
_CHOOSES = (
    r"\b(?:choose|chose|choosing|pick|picked|select|selected|go\s{1,4}with|going\s{1,4}with|"
    r"opt\s{1,4}for|vote\s{1,4}for|settle\s{1,4}on)\b\s{0,4}:?"
)
_NEGATED = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bcannot)\s{1,4}(?:\w{1,12}\s{1,4})?$", re.IGNORECASE
)

# An article or a pronoun is not followed by these, so a letter is.
_AFTER_A = (
    "is|was|seems|looks|would|could|should|must|has|does|because|since|as|for|and|or|but|due|given|"
    "that|which|with|based|by|from|in|on|at|to|if|when|while|although|so|rather|instead|not|than|"
    "over|it|this|these|there|they|we|he|she|the|are|were"
)
_AFTER_I = "is|because|since|seems|looks|rather|instead|than|over|are|it|this|the|which|that"


def read_option(text: str, options: int, rules: tuple[AnswerRule, ...] = ALL_RULES) -> Reading:
    """The letter that a text settles on.

    Args:
        text: public; private thinking is to be stripped before.
        options: how many options the question has, 2 to 26.
        rules: which to try, in order; without `LAST_LETTER` for a strict reading.

    Raises:
        ValueError: on a number of options out of range.
    """
    if not 2 <= options <= 26:
        raise ValueError(f"a question has 2 to 26 options, got {options}")
    for rule in rules:
        letters = list(_found(text, options, rule))
        if letters:
            return Reading(letters[-1].upper(), rule)
    return UNREAD


def _found(text: str, options: int, rule: AnswerRule) -> Iterator[str]:
    """The letters that a rule finds, in order."""
    pattern = _patterns(options)[rule]
    for match in pattern.finditer(text):
        if rule is AnswerRule.ANSWER_WORDING and _NEGATED.search(
            text[max(0, match.start() - 40) : match.start()]
        ):
            continue
        yield match["letter"]


@cache
def _patterns(options: int) -> dict[AnswerRule, re.Pattern[str]]:
    upper = ascii_uppercase[:options]
    named = rf"(?-i:(?P<letter>{_token(upper)}|{_token(upper.lower())}))"
    one = rf"{named}(?!\s{{0,4}}(?:/|&|\bor\b|\band\b)\s{{0,4}}[(\[*]{{0,4}}(?-i:[{upper}])\b)"
    marker = rf"\bfinal\s{{1,4}}(?:answer|choice|decision){_SAYS}"
    final = rf"(?:{marker}|\bfinal\s{{1,4}}answer\b\W{{0,8}}|\\boxed\s{{0,4}}\{{)"
    worded = rf"(?:\b(?:answer|choice|option|response|vote){_SAYS}|{_CHOOSES})"
    closed = r"[\s*_`\"'”’)\]}$.:,!]{0,8}"
    return {
        AnswerRule.FINAL_MARKER: re.compile(final + _LEAD + one, re.IGNORECASE),
        AnswerRule.ANSWER_WORDING: re.compile(worded + _LEAD + one, re.IGNORECASE),
        AnswerRule.LONE_LETTER: re.compile(
            rf"^{_OPEN}(?P<letter>[{upper}{upper.lower()}]){closed}$", re.MULTILINE
        ),
        AnswerRule.LAST_LETTER: re.compile(_anywhere(upper)),
    }


def _anywhere(letters: str) -> str:
    """A letter in prose. "I" ends sentences too, so it has to stand in brackets there."""
    bare = _token(letters.replace("I", ""))
    bracketed = r"(?<=[(\[])I(?=[)\]])|I(?=\))" if "I" in letters else r"(?!)"
    return rf"(?<![\w'’.-])(?P<letter>{bare}|{bracketed})(?!['’.-]?\w)"


def _token(letters: str) -> str:
    """One of some letters that stands for an option and is no word of its own."""
    plain = "".join(letter for letter in letters if letter.upper() not in "AI")
    words = [("A", _AFTER_A), ("I", _AFTER_I)]
    tokens = [rf"[{plain}](?!['’]?\w)"] if plain else []
    for word, after in words:
        letter = word if word in letters else word.lower()
        if letter not in letters:
            continue
        # A lower-case article may well stand before one of those words; it is never read there.
        allowed = rf"\b(?:{after})\b" if letter == word else r"(?!)"
        comma = ",?" if word == "I" else ""
        tokens.append(rf"{letter}(?!['’]?\w)(?!{comma}[ \t]+(?!{allowed})[^\W\d_])")
    return "(?:" + "|".join(tokens) + ")"
