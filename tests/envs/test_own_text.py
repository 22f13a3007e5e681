from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.own_text import PLACE, fold_line, own_lines, own_text, unquoted


@pytest.mark.parametrize(
    ("reply", "own", "why"),
    [
        ("<think>x</think>y", "y", "reasoning"),
        ("<THINKING>x", "", "reasoning without an end"),
        ("x</think>y", "y", "reasoning that the prompt opened"),
        ("a <v_passage>x</v_passage> y", f"a {PLACE} y", "a passage"),
        ("a <PASSAGE id=1>x\n\nx</passage>y", f"a {PLACE}y", "with attributes, over paragraphs"),
        ("<quote>x<passage>x</passage>x</quote>y", f"{PLACE}y", "nested"),
        ("a <u_passage>x\nx\n\ny", f"a {PLACE}\n\ny", "without an end: the paragraph"),
        ("a <u_passage>x <q>x\n\ny", f"a {PLACE}\n\ny", "two of them"),
        ("a</v_passage>y", "a</v_passage>y", "a closing tag alone"),
        ("<q/>y", "<q/>y", "an empty tag"),
        ("> x\n y", f"{PLACE}\n y", "a block quote"),
        ("```json\ny\n```", "\ny\n", "a code fence, but not what is in it"),
        ("```y```", "```y```", "code within a line"),
    ],
)
def test_own_text(reply: str, own: str, why: str) -> None:
    assert own_text(reply) == own, why


@pytest.mark.parametrize(
    ("text", "left", "why"),
    [
        ('a "x x" y', f"a {PLACE} y", "straight marks"),
        ('a "x x\n\nx x" y', f"a {PLACE} y", "over paragraphs"),
        ('6" and "x x" y', f'6" and {PLACE} y', "an inch mark does not open"),
        ('a "x y', 'a "x y', "a straight mark without a partner"),
        ("a “x x” y", f"a {PLACE} y", "curly marks"),
        ("a “x “x x” x” y", f"a {PLACE} y", "nested"),
        ("a “x x\n\ny", f"a {PLACE}\n\ny", "an opening mark without a partner: the paragraph"),
        ("„x x“ «x x» ``x x'' y", f"{PLACE} {PLACE} {PLACE} y", "other kinds"),
        ("a 'x don't x' y", f"a {PLACE} y", "single marks with an apostrophe in them"),
        ("a ‘x don’t x’ y", f"a {PLACE} y", "curly single marks"),
        ("I don't and can't y", "I don't and can't y", "apostrophes"),
        ('a "1" y', 'a "1" y', "a lone word in marks is kept"),
        ('a "Answer: 1" y', f"a {PLACE} y", "two words are not"),
    ],
)
def test_unquoted(text: str, left: str, why: str) -> None:
    assert unquoted(text) == left, why


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("**Answer:**  `1`", "Answer: 1"),
        ("Ａｎｓｗｅｒ：\u00a0１", "Answer: 1"),
        (r"\textbf{Answer: \emph{1}}", "Answer: 1"),
        (r"\(\boxed{\text{1}}\)", r"(\boxed{1})"),
        ("An\u200bswer – 1²", "Answer - 1^2"),
    ],
)
def test_fold_line(line: str, folded: str) -> None:
    assert fold_line(line) == folded


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ('{"answer": 1}', ["answer: 1"]),
        ('x\n{"why": "a \\"b\\" {c}",\n "Answer": "1"}', ["x", "answer: 1"]),
        ('{"final_answer": 1.0}', ["final answer: 1.0"]),
        ('{"answer": 1, "answer": 2}', ["answer: 1", "answer: 2"]),
        ('{"answer": true}', ["answer: unreadable"]),
        ('{"answer": [1]}', ["answer: unreadable"]),
        ('{"answer": null}', ["answer: unreadable"]),
        ('{"answer": ""}', ["answer: unreadable"]),
        ('{"choice": 1}', ['{"choice": 1}']),
        ("{answer: 1}", ["{answer: 1}"]),
        ('{"a": {"answer": 1}}', ['{"a": {"answer": 1}}']),
        ("so <answer> 1 </answer> y", ["so", "answer: 1", "y"]),
    ],
)
def test_own_lines(reply: str, lines: list[str]) -> None:
    assert own_lines(reply, "answer") == lines


MARKS = "<passage> </passage> <q> </q> > “ ” « » ‘ ’ ' `` ''"
PIECES = st.sampled_from([*MARKS.split(), '"', "\n", "\n\n", " ", "x"])


@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(['""', "“”", "«»", "„“"]))
def test_what_stands_between_marks_is_never_left(before: str, marks: str) -> None:
    # An empty line ends what an opening mark without a partner hides.
    before = before.replace(marks[0], "").replace("“", "")
    assert "secret" not in unquoted(f"{before}\n\n{marks[0]}one secret two{marks[1]}")


@given(st.lists(PIECES, max_size=12).map("".join))
def test_what_stands_between_tags_is_never_left(before: str) -> None:
    assert "secret" not in own_text(f"{before}<v_passage>one secret two</v_passage>")


HOSTILE = "<q> </q> <q>\n\n “ „ ‘ ' ' \" `` '' > ```\n {\n {\" \\boxed{ $ _ <answer> <think>"


@pytest.mark.parametrize("piece", [*HOSTILE.split(" "), "{\n", '{"a":"', '{"a":[', "“\n\n", " 'a"])
def test_time_is_linear(piece: str) -> None:
    begin = time.process_time()
    own_lines(piece * (100_000 // len(piece)), "answer")
    assert time.process_time() - begin < 2.0
