from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.declarations import Why
from debate_gym.envs.verdict import Reading, read_verdict

READ = [
    ("Answer: 1", 0, "as asked"),
    ("Answer: 2", 1, "as asked"),
    ("Answer: <2>", 1, "with the brackets of the template"),
    ("answer:2", 1, "lower case, no blank"),
    ("ANSWER : 2", 1, "upper case, a blank more"),
    ("Answer = 2", 1, "an equals sign"),
    ("**Answer:** 2", 1, "Markdown around the name"),
    ("**Answer: 2**", 1, "Markdown around all"),
    ("## Answer: `2`", 1, "a heading and code"),
    ("- Answer: 2", 1, "a bullet"),
    ("3. Answer: 2", 1, "the number of a list is no label"),
    ("(Answer: 2)", 1, "brackets around all"),
    ("Answer: (1)", 0, "brackets around the label"),
    ("Answer: [2].", 1, "square ones, a full stop"),
    ('Answer: "2"', 1, "the label in quotation marks"),
    ("Answer: “2”", 1, "the label in curly ones"),
    ("Answer: Answer 2", 1, "the label with its noun"),
    ("Answer: Option 2", 1, "another noun"),
    (r"\boxed{1}", 0, "a LaTeX box"),
    (r"So the winner is $\boxed{2}$.", 1, "a box within a line"),
    (r"Answer: \textbf{2}", 1, "LaTeX bold"),
    (r"\textbf{Answer: 2}", 1, "LaTeX bold around all"),
    (r"Final answer: $\boxed{\text{2}}$", 1, "all of it"),
    ('{"answer": 1}', 0, "JSON"),
    ('{"answer": "2"}', 1, "JSON with a string"),
    ('{"Answer": 2, "why": "{odd} \\"Answer: 1\\""}', 1, "JSON with braces and marks in a string"),
    ('I think so.\n```json\n{\n  "reason": "x",\n  "answer": 2\n}\n```', 1, "JSON in a fence"),
    ('{"answer": 2}\n{"answer": 2}', 1, "JSON twice, the same"),
    ("<answer>2</answer>", 1, "a tag"),
    ("{answer: 2}", 1, "braces around all"),
    ("Final answer: 2.", 1, "with final"),
    ("So my final answer is: 2", 1, "lead-in words"),
    ("The answer is 2.", 1, "a sentence"),
    ("A quotes the source.\n\nAnswer: 2", 1, "after its reasons"),
    ("Answer: 2\n\nA quotes the source.", 1, "before its reasons"),
    ("Answer:\n\n**2**", 1, "on the next line"),
    ("Answer: 2 because A has no passage.", 1, "with a reason"),
    ("Answer: 2 (the Eiffel Tower)", 1, "with the answer's words"),
    ("Answer: 2. The Eiffel Tower", 1, "the same after a full stop"),
    ("Answer: 2 - the Eiffel Tower", 1, "the same after a dash"),
    ("Answer: 2\nAnswer: 2", 1, "twice the same"),
    ("Answer：２。", 1, "full-width characters"),
    ("Answer:\u00a02\u200b", 1, "characters that are not seen"),
    ("<think>Answer: 1</think>Answer: 2", 1, "reasoning does not count"),
    ("Answer: 1</think>\nAnswer: 2", 1, "nor if the prompt opened it"),
    ('She says "Answer: 1". I do not agree.\nAnswer: 2', 1, "a quotation does not count"),
    ("She says: Answer: 1.\nAnswer: 2", 1, "nor does what she says"),
    ("<passage>\nAnswer: 1\n</passage>\nAnswer: 2", 1, "nor a passage"),
    ("“So.\n\nAnswer: 1\n\nSo.”\nAnswer: 2", 1, "nor a quotation of several paragraphs"),
    ("> Answer: 1\n\nAnswer: 2", 1, "nor a block quote"),
    ("A is right. Answer: 1, no.\nAnswer: 2", 1, "a mention gives way to a declaration"),
    ("The answer is not clear at first.\nAnswer: 2", 1, "prose with is declares nothing"),
    ("Answer 1 is weak.\nAnswer: 2", 1, "a name without a colon"),
    ("1. A quotes.\n2. B does not.\nAnswer: 2", 1, "a list"),
]


@pytest.mark.parametrize(("text", "choice", "why"), READ)
def test_read(text: str, choice: int, why: str) -> None:
    reading = read_verdict(text)
    assert reading == Reading(1 if choice else 0, Why.DECLARED), why


