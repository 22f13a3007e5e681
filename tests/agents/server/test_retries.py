from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from debate_gym.agents.server.retries import is_passing, retry_after


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None), ("", None)],
)
def test_seconds_to_wait(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds


def test_a_date_to_wait_for() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    wait = retry_after({"retry-after": later})
    assert wait is not None
    assert 25 < wait <= 30
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    assert retry_after({}) is None


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_passing(status: int) -> None:
    assert is_passing(status, "")


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422, 501, 505])
def test_lasting(status: int) -> None:
    assert not is_passing(status, "")
