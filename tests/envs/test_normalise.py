from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.normalise import INVISIBLE, SYMBOLS, length, normalise


@pytest.mark.parametrize(
    ("written", "copied", "why"),
    [
        ("The \ufb01rst \ufb02oor", "the first floor", "ligatures"),
        ("a\u00a0big\u2009ship", "a big ship", "blanks of other kinds"),
        ("one\n  two\r\n\tthree\u2028four", "one two three four", "wrapped lines"),
        ("co\u00adoper\u200bation", "cooperation", "soft hyphens and zero-width marks"),
        ("“Never”, he said — once.", '"never" he said - once', "quotation marks and dashes"),
        ("he didn’t", "he didn't", "apostrophes"),
        ("ＦＵＬＬ width", "full width", "full-width letters"),
        ("Stra\u00dfe", "STRASSE", "case folded, not lowered"),
        ("caf\u00e9", "cafe\u0301", "composed and decomposed letters"),
        ("he _never_ *said*", "he never said", "marks of emphasis"),
        ("well-known", "well known", "a hyphen is a border of words"),
        ("−5 degrees", "-5 degrees", "the minus sign and the hyphen"),
        ("½ a mile", "1/2 a mile", "a fraction"),
        ("Chapter \u2167", "chapter viii", "a Roman numeral of one character"),
        ("waited--5 men", "waited - 5 men", "a dash is no minus"),
    ],
)
def test_what_is_folded(written: str, copied: str, why: str) -> None:
    assert normalise(written) == normalise(copied), why


@pytest.mark.parametrize(
    ("written", "copied"),
    [
        ("3.14", "314"),
        ("3.14", "3,14"),
        ("1,000", "1000"),
        ("1,000", "1 000"),
        ("1,000", "1.000"),
        ("-5", "5"),
        (".5", "5"),
        ("5%", "5"),
        ("5 % a year", "5 a year"),
        ("$5 million", "£5 million"),
        ("$5 million", "5 million"),
        ("10 + 5", "10 5"),
        ("10:45", "1045"),
        ("10²", "102"),
        ("x₁₂", "x 12"),
        ("2½", "21/2"),
        ("½5", "1/25"),
        ("5①", "51"),
        ("10²5", "10^25"),
        ("wrap-\nped", "wrapped"),
        ("naïve", "naive"),
        ("C++", "C"),
    ],
)
def test_what_is_kept_apart(written: str, copied: str) -> None:
    assert normalise(written) != normalise(copied)


def test_symbols_are_words_that_do_not_count() -> None:
    assert normalise("$5 + 10%") == "$ 5 + 10%"
    assert length("$ 5 + 10%") == 2
    assert length("") == 0
    assert length("它 在") == 2


@given(st.text())
def test_once_is_enough(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


WORDS = st.text("abc019.,-$%½²\u0301\ufb01", min_size=1, max_size=5)
BLANKS = st.text(" \n\t\u00a0\u2009", min_size=1, max_size=3)


@given(st.lists(st.tuples(WORDS, BLANKS), max_size=8))
def test_lines_may_be_wrapped_anywhere(pieces: list[tuple[str, str]]) -> None:
    wrapped = "".join(word + blank for word, blank in pieces)
    assert normalise(wrapped) == normalise(" ".join(word for word, _ in pieces))


@given(st.text("ab 1", max_size=12), st.sampled_from(sorted(INVISIBLE)), st.integers(0, 12))
def test_invisible_characters_change_nothing(text: str, code: int, place: int) -> None:
    assert normalise(text[:place] + chr(code) + text[place:]) == normalise(text)


@given(st.lists(st.from_regex(r"-?[1-9][0-9]{0,3}([.,][0-9]{1,3})?%?", fullmatch=True), max_size=6))
def test_numbers_are_kept_to_the_digit(numbers: list[str]) -> None:
    assert normalise("“" + "”; (“".join(numbers) + "!") == " ".join(numbers)


def test_symbols_are_single_characters_and_no_letters() -> None:
    assert not any(symbol.isalnum() for symbol in SYMBOLS)


@pytest.mark.parametrize("piece", ["\u0301\u0316", "…", "1.", "½", "-", "a\u0301", "\u200b", "."])
def test_time_is_linear(piece: str) -> None:
    begin = time.process_time()
    normalise("a" + piece * (500_000 // len(piece)))
    assert time.process_time() - begin < 2.0
