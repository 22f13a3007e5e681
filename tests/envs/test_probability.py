from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.verdict import read_probability


@pytest.mark.parametrize(
    ("text", "p", "why"),
    [
        ("70", 0.7, "a number alone"),
        ("70%", 0.7, "a percent sign"),
        ("**70.5 %**", 0.705, "a decimal, marks"),
        ("70 percent", 0.7, "the word"),
        ("0", 0.0, "the lower end"),
        ("100", 1.0, "the upper end"),
        ("1%", 0.01, "small, with a sign"),
        ("0.5%", 0.005, "smaller"),
        ("70/30", 0.7, "shares of both answers"),
        ("70% / 30%", 0.7, "the same with signs"),
        ("0.5/99.5", 0.005, "the same, small"),
        ("70/100", 0.7, "of a hundred"),
        ("70 out of 100", 0.7, "in words"),
        ("0/100", 0.0, "the same by both rules"),
        ("100/100", 1.0, "of a hundred"),
        ("Probability: 70", 0.7, "declared"),
        ("A quotes.\n\n**Probability:** 70%", 0.7, "after reasons"),
        ("Probability of answer 1: 70%", 0.7, "with the answer"),
        ("The probability that answer 1 is correct is 70%.", 0.7, "a sentence"),
        ("P(1) = 70%", 0.7, "as a formula"),
        ("P(answer 1): 70%", 0.7, "the same with the noun"),
        ('{"probability": 70}', 0.7, "JSON"),
        ('{"probability": "70%"}', 0.7, "JSON with a string"),
        ("<probability>70</probability>", 0.7, "a tag"),
        ("Probability: 70% because A quotes.", 0.7, "with a reason"),
        ("Probability: 70%\nP(2) = 30%", 0.7, "with the complement"),
        ("Probability: 60\nFinal probability: 70", 0.7, "the final one"),
        ("<think>Probability: 20</think>Probability: 70", 0.7, "reasoning does not count"),
        ('She says "Probability: 20".\nProbability: 70', 0.7, "a quotation does not count"),
        ("", None, "nothing"),
        ("likely", None, "no number"),
        ("I can't say.", None, "a refusal"),
        ("101", None, "out of range"),
        ("Probability: 700%", None, "out of range"),
        ("Probability: 1000", None, "four digits"),
        ("-5", None, "negative"),
        ("70,5", None, "a comma"),
        ("1,000", None, "a comma"),
        ("0.7", None, "the scale is not clear"),
        ("1", None, "the scale is not clear"),
        ('{"probability": 0.7}', None, "the scale is not clear"),
        ('{"probability": true}', None, "no number"),
        ("60-70", None, "a range"),
        ("Probability: 60 - 70", None, "a range with blanks"),
        ("Probability: between 60 and 70", None, "a range in words"),
        ("Probability: about 70", None, "not stated"),
        (">70", None, "a bound"),
        ("70/20", None, "neither shares nor of a hundred"),
        ("7/10", None, "of ten"),
        ("70/30/0", None, "three numbers"),
        ("Probability: 70% (30% for answer 2)", None, "a second number"),
        ("Probability: 70\nProbability: 60", None, "two that differ"),
        ("P(1) = 70%\nP(2) = 20%", None, "no complement"),
        ("P(2) = 30%", None, "only the second answer's"),
        ("The probability is high. It is 70.", None, "not where it was asked for"),
        ("<think>70</think>", None, "reasoning only"),
        ("70abc", None, "a word"),
    ],
)
def test_read_probability(text: str, p: float | None, why: str) -> None:
    assert read_probability(text) == p, why


def test_labels_are_the_callers() -> None:
    assert read_probability("P(A) = 70%\nP(B) = 30%", ("A", "B")) == 0.7
    assert read_probability("P(A) = 70%\nP(B) = 30%", ("B", "A")) == 0.3
    assert read_probability("P(1) = 70%", ("A", "B")) is None
    with pytest.raises(ValueError, match="two labels that differ"):
        read_probability("70", ("A",))


PARTS = "Probability: P(1) P(2) = 70 30% / 0.5 100 <think> </think> final } is -"
PIECES = st.sampled_from([*PARTS.split(), " ", "\n", '"', '{"probability": ', "\\boxed{"])


@given(st.one_of(st.text(), st.lists(PIECES, max_size=12).map("".join)))
def test_a_probability_or_none(text: str) -> None:
    p = read_probability(text)
    assert p is None or 0 <= p <= 1


@given(st.integers(2, 99), st.sampled_from(["{}", "{}%", "Probability: {}", "P(1) = {} %"]))
def test_what_is_stated_is_read(percent: int, form: str) -> None:
    assert read_probability(form.format(percent)) == percent / 100
    assert read_probability(f"{percent}/{100 - percent}") == percent / 100
