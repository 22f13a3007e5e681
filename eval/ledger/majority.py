"""Majorities of a round, and what ties count for.

Unparsed answers are dropped. Options that share the most answers are tied; a round in which no
answer was parsed has no majority (L26, Transition accounting).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from debate_gym.eval.ledger.panels import Bools, Codes, Panels

NO_MAJORITY = -1
Masks = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint8]


class Ties(StrEnum):
    """What a tie counts for.

    `ALPHABETICAL`: the first of the tied letters is taken. `UNDECIDED`: no letter, which is wrong.
    `EXPECTED`: one of k tied options is drawn, so the vote is right with chance 1/k if the correct
    option is among them; draws of different rounds are independent.
    """

    ALPHABETICAL = "alphabetical"
    UNDECIDED = "undecided"
    EXPECTED = "expected"


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Majorities of n debates' rounds.

    Attributes:
        top: (n, rounds); bit o is set where option o has the most answers.
        tied: (n, rounds), how many bits those are; 0 without a majority, 1 without a tie.
        share: (n, rounds), answers of one top option; 0 without a majority.
        parsed: (n, rounds), parsed answers.
    """

    top: Masks
    tied: Counts
    share: Counts
    parsed: Counts


def count_votes(answers: Codes) -> Votes:
    """Counts answers (n, rounds, seats) of at most 255 seats."""
    shape = answers.shape[:2]
    seats = [np.ascontiguousarray(answers[:, :, seat]) for seat in range(answers.shape[2])]
    top: Masks = np.zeros(shape, np.uint32)
    tied: Counts = np.zeros(shape, np.uint8)
    most, parsed = tied.copy(), tied.copy()
    for option in range(int(answers.max(initial=-1)) + 1):
        count: Counts = np.zeros(shape, np.uint8)
        for seat in seats:
            count += seat == option
        more, equal = count > most, (count == most) & (count > 0)
        bit = np.uint32(1 << option)
        top = np.where(more, bit, np.where(equal, top | bit, top))
        tied = np.where(more, np.uint8(1), tied + equal.astype(np.uint8))
        most = np.maximum(most, count)
        parsed += count
    return Votes(top, tied, most, parsed)


def right(panels: Panels, votes: Votes, ties: Ties) -> Codes:
    """How right each majority is, (n, rounds): k for right with chance 1/k (so 1 for surely
    right), 0 for wrong, `NO_MAJORITY` where there is none."""
    gold = np.uint32(1) << panels.gold.astype(np.uint32)[:, None]
    if ties is Ties.ALPHABETICAL:
        found = (first_letter(votes.top) == gold).astype(np.int8)
    else:
        found = np.where(votes.top & gold, votes.tied, np.uint8(0)).astype(np.int8)
        if ties is Ties.UNDECIDED:
            found[found > 1] = 0
    found[votes.tied == 0] = NO_MAJORITY
    return np.asarray(found, np.int8)


def changed(votes: Votes, before: int, after: int, ties: Ties) -> Bools:
    """Where the majority of one round differs from that of another, (n,).

    A tie is its first letter (alphabetical), equal to any other tie (undecided), or the set of its
    letters (expected). Nothing is known to have changed where one of them has no majority.
    """
    chosen = [_chosen(votes, round, ties) for round in (before, after)]
    known = (votes.tied[:, before] > 0) & (votes.tied[:, after] > 0)
    differs: Bools = known & (chosen[0] != chosen[1])
    return differs


def first_letter(top: Masks) -> Masks:
    """The lowest bit of each mask."""
    lowest: Masks = top & (~top + np.uint32(1))
    return lowest


def _chosen(votes: Votes, round: int, ties: Ties) -> Masks:
    top = votes.top[:, round]
    if ties is Ties.ALPHABETICAL:
        return first_letter(top)
    if ties is Ties.EXPECTED:
        return top
    return np.where(votes.tied[:, round] == 1, top, np.uint32(0))
