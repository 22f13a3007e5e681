"""What each seat sees of a transcript.

The transcript of a game holds every speech as it was checked. A reader gets its own copy: without
the others' thinking, without what the protocol keeps from it, and without the choice that opened
the game. A speaker sees its own speeches as the others do.
"""

from __future__ import annotations

import re
from dataclasses import replace

from debate_gym.envs.nouns import (
    CHOICE_ROUND,
    JUDGE_0,
    Passage,
    PassageStatus,
    Transcript,
    Turn,
)
from debate_gym.envs.passages import neutralise
from debate_gym.envs.protocol import Protocol

PASSAGE = re.compile(r"<([uv])_passage>(.*?)</\1_passage>", re.DOTALL)
LEFT_OUT = "[...]"


def visible(turns: Transcript, reader: str, protocol: Protocol) -> Transcript:
    """The turns that a seat may see, as it may see them.

    A judge's questions are shown whole in every protocol.
    """
    return tuple(
        _as_shown(turn if turn.seat == reader else replace(turn, thinking=""), protocol)
        for turn in turns
        if turn.round != CHOICE_ROUND
        and not (protocol.blind and reader not in (turn.seat, JUDGE_0))
    )


def _as_shown(turn: Turn, protocol: Protocol) -> Turn:
    if turn.seat == JUDGE_0:
        return turn
    if protocol.shown == "passages":
        return _evidence(turn)
    if protocol.shown == "prose":
        return _prose(turn)
    return turn if protocol.verify else _unmarked(turn)


def _evidence(turn: Turn) -> Turn:
    """The verified passages, one a line."""
    lines = [match[0] for match in PASSAGE.finditer(turn.argument) if match[1] == "v"]
    passages = tuple(passage for passage in turn.passages if passage.verified)
    return replace(turn, argument="\n".join(lines), passages=passages, untagged=0)


# Halves of a tag may meet where a passage stood between them, so both neutralise again.
def _prose(turn: Turn) -> Turn:
    """The speech with a mark in place of each passage."""
    return replace(turn, argument=neutralise(PASSAGE.sub(LEFT_OUT, turn.argument)), passages=())


def _unmarked(turn: Turn) -> Turn:
    """The speech with its passages as plain quotations, whose status nobody is told."""
    argument = neutralise(PASSAGE.sub(lambda match: f'"{match[2]}"', turn.argument))
    passages = tuple(Passage(passage.text, PassageStatus.MISSING) for passage in turn.passages)
    return replace(turn, argument=argument, passages=passages)
