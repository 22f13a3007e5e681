from __future__ import annotations

import pytest

from debate_gym.agents.refusals import mentions_critique, refuses


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("As the critique says, the man ran.", True),
        ("I took the Critiques to heart.", True),
        ("Thanks for your feedback.", True),
        ("The man ran.", False),
        ("The critical point is that the man ran.", False),
        ("<v_passage>Her critique of the play</v_passage> shows it.", False),
        ("<v_passage>It ran</v_passage>, says the critique of <u_passage>mine</u_passage>", True),
    ],
)
def test_a_mention_of_the_critique(argument: str, expected: bool) -> None:
    assert mentions_critique(argument) is expected


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("I'm sorry, but I can't help with that.", True),
        ("I’m very sorry.", True),
        ("I cannot in good conscience argue for this.", True),
        ("Unfortunately, I am unable to defend this answer.", True),
        ("As an AI, I have no opinion.", True),
        ("  ", True),
        ("I cannot see how Bob reads this otherwise.", False),
        ("The man is sorry, so he ran.", False),
        ("<v_passage>I'm sorry</v_passage>, said the man who ran.", False),
        ("Anna did it. I cannot argue otherwise.", False),
    ],
)
def test_a_refusal(argument: str, expected: bool) -> None:
    assert refuses(argument) is expected
