from __future__ import annotations

import pytest

from debate_gym.envs.tasks.about_options import speaks_of_options


@pytest.mark.parametrize(
    "answer",
    [
        "All of the above",
        "none of above.",
        "All of the below.",
        "Both of the above are true",
        "None of the above; blood is never preserved.",
        "Any 2 of the above values",
        "All of these options.",
        "Neither of these",
        "All of them",
        "All choices are false",
        "A and B only",
        "B and C",
        "A, B, and C",
        "(A), (B), and (C) fit the theory",
        "(B) (C) and (D).",
        "A and C are correct.",
        "A or B",
        "Both A & C",
        "both a and b.",
        "either A or B.",
        "Nether A nor B",
        "neither a. nor b.",
        "Option C",
        "Options A and B",
    ],
)
def test_answers_about_other_options(answer: str) -> None:
    assert speaks_of_options(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "None",
        "N/A",
        "I and II only",
        "True, True",
        "C, C++",
        "A",
        "Vitamins A and C",
        "A and B must be mutually exclusive.",
        "firms A and B are substitutes.",
        "Invalid. Counterexample when A, B, and C are false and D is true",
        "98% or above.",
        "The price is set above the equilibrium.",
        "All of them are smart",
        "Some answers seem better than others.",
        "neither price level nor real GDP",
        "Either AC or DC",
    ],
)
def test_answers_that_stand_alone(answer: str) -> None:
    assert not speaks_of_options(answer)