@pytest.mark.parametrize(
    ("text", "choice", "how", "why"),
    [
        ("A is right. Answer: 1", 0, Why.MENTIONED, "at the start of a sentence"),
        ("A is right. So the answer is 2.", 1, Why.MENTIONED, "the same with is"),
        ("I was torn. Answer: 1. Yes. Answer: 1.", 0, Why.MENTIONED, "twice the same"),
        ("Answer: 1\nOn reflection:\nFinal answer: 2", 1, Why.FINAL, "the final one wins"),
        ("Answer: 1 or 2?\nFinal answer: **2**", 1, Why.FINAL, "also over an unreadable one"),
        ('Answer: 1\n{"final_answer": 2}', 1, Why.FINAL, "in JSON"),
        ("1", 0, Why.BARE, "the label alone"),
        (" **2.** \n", 1, Why.BARE, "with marks"),
        ("<2>", 1, Why.BARE, "in brackets"),
        ("Answer 2", 1, Why.BARE, "with its noun"),
        ("<think>hm, 1?</think>\n2", 1, Why.BARE, "after reasoning"),
    ],
)
def test_read_otherwise(text: str, choice: int, how: Why, why: str) -> None:
    assert read_verdict(text) == Reading(1 if choice else 0, how), why


@pytest.mark.parametrize(
    ("text", "how", "why"),
    [
        ("", Why.EMPTY, "nothing"),
        (" \n", Why.EMPTY, "blanks"),
        ("<think>Answer: 1</think>", Why.HIDDEN, "reasoning only"),
        ("<thinking>so Answer: 1", Why.HIDDEN, "reasoning without an end"),
        ("Answer: 1</think>", Why.HIDDEN, "reasoning that the prompt opened"),
        ("“Answer: 1”", Why.HIDDEN, "a quotation only"),
        ("<v_passage>Answer: 1", Why.HIDDEN, "a passage without an end"),
        ("None of the above", Why.NONE, "no label"),
        ("I can't decide.", Why.NONE, "a refusal"),
        ("I'm sorry, I cannot judge debates about 1 or 2.", Why.NONE, "a refusal with numbers"),
        ("Debater A is right.", Why.NONE, "a name that is no label"),
        ("I choose 1", Why.NONE, "not the words asked for"),
        ("12", Why.NONE, "a longer number alone"),
        ("1 and 2", Why.NONE, "both alone"),
        ("Reasons:\n1", Why.NONE, "a list that was cut off"),
        ("Answer 1: Paris\nAnswer 2: Rome", Why.NONE, "the answers repeated"),
        ('She says "Answer: 1".', Why.NONE, "a quotation"),
        ("She says 'Answer: 1'.", Why.NONE, "a quotation in single marks"),
        ("She says: Answer: 1.", Why.NONE, "a report"),
        ("Debater B wants Answer: 2", Why.NONE, "a wish"),
        ("The answer is 1 or 2.", Why.NONE, "prose"),
        ('{"verdict": 1}', Why.NONE, "JSON with another key"),
        ('{"debate": {"answer": 1}}', Why.NONE, "JSON within JSON"),
        ("{'answer': 1}", Why.NONE, "no JSON"),
        ("[1]\n[2]", Why.NONE, "no declaration"),
        ("Answer:", Why.OTHER, "cut off"),
        ("Answer: 12", Why.OTHER, "a longer number"),
        ("Answer: 1.5", Why.OTHER, "a decimal"),
        ("Answer: -1", Why.OTHER, "a minus"),
        ("Answer: 1%", Why.OTHER, "a percentage"),
        ("Answer: 1st", Why.OTHER, "a word"),
        ("Answer: 3", Why.OTHER, "no label"),
        ("Answer: A", Why.OTHER, "no label unless the caller says so"),
        ("Answer: one", Why.OTHER, "spelled out"),
        ("Answer: Debater 1", Why.OTHER, "a debater is no answer"),
        ("Answer: None of the above", Why.OTHER, "neither"),
        ("Answer: I can't decide", Why.OTHER, "a refusal"),
        ("Answer: 1?", Why.OTHER, "a question"),
        ("Answer: 1<|im_end|>", Why.OTHER, "a chat token is for the caller to take off"),
        ("Answer: 1 is wrong", Why.OTHER, "a sentence about the label"),
        ("Answer: not 1", Why.OTHER, "a denial"),
        ("Answer: 1. Not at all.", Why.OTHER, "taken back"),
        ("Answer: 1²", Why.OTHER, "a power"),
        ('{"answer": true}', Why.OTHER, "true is not 1"),
        ('{"answer": 1.0}', Why.OTHER, "a decimal in JSON"),
        ('{"answer": null}', Why.OTHER, "nothing in JSON"),
        ("Answer: 1 or 2", Why.SEVERAL, "both"),
        ("Answer: <1|2>", Why.SEVERAL, "the template"),
        ("Answer: 1 (not 2)", Why.SEVERAL, "the other label, whatever is meant"),
        ("Answer: 1, 2", Why.SEVERAL, "a list"),
        ("Answer: 1/2", Why.OTHER, "a fraction"),
        ("Answer: 1\nAnswer: 2", Why.CONTRADICTION, "the last one is not final"),
        ("Final answer: 1\nAnswer: 2", Why.CONTRADICTION, "the final one is not last"),
        ("Final answer: 1\nFinal answer: 2", Why.CONTRADICTION, "two final ones"),
        ("Answer: 1\nFinal answer: 2 (Rome)", Why.CONTRADICTION, "not alone on its line"),
        ("Answer: 1\nSo. Final answer: 2", Why.CONTRADICTION, "not on its own line"),
        ("Answer: 12\nAnswer: 1", Why.CONTRADICTION, "an unreadable one and a readable one"),
        ("So. Answer: 1. No. Answer: 2.", Why.CONTRADICTION, "two mentions"),
        (r"\boxed{1} \boxed{2}", Why.CONTRADICTION, "two boxes"),
        ('{"answer": 1}\n{"answer": 2}', Why.CONTRADICTION, "JSON twice"),
        ('{"answer": 1, "answer": 2}', Why.CONTRADICTION, "a key twice"),
    ],
)
def test_unreadable(text: str, how: Why, why: str) -> None:
    assert read_verdict(text) == Reading(None, how), why


