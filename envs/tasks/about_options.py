"""Answers that speak about other options of their question.

"All of the above" or "Both A and C" mean nothing in a pair of two (P24 appendix D.1).
"""

from __future__ import annotations

import re

RULE = "an answer about other options"
PATTERN = re.compile(
    r"\b(?:all|none|both|neither|either|any|two)(?: of)? the (?:above|options|answers|choices)\b"
    r"|\b(?:above|previous|preceding) (?:answer|option|choice)s?\b"
    r"|\b(?:answer|option|choice)s? (?:above|(?-i:[A-D]))\b"
    r"|\A\W*(?:all|none|both|neither|either|any) of (?:these|those|them|the others?)"
    r"(?:(?: \w+)? (?:is|are))?(?: all)?(?: (?:correct|right|true))?\W*\Z"
    r"|\A\W*(?:all|none|both|neither) (?:is|are) (?:correct|right|true)\W*\Z"
    r"|\b(?:both|neither) \(?[a-d]\)?(?: and| or| nor|,| &) ?\(?[a-d]\)?(?!\w)"
    r"|(?<!\w)(?-i:[A-D])\)?(?: and| or| nor|,| &) ?\(?(?-i:[A-D])(?!\w)",
    re.IGNORECASE,
)


def speaks_of_options(answer: str) -> bool:
    """Whether an answer refers to other options, by their place or by their letters (A to D)."""
    return PATTERN.search(answer) is not None
