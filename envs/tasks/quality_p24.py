"""P24's choice of QuALITY questions (appendix D.1): which of its criteria a question meets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from debate_gym.envs.names import unknown

CRITERIA = (
    "untimed_all_right",
    "timed_under_half_right",
    "answerable",
    "needs_context",
    "writer_agrees",
    "gutenberg",
)


def p24_criteria(raw: Mapping[str, Any], source: str) -> dict[str, bool]:
    """Which of `CRITERIA` (P24 appendix D.1) an upstream question meets.

    Those that ask annotators are false where there are none.
    """
    untimed: Sequence[Mapping[str, Any]] = raw.get("validation") or ()
    timed: Sequence[Mapping[str, Any]] = raw.get("speed_validation") or ()
    gold = raw["gold_label"]
    right = [vote["speed_answer"] == gold for vote in timed]
    context = [vote["untimed_eval2_context"] for vote in untimed]
    answerable = [vote["untimed_eval1_answerability"] == 1 for vote in untimed]
    return {
        "untimed_all_right": bool(untimed) and all(v["untimed_answer"] == gold for v in untimed),
        "timed_under_half_right": bool(right) and 2 * sum(right) < len(right),
        "answerable": bool(untimed) and all(answerable),
        "needs_context": bool(context) and 2 * sum(context) >= 3 * len(context),
        "writer_agrees": raw.get("writer_label") == gold,
        "gutenberg": source == "Gutenberg",
    }


def chosen_criteria(chosen: bool | Collection[str]) -> tuple[str, ...]:
    """The criteria that a value of `p24_filter` asks for: all, none, or the named.

    Raises:
        ValueError: on an unknown name.
    """
    if isinstance(chosen, bool):
        return CRITERIA if chosen else ()
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    for name in names:
        if name not in CRITERIA:
            raise ValueError(unknown("criterion", name, CRITERIA))
    return names
