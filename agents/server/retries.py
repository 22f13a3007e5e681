"""Which failures of a server are worth another try, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import numpy as np

PASSING = frozenset({408, 409, 425, 429})
# An account without money answers 429 too, and waiting does not help it.
SPENT = "insufficient_quota"


class ServerError(RuntimeError):
    """A call that brought no answer; its text never holds the key.

    Attributes:
        passing: whether another try may succeed.
        wait: seconds that the server asks to wait, if it does.
    """

    def __init__(self, text: str, *, passing: bool = False, wait: float | None = None) -> None:
        super().__init__(text)
        self.passing = passing
        self.wait = wait


@dataclass(slots=True)
class Patience:
    """How often and how long.

    Attributes:
        attempts: requests for one answer, the first included.
        first_wait, longest_wait: seconds before the second attempt, doubled for each one after it,
            and the most that is ever waited. A server that asks for more has refused.
        rng: spreads the waits of processes that failed together; no answer depends on it.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def __post_init__(self) -> None:
        if self.attempts < 1 or not 0 <= self.first_wait <= self.longest_wait:
            raise ValueError(
                "expected attempts >= 1 and 0 <= first_wait <= longest_wait, got "
                f"{self.attempts}, {self.first_wait}, {self.longest_wait}"
            )

    def wait(self, attempt: int, asked: float | None) -> float | None:
        """Seconds to wait after an attempt (counted from 0); None to give up.

        Half of the wait is drawn; what a server asks for is waited in full, and a little more.
        """
        if attempt + 1 >= self.attempts:
            return None
        if asked is not None:
            jitter = self.first_wait * self.rng.random() / 2
            return None if asked > self.longest_wait else asked + float(jitter)
        whole = min(self.first_wait * 2.0**attempt, self.longest_wait)
        return whole * float(1 + self.rng.random()) / 2


def is_passing(status: int, body: str) -> bool:
    """Whether a status other than 200 may go away by itself."""
    if status == 429 and SPENT in body:
        return False
    return status in PASSING or (status >= 500 and status not in (501, 505))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The header `Retry-After`, a number or a date, in seconds; None without a sound one."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