@pytest.mark.parametrize(
    ("text", "labels", "choice"),
    [
        ("Answer: B", ("A", "B"), 1),
        ("Answer: (b)", ("A", "B"), 1),
        ("Answer: B because a witness saw it", ("A", "B"), 1),
        ("Answer: B or A", ("A", "B"), None),
        ("Answer: 1", ("A", "B"), None),
        ("The answer is a matter of taste", ("A", "B"), None),
        ("Answer: Ada Lovelace.", ("Ada", "Ada Lovelace"), 1),
        ("Answer: Ada", ("Ada", "Ada Lovelace"), 0),
        ("Answer: **debater_1**", ("debater_0", "debater_1"), 1),
        ("Answer: 12", ("1", "12"), 1),
        ("Answer: c++ (x)", ("C+", "C++"), 1),
    ],
)
def test_labels_are_the_callers(text: str, labels: tuple[str, str], choice: int | None) -> None:
    assert read_verdict(text, labels).choice == choice


@pytest.mark.parametrize("labels", [("1",), ("1", "2", "3"), ("a", "A"), ("", "1"), ("*", "?")])
def test_labels_must_differ(labels: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="two labels that differ"):
        read_verdict("Answer: 1", labels)


PARTS = "Answer: answer final 1 2 or is <think> </think> <passage> </passage> } boxed{ json 12 1."
PIECES = st.sampled_from(
    [*PARTS.split(), " ", "\n", "\n\n", '"', "“", "”", "'", '{"answer": ', "\\", "**", "<answer>"]
)
REPLIES = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=14).map("".join),
    st.lists(PIECES, max_size=14).map(" ".join),
    st.sampled_from([text for text, _, _ in READ]),
)


@given(REPLIES)
def test_swapping_the_labels_swaps_the_choice(text: str) -> None:
    first, second = read_verdict(text, ("1", "2")), read_verdict(text, ("2", "1"))
    assert first.why == second.why
    assert (first.choice is None) == (second.choice is None)
    assert first.choice is None or first.choice == 1 - (second.choice or 0)


@given(REPLIES)
def test_a_choice_needs_its_label_in_the_reply(text: str) -> None:
    reading = read_verdict(text, ("zyx", "xyz"))
    assert reading.choice is None
    assert (reading.why is Why.EMPTY) == (not text.strip())


@given(st.lists(PIECES, max_size=10).map("".join), st.sampled_from(["passage", "quote", "think"]))
def test_a_tagged_speech_is_no_verdict(speech: str, tag: str) -> None:
    for mark in ("<", ">", "\\", "{"):
        speech = speech.replace(mark, "")
    text = f"<{tag}>{speech}</{tag}>\nAnswer: 2"
    assert read_verdict(text) == Reading(1, Why.DECLARED)


HOSTILE = 'Answer: <think> <answer> \\boxed{ {\n 1 . ( - final <passage> \\a{ {"answer":1}\n'


@pytest.mark.parametrize(
    "piece", [*HOSTILE.split(" "), "Answer: 1. ", "Answer: 1\n", "so my ", " "]
)
def test_time_is_linear(piece: str) -> None:
    begin = time.process_time()
    read_verdict(piece * (100_000 // len(piece)))
    assert time.process_time() - begin < 2.0
