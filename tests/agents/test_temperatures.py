from __future__ import annotations

import pytest

from debate_gym.agents.temperatures import temperature


@pytest.mark.parametrize(
    ("role", "n", "value"),
    [
        ("debater", 1, 0.4),
        ("debater", 2, 0.8),
        ("debater", 16, 0.8),
        ("debater", 17, 1.0),
        ("consultant", 1, 0.4),
        ("consultant", 32, 0.8),
        ("judge", 1, 0.0),
        ("preference", 16, 0.0),
        ("asking_judge", 1, 0.4),
        ("critic", 1, 0.6),
        ("critic", 15, 0.6),
        ("critic", 16, 0.8),
        ("critic", 32, 0.8),
    ],
)
def test_the_table(role: str, n: int, value: float) -> None:
    assert temperature(role, n) == value


def test_what_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'debater'"):
        temperature("debator")
    with pytest.raises(ValueError, match="at least 1, got 0"):
        temperature("critic", 0)
