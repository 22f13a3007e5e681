"""Answers that speak about other options of their question.

"All of the above" or "Both A and C" mean nothing in a pair of two (P24 appendix D.1). Letters A to
D count as options where they are all that an answer consists of, or stand in brackets, or follow
"both", "either" or "neither": "A and B only", but not "events A and B are independent".
"""

from __future__ import annotations

import re

RULE = "an answer about other options"
_SOME = r"(?:all|none|both|neither|either|any|one|two|three|some|each)"
_OPTIONS = r"(?:options|answers|choices)"
_AND = r"(?:,? and|,? or| nor|,| &)"
_RIGHT = r"(?:(?: \w+)? (?:is|are)(?: all)?(?: (?:correct|right|true|false|wrong))?)?"
PATTERN = re.compile(
    rf"\b{_SOME}(?: of)? (?:the )?(?:above|below)\b|\bof (?:the )?(?:above|below)\b"
    rf"|\b{_SOME}(?: of (?:the|these|those)| the) {_OPTIONS}\b"
    rf"|\A\W*{_SOME} {_OPTIONS}{_RIGHT}\W*\Z"
    r"|\b(?:above|previous|preceding) (?:answer|option|choice)s?\b"
    r"|\b(?:answer|option|choice)s? (?:above|\(?(?-i:[A-D])\b)"
    rf"|\A\W*{_SOME} of (?:these|those|them|the others?){_RIGHT}\W*\Z"
    r"|\A\W*(?:all|none|both|neither) (?:is|are) (?:correct|right|true)\W*\Z"
    rf"|\b(?:both|n?either|nether) \(?[a-d]\)?\.?{_AND}\.? ?\(?[a-d]\)?(?!\w)"
    rf"|\((?-i:[A-D])\){_AND}? ?\((?-i:[A-D])\)"
    rf"|\A\s*\(?(?-i:[A-D])\)?(?:{_AND} ?\(?(?-i:[A-D])\)?)+"
    rf"(?: (?:only|both|together|alone))?{_RIGHT}[\s.]*\Z",
    re.IGNORECASE,
)


def speaks_of_options(answer: str) -> bool:
    """Whether an answer refers to other options, by their place or by their letters (A to D)."""
    return PATTERN.search(answer) is not None
