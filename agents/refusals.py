"""Refinements that must not reach the judge: those that talk about the critique, and refusals.

Both rules read the prose of an argument as others would see it; passages are the article's words.
"""

from __future__ import annotations

import re

from debate_gym.agents.candidates import prose

MENTION = re.compile(r"\b(?:critiqu\w*|feedback)\b", re.IGNORECASE)
CANNOT = r"(?:can'?t|can ?not|won'?t|will not|must decline to|(?:am|'m) (?:not able|unable) to)"
TASK = (
    r"(?:help|assist|comply|continue|participate|write|rewrite|refine|revise|argue|defend|support"
    r"|provide|fulfil+|do (?:this|that|so)|in good (?:conscience|faith))"
)
REFUSAL = re.compile(
    rf"(?:(?:(?:i'?m|i am) )?(?:very |so )?sorry\b|(?:my )?apologies\b|i apologi[sz]e\b"
    rf"|as an? (?:ai|(?:large )?language model|assistant)\b"
    rf"|(?:unfortunately,? )?i ?{CANNOT} (?:\w+ )?{TASK}\b)",
    re.IGNORECASE,
)


def mentions_critique(argument: str) -> bool:
    """Whether an argument speaks of a critique or of feedback (P24 appendix D.3 rejects the word
    "critique" wherever it stands)."""
    return MENTION.search(prose(argument)) is not None


def refuses(argument: str) -> bool:
    """Whether an argument declines to argue: it is empty, or begins by an apology, by calling
    itself a model, or by saying that it cannot or will not do the task."""
    text = " ".join(prose(argument).replace("’", "'").split()).lstrip("\"'*#->. ")
    return not argument.strip() or REFUSAL.match(text) is not None
