"""The ledger: what became of panels between their initial and their final majority.

| initial | final | cell |
|---|---|---|
| right | right | preserved |
| right | wrong | collapsed |
| wrong | right | corrected |
| wrong | wrong | unrepaired |

A debate whose initial or final round has no majority is undefined. It is in no cell and in neither
accuracy, so that (corrected - collapsed) / (n - undefined) is final minus initial accuracy (L26,
Transition accounting). Where ties count by expectation a debate is spread over the cells, and all
numbers stay exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from debate_gym.eval.ledger.majority import NO_MAJORITY, Ties, Votes, count_votes, right
from debate_gym.eval.ledger.onset import onset_rounds
from debate_gym.eval.ledger.panels import Bools, Codes, Floats, Panels

CELLS = ("preserved", "collapsed", "corrected", "unrepaired")
Number = int | float | None


class Undefined(StrEnum):
    """What a round without a majority is: kept `APART`, or `WRONG`."""

    APART = "apart"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Rules:
    """How votes are read."""

    ties: Ties = Ties.ALPHABETICAL
    undefined: Undefined = Undefined.APART


@dataclass(frozen=True, slots=True)
class Ledger:
    """The account of n debates; the four cells and `undefined` add up to n.

    Attributes:
        ties_broken: initial and final votes (2n in all) that were tied, whatever the rules make
            of a tie.
        onset: round -> collapses whose majority was wrong there for the first time; adds up to
            `collapsed`.
    """

    n: int
    preserved: Fraction
    collapsed: Fraction
    corrected: Fraction
    unrepaired: Fraction
    undefined: int
    ties_broken: int
    onset: dict[int, Fraction]

    @property
    def initial_accuracy(self) -> Fraction | None:
        """Share of right initial majorities among defined debates; None if there are none."""
        return _ratio(self.preserved + self.collapsed, self.n - self.undefined)

    @property
    def final_accuracy(self) -> Fraction | None:
        """Share of right final majorities among defined debates; None if there are none."""
        return _ratio(self.preserved + self.corrected, self.n - self.undefined)

    @property
    def conditional_collapse(self) -> Fraction | None:
        """Collapsed of the initially right; None if there are none."""
        return _ratio(self.collapsed, self.preserved + self.collapsed)

    @property
    def conditional_correction(self) -> Fraction | None:
        """Corrected of the initially wrong; None if there are none."""
        return _ratio(self.corrected, self.corrected + self.unrepaired)

    @property
    def net(self) -> Fraction:
        """Corrected minus collapsed."""
        return self.corrected - self.collapsed

    def to_json(self) -> dict[str, object]:
        """The object that `debate-gym ledger --json` prints."""
        return {
            "n": self.n,
            **{cell: number(getattr(self, cell)) for cell in CELLS},
            "undefined": self.undefined,
            "initial_accuracy": number(self.initial_accuracy),
            "final_accuracy": number(self.final_accuracy),
            "conditional_collapse": number(self.conditional_collapse),
            "conditional_correction": number(self.conditional_correction),
            "net": number(self.net),
            "ties_broken": self.ties_broken,
            "onset": {str(round): number(share) for round, share in self.onset.items()},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Debates with their votes counted and scored, so that each account of them is cheap.

    Attributes:
        right: (n, rounds), see `debate_gym.eval.ledger.majority.right`.
    """

    panels: Panels
    votes: Votes
    right: Codes
    rules: Rules

    def __len__(self) -> int:
        return len(self.panels)

    @property
    def initial(self) -> Codes:
        """(n,), of round 0."""
        return self.right[:, 0]

    @property
    def final(self) -> Codes:
        """(n,), of each debate's last round."""
        return self.right[np.arange(len(self)), self.panels.last]

    @property
    def defined(self) -> Bools:
        """(n,), where a debate has an initial and a final majority."""
        return np.asarray((self.initial != NO_MAJORITY) & (self.final != NO_MAJORITY))

    def cells(self) -> Floats:
        """Each debate's share of `CELLS`, (n, 4); rows add up to 1, undefined ones to 0."""
        first, last = _chance(self.initial), _chance(self.final)
        shares = (first * last, first * (1 - last), (1 - first) * last, (1 - first) * (1 - last))
        return np.stack(shares, axis=1) * self.defined[:, None]

    def take(self, rows: Bools) -> Scored:
        """Some of the debates."""
        votes = Votes(*(getattr(self.votes, name)[rows] for name in Votes.__slots__))
        return Scored(self.panels.take(rows), votes, self.right[rows], self.rules)


def score(panels: Panels, rules: Rules) -> Scored:
    """Counts and scores the votes of every round."""
    votes = count_votes(panels.answers)
    found = right(panels, votes, rules.ties)
    if rules.undefined is Undefined.WRONG:
        played = np.arange(found.shape[1]) <= panels.last[:, None]
        found[played & (found == NO_MAJORITY)] = 0
    return Scored(panels, votes, found, rules)


def ledger(scored: Scored) -> Ledger:
    """The account of all debates."""
    cells = dict.fromkeys(CELLS, Fraction(0))
    undefined = 0
    pairs = np.stack([scored.initial, scored.final], axis=1)
    for (first, last), count in _tally(pairs):
        if NO_MAJORITY in (first, last):
            undefined += count
            continue
        p, q = chance(first), chance(last)
        shares = (p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q))
        for cell, share in zip(CELLS, shares, strict=True):
            cells[cell] += count * share
    return Ledger(
        len(scored),
        **cells,
        undefined=undefined,
        ties_broken=_ties(scored),
        onset=onset_rounds(scored.right[scored.defined], int(scored.panels.last.max(initial=0))),
    )


def chance(right: int) -> Fraction:
    """The chance of a majority that is right with 1 in `right`; 0 of a wrong one."""
    return Fraction(1, right) if right else Fraction(0)


def number(value: Fraction | None) -> Number:
    """A fraction as a JSON number: an integer where it is whole."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)


def _chance(right: Codes) -> Floats:
    return np.where(right > 0, 1 / np.maximum(right, 1), 0.0)


def _tally(pairs: Codes) -> list[tuple[tuple[int, int], int]]:
    wide = int(pairs.max(initial=0)) + 2
    keys = (pairs[:, 0].astype(np.int64) + 1) * wide + pairs[:, 1] + 1
    counts = enumerate(np.bincount(keys).tolist())
    return [((key // wide - 1, key % wide - 1), count) for key, count in counts if count]


def _ties(scored: Scored) -> int:
    tied = scored.votes.tied > 1
    rows = np.arange(len(scored))
    return int(tied[:, 0].sum() + tied[rows, scored.panels.last].sum())


def _ratio(part: Fraction, whole: Fraction | int) -> Fraction | None:
    return part / whole if whole else None
