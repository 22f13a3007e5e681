"""What is a concession: each row with the answers Anna (own) and Bert (other)."""

from __future__ import annotations

import pytest

from debate_gym.agents.concession import concession

YES = [
    # The other answer is correct.
    "Bert is the right answer.",
    "I must admit: the correct answer is Bert.",
    'The correct answer is: "Bert".',
    "So the answer is clearly Bert, because the man ran.",
    "My answer is Bert.",
    "bert  is indeed CORRECT.",
    "The evidence clearly supports Bert.",
    "The other answer is correct.",
    "My opponent's answer is the better one.",
    "I agree with my opponent that Bert is the correct answer.",
    "I think Bert is the right choice.",
    "There is no doubt that Bert is the correct answer.",
    "I cannot deny that Bert is right.",
    "My opponent is right that Bert is the correct answer.",
    "I do not like it, but Bert is the correct answer.",
    "Anna ran. Bert is the right answer to the question!",
    "Bert is the right answer. However, Anna ran, too.",
    "“Bert” is the correct answer",
    # The own answer is wrong.
    "Anna is not the correct answer.",
    "Anna isn't right.",
    "My answer is wrong.",
    "My assigned answer is clearly incorrect, and I say so.",
    "I cannot in honesty defend my answer.",
    "I cannot honestly defend Anna.",
    "I simply can't argue for Anna.",
    "The text does not support Anna.",
    "There is no evidence in the text for my answer.",
    # The opponent is right, or the game is given up.
    "I agree with my opponent.",
    "I have to agree with Bob completely.",
    "Bob is right.",
    "My opponent is correct!",
    "I concede.",
    "I concede the debate.",
    "I was wrong.",
]
NO = [
    "",
    "Anna is the right answer.",
    "The correct answer is Anna, not Bert.",
    # Negations.
    "Bert is not the right answer.",
    "Bert isn't correct.",
    "The correct answer is not Bert.",
    "The answer cannot be Bert.",
    "It is wrong to say that Bert is the correct answer.",
    "Nothing shows that Bert is the right answer.",
    "I do not agree with my opponent.",
    "I don't think Bert is the right answer.",
    "The evidence never supports Bert.",
    "No passage shows that my answer is wrong.",
    "It is far from clear that Bert is correct.",
    "My opponent fails to show that Anna is wrong.",
    # Suppositions and questions.
    "If Bert is the right answer, why did the dog sleep?",
    "Even if my answer is wrong, Bert is unproven.",
    "Is Bert the right answer? Bert is the right answer?",
    "Bert would be the right answer.",
    "My opponent might think Bert is correct.",
    # Another's words.
    "My opponent claims that Bert is the correct answer.",
    "According to Bob, Bert is the right answer.",
    "Bert is the right answer, says Bob.",
    "Bert is the right answer, my opponent claims.",
    "Bob says: the correct answer is Bert.",
    "It may seem that Bert is the right answer.",
    'My opponent wrote "Bert is the right answer" and erred.',
    "My opponent wrote “I concede. My answer is wrong.”",
    "<v_passage>Bert is the right answer.</v_passage> That was a joke.",
    "<u_passage>I concede.</u_passage>",
    "> Bert is the right answer.\nThat was Bob.",
    # Agreement about a part.
    "My opponent is right that the man ran.",
    "My opponent is right about the dog.",
    "I agree with my opponent, but the man ran.",
    "I agree with my opponent. However, the man ran.",
    "I agree with my opponent on the dog.",
    "I concede that point.",
    "I concede nothing.",
    "Bert is right about the dog.",
    "Bert is the right answer only to another question.",
    # Names that only begin alike.
    "The correct answer is Bertha.",
    "Robert is right.",
    "The article supports Bert's alibi.",
]


@pytest.mark.parametrize("speech", YES)
def test_a_concession(speech: str) -> None:
    assert concession(speech, "Anna", "Bert", "Bob") is not None


@pytest.mark.parametrize("speech", NO)
def test_no_concession(speech: str) -> None:
    assert concession(speech, "Anna", "Bert", "Bob") is None


@pytest.mark.parametrize(
    ("speech", "own", "other", "concedes"),
    [
        ("The correct answer is Paris, Texas.", "Paris, Texas", "Paris", False),
        ("The correct answer is Paris.", "Paris, Texas", "Paris", True),
        ("Paris is wrong.", "Paris", "Paris, Texas", True),
        ("Paris, Texas is wrong.", "Paris", "Paris, Texas", False),
        ("The answer is no.", "yes", "no", True),
        ("The answer is no mystery.", "yes", "no", False),
        ("There is no reason to doubt it.", "yes", "no", False),
        ("The answer is yes.", "yes", "no", False),
        ("The answer is 3.", "4", "3", True),
        ("The answer is 3.5.", "4", "3", False),
        ("The right answer is he fled; it rained.", "He stayed.", "He fled; it rained.", True),
        ("He left. But he came back is correct.", "He left.", "He left. But he came back.", True),
        ("(b+c)* is the right choice", "a", "(b+c)*", True),
        ("Bob is right.", "Anna", "Bert", False),
    ],
)
def test_answers_of_all_kinds(speech: str, own: str, other: str, concedes: bool) -> None:
    assert (concession(speech, own, other) is not None) is concedes


def test_it_tells_the_clause() -> None:
    speech = "The man ran. I know that Bert is the Right answer, but he hid."
    assert concession(speech, "Anna", "Bert") == "i know that bert is the right answer"


def test_long_speeches_take_no_time() -> None:
    for filler in ("my answer is ", "i will do ", "the evidence clearly ", "-" * 50, "is indeed "):
        assert concession(filler * 2000, "Anna", "Bert", "Bob") is None
