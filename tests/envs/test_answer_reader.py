from __future__ import annotations

import time

import pytest

from debate_gym.envs.answer_reader import (
    STRICT_RULES,
    UNREAD,
    AnswerRule,
    Reading,
    read_option,
)

FINAL, WORDED, LONE, LAST = AnswerRule


@pytest.mark.parametrize(
    ("text", "options", "letter", "rule"),
    [
        # Explicit markers, with the decoration that models put around them.
        ("Final answer: B", 4, "B", FINAL),
        ("**Final Answer:** (C)", 4, "C", FINAL),
        ("My final answer is option d.", 4, "D", FINAL),
        ("Final Answer\n\nB", 4, "B", FINAL),
        (r"So \boxed{\text{B}}", 4, "B", FINAL),
        ("Final answer: J", 10, "J", FINAL),
        # Answer and choose wording.
        ("The answer is (b), I think.", 4, "B", WORDED),
        ("I choose C", 4, "C", WORDED),
        ("I'd go with option (C), since A is bad", 4, "C", WORDED),
        ("The best choice would be\nC", 4, "C", WORDED),
        # A letter that stands alone.
        ("B", 4, "B", LONE),
        ("I have thought about it.\n**(a)**\n", 4, "A", LONE),
        ("I", 9, "I", LONE),
        # The last letter of an option.
        ("It is between A and C", 4, "C", LAST),
        ("C) the capital", 4, "C", LAST),
        ("Out of (H) and (I)", 9, "I", LAST),
        # A rule that comes first decides, wherever it stands; inside a rule the last one does.
        ("Final answer: A. Though the answer is B.\nC", 4, "A", FINAL),
        ("Final answer: A. Wait. Final answer: B", 4, "B", FINAL),
        ("The answer is A. No, the answer is C.\nB", 4, "C", WORDED),
        ("A\nB\n", 4, "B", LONE),
        # Only options that the question has.
        ("Final answer: E", 4, None, None),
        ("Final answer: E", 5, "E", FINAL),
        ("Final answer: E, or the answer is B", 4, "B", WORDED),
        # "A" and "I" are words as well.
        ("The answer is a matter of taste", 4, None, None),
        ("The answer is A matter of taste", 4, None, None),
        ("Answer: A cat sat on the mat", 4, None, None),
        ("The answer is A because cats sit", 4, "A", WORDED),
        ("The answer is a.", 4, "A", WORDED),
        ("A dog would know. I would not.", 9, None, None),
        ("I, however, agree, and so do you and I", 9, None, None),
        ("I'm sure", 9, None, None),
        ("The answer is I.", 9, "I", WORDED),
        ("I think A is right", 9, "A", LAST),
        # Letters inside other words and marks.
        ("Vitamin B-12 of the U.S.A. in D.C. costs C's", 4, None, None),
        # What is refused by a rule may still be read by a later one.
        ("I would not choose B", 4, "B", LAST),
        ("Answer: A or B", 4, "B", LAST),
        ("", 4, None, None),
    ],
)
def test_rules(text: str, options: int, letter: str | None, rule: AnswerRule | None) -> None:
    assert read_option(text, options) == Reading(letter, rule)


def test_without_the_last_rule() -> None:
    assert read_option("It is between A and C", 4, STRICT_RULES) == UNREAD
    assert read_option("The answer is C", 4, STRICT_RULES) == Reading("C", WORDED)


@pytest.mark.parametrize("options", [1, 27])
def test_number_of_options(options: int) -> None:
    with pytest.raises(ValueError, match="2 to 26 options"):
        read_option("A", options)


@pytest.mark.parametrize(
    "text",
    ["final answer" + " " * 100_000, "choose " * 20_000, "\n" * 100_000, "(" * 100_000],
)
def test_long_texts_take_linear_time(text: str) -> None:
    start = time.process_time()
    read_option(text, 26)
    assert time.process_time() - start < 5
