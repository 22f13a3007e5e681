"""A table of panel debates: who answered what in which round, as arrays.

An answer is a code: 0 for the first option (A), 1 for the second, ..., `UNPARSED` for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from string import ascii_uppercase
from typing import Any

import numpy as np
import numpy.typing as npt

LETTERS = ascii_uppercase
UNPARSED = -1
Codes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A column of names.

    Attributes:
        names: each different name once.
        codes: (n,), indices into `names`.
    """

    names: tuple[str, ...]
    codes: npt.NDArray[np.int32]

    @classmethod
    def of(cls, values: Sequence[str]) -> Labels:
        """The column of a list, names in order of appearance."""
        places = {name: i for i, name in enumerate(dict.fromkeys(values))}
        codes = np.fromiter((places[v] for v in values), np.int32, len(values))
        return cls(tuple(places), codes)

    def take(self, rows: Any) -> Labels:
        """The column of some rows."""
        return Labels(self.names, self.codes[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """n debates.

    Attributes:
        ids: (n,), each different.
        model, family, question, task: (n,); `task` is "" where a record names none.
        answers: (n, rounds, seats); `UNPARSED` also after a debate's last round and in seats that
            it does not have.
        last: (n,), index of the last round; round 0 is what each seat answered alone.
        gold: (n,), code of the correct option.
        options: (n,), number of options.
    """

    ids: npt.NDArray[np.object_]
    model: Labels
    family: Labels
    question: Labels
    task: Labels
    answers: Codes
    last: npt.NDArray[np.int16]
    gold: Codes
    options: Codes

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Any) -> Panels:
        """Some of the debates, by a mask or by indices."""
        taken: dict[str, Any] = {}
        for field in fields(self):
            column = getattr(self, field.name)
            taken[field.name] = column.take(rows) if isinstance(column, Labels) else column[rows]
        return Panels(**taken)
