"""Onset: the round in which a collapse begins.

For a debate that starts right and ends wrong it is the first round whose majority is wrong, also
where a later round repairs it for a while (L26, Trajectory localization). A round without a
majority is passed over.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from debate_gym.eval.ledger.majority import NO_MAJORITY
from debate_gym.eval.ledger.panels import Codes


def onset_rounds(right: Codes, last: int) -> dict[int, Fraction]:
    """How many collapses begin in each round from 1 to `last`.

    Args:
        right: (n, rounds) as of `debate_gym.eval.ledger.majority.right`, of debates with an
            initial and a final majority; `NO_MAJORITY` after a debate's last round.

    Returns:
        Exact counts: a debate whose ties count by expectation is spread over the rounds in which
        it may collapse first.
    """
    onsets = dict.fromkeys(range(1, last + 1), Fraction(0))
    sure = (right <= 1).all(axis=1)
    wrong = right[sure & (right[:, 0] == 1)] == 0
    ended = right[sure & (right[:, 0] == 1)]
    collapsed = wrong[np.arange(len(ended)), _last(ended)]
    for round, count in enumerate(np.bincount(wrong[collapsed].argmax(axis=1))):
        if count:
            onsets[round] += int(count)
    rows, counts = np.unique(right[~sure & (right[:, 0] > 0)], axis=0, return_counts=True)
    for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
        for round, share in _spread(row):
            onsets[round] += count * share
    return onsets


def _last(right: Codes) -> Codes:
    """Index of each row's last majority, (n,)."""
    place: Codes = right.shape[1] - 1 - (right[:, ::-1] != NO_MAJORITY).argmax(axis=1)
    return place


def _spread(row: list[int]) -> list[tuple[int, Fraction]]:
    """(round, chance that the debate collapses and is wrong there first)."""
    known = [(round, value) for round, value in enumerate(row) if value != NO_MAJORITY]
    wrong = [(round, 1 - (Fraction(1, k) if k else Fraction(0))) for round, k in known]
    still_right, ends_wrong = 1 - wrong[0][1], wrong[-1][1]
    spread = []
    for round, chance in wrong[1:]:
        final = 1 if round == wrong[-1][0] else ends_wrong
        spread.append((round, still_right * chance * final))
        still_right *= 1 - chance
    return spread
