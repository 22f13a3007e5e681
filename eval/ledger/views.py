"""What may be read of a debate while it runs: no gold label, and no round that is yet to come."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from debate_gym.eval.ledger.majority import changed
from debate_gym.eval.ledger.panels import UNPARSED, Bools, Codes, Floats
from debate_gym.eval.ledger.transitions import Scored

ProbeColumns = Mapping[str, Floats]


class LeakError(ValueError):
    """Something that decides while a debate runs reads what is not known by then."""


class View:
    """n debates, as far as they are known.

    Args:
        probes: name -> (n,), NaN for debates whose question was not probed with their model.
        after: index of the last round that has been played; None once all is over.
        gold: whether the correct options may be read.
    """

    def __init__(
        self,
        scored: Scored,
        probes: ProbeColumns | None = None,
        *,
        after: int | None = None,
        gold: bool = False,
    ) -> None:
        self._scored = scored
        self._probes = probes
        self._after = after
        self._gold = gold

    def __len__(self) -> int:
        return len(self._scored)

    def probe(self, name: str) -> Floats:
        """A probe figure, (n,).

        Raises:
            ValueError: if no probes were given, or none of that name.
        """
        if self._probes is None or name not in self._probes:
            raise ValueError(f"the probe figure {name!r} is needed; give a file of probes")
        return self._probes[name]

    def answers(self, round: int) -> Codes:
        """(n, seats); all unparsed where a debate has no such round.

        Raises:
            LeakError: on a round that is yet to come; so do all that take a round.
        """
        self._check(round)
        answers = self._scored.panels.answers
        if round < answers.shape[1]:
            return answers[:, round]
        return np.full((len(self), answers.shape[2]), UNPARSED, np.int8)

    def flips(self, round: int) -> Floats:
        """Seats that answer otherwise than in the round before, (n,); an unparsed answer is no
        change."""
        before, after = self.answers(round - 1), self.answers(round)
        known = (before != UNPARSED) & (after != UNPARSED)
        return np.asarray((known & (before != after)).sum(axis=1), float)

    def agreement(self, round: int) -> Floats:
        """Share of the parsed answers that a top option has, (n,); 0 without a majority."""
        self._check(round)
        votes = self._scored.votes
        if round >= votes.top.shape[1]:
            return np.zeros(len(self))
        return np.asarray(votes.share[:, round] / np.maximum(votes.parsed[:, round], 1))

    def options(self, round: int) -> Floats:
        """Different parsed answers, (n,)."""
        ordered = np.sort(self.answers(round), axis=1)
        new = np.diff(ordered, axis=1, prepend=np.int8(UNPARSED)) != 0
        return np.asarray(new.sum(axis=1), float)

    def majority_changed(self, before: int, after: int) -> Bools:
        """Where the majority of one round differs from that of another, (n,); see
        `debate_gym.eval.ledger.majority.changed`."""
        self._check(max(before, after))
        votes = self._scored.votes
        if max(before, after) >= votes.top.shape[1]:
            return np.zeros(len(self), np.bool_)
        return changed(votes, before, after, self._scored.rules.ties)

    @property
    def rounds(self) -> int:
        """Rounds of the longest debate, the first one included.

        Raises:
            LeakError: while a debate runs.
        """
        if self._after is not None:
            raise LeakError("it reads how many rounds will be played")
        return int(self._scored.panels.answers.shape[1])

    def right(self, round: int) -> Floats:
        """The chance that a majority is right, (n,); 0 without one.

        Raises:
            LeakError: where gold labels may not be read.
        """
        if not self._gold:
            raise LeakError("it reads the gold labels")
        self._check(round)
        right = self._scored.right[:, round]
        return np.where(right > 0, 1 / np.maximum(right, 1), 0.0)

    def _check(self, round: int) -> None:
        if round < 0:
            raise ValueError(f"rounds count from 0, got {round}")
        if self._after is not None and round > self._after:
            raise LeakError(
                f"it reads round {round}, when round {self._after} has just been played"
            )
