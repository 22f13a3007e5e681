from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs import load_task
from debate_gym.envs.matching import find
from debate_gym.envs.normalise import length, normalise
from debate_gym.envs.nouns import PassageStatus

ARTICLE = (
    "The \ufb01rst ship left at 3.14 sharp. It was\n  not late \u2014 \u201cnever\u201d, he said. "
    "Minus -5 degrees; a naïve co\u00adoperation."
)
EXACT, NORMALISED, MISSING = PassageStatus


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        ("left at 3.14 sharp", EXACT, "to the letter"),
        ("LEFT AT 3.14 SHARP!", NORMALISED, "case and punctuation"),
        ("the first ship", NORMALISED, "a ligature"),
        ("It was not late", NORMALISED, "a wrapped line"),
        ('late - "never", he said', NORMALISED, "dashes and quotation marks"),
        ("a naïve cooperation", NORMALISED, "a soft hyphen"),
        ("a\u00a0naïve cooperation", NORMALISED, "a no-break space"),
        ("left at 314 sharp", MISSING, "numbers are never made equal"),
        ("minus 5 degrees", MISSING, "a sign is part of a number"),
        ("eft at 3.14 shar p", MISSING, "words end at borders"),
        ("rst ship left AT", MISSING, "half a word is no match once normalised"),
        ("ship", MISSING, "one word proves nothing"),
        ("... !!", MISSING, "no words at all"),
        ("", MISSING, "nothing at all"),
        ("14 sharp", MISSING, "a number is never cut"),
        ("left at 3", MISSING, "nor at its end"),
        ("5 degrees", MISSING, "nor from its sign"),
        ("hip left at 3.14", EXACT, "a substring may cut a word"),
    ],
)
def test_find(text: str, status: PassageStatus, why: str) -> None:
    assert find(text, ARTICLE) is status, why
    assert find(text, None) is MISSING


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        ("The first ... 3.14 sharp", NORMALISED, "two parts in order"),
        ("The first … 3.14 sharp", NORMALISED, "one character"),
        ("The first [...] 3.14 sharp", NORMALISED, "in brackets"),
        ("The first (…) 3.14 sharp", NORMALISED, "in round brackets"),
        ("The first . . . 3.14 sharp", NORMALISED, "spaced"),
        ("the first... left at.... he said", NORMALISED, "three parts; a full stop before"),
        ("... ship left ...", NORMALISED, "at the ends it is punctuation"),
        ("ship left [...] AT 3.14", NORMALISED, "the parts may meet"),
        ("3.14 sharp ... the first", MISSING, "out of order"),
        ("ship left ... left at", MISSING, "the parts overlap"),
        ("ship left ... ship left", MISSING, "the part stands there once"),
        ("The first ... sharp", MISSING, "a part of one word proves nothing"),
        ("The first ... 2.14 sharp", MISSING, "one part is wrong"),
        ("The first ... at 3", MISSING, "a part cuts a number"),
        ("ship ... left at", NORMALISED, "without the ellipsis it stands there as it is"),
        ("The first .. 3.14 sharp", MISSING, "two points are no ellipsis"),
    ],
)
def test_ellipsis(text: str, status: PassageStatus, why: str) -> None:
    assert find(text, ARTICLE) is status, why


def test_an_ellipsis_of_the_article_is_copied_to_the_letter() -> None:
    assert find("well ... yes", "He said: well ... yes, sir") is EXACT


@pytest.mark.parametrize(
    ("article", "text", "status"),
    [
        ("They paid .5 dollars each.", "they paid 5 dollars", MISSING),
        ("They paid .5 dollars each.", "THEY paid .5 dollars", NORMALISED),
        ("It grew by 5% a year.", "It grew by 5", MISSING),
        ("It grew by 5% a year.", "it grew by 5% a year", NORMALISED),
        ("about 10² joules", "about 102 joules", MISSING),
        ("about 10² joules", "about 10^2 joules", NORMALISED),
        ("all of 2½ miles", "all of 21/2 miles", MISSING),
        ("all of 2½ miles", "all of 2 1/2 miles", NORMALISED),
        ("all of 1,500 men", "ALL of 500 men", MISSING),
        ("all of 1,500 men", "ALL of 1500 men", MISSING),
        ("he waited--5 men saw it", "He waited - 5 men saw", NORMALISED),
        ("he _never_ said", "He never said", NORMALISED),
        ("you & me", "You & me!", NORMALISED),
        ("它在三点离开了港口。", "三点离开", EXACT),
        ("The clock struck 15 times", "5 times", MISSING),
        ("It cost 3.14 dollars.", "It cost 3.", MISSING),
        ("They paid 1,000 pounds.", "They paid 1,", MISSING),
        ("It is 3.14 m long.", ".14 m long", MISSING),
        ("Runs 10-5 degrees today.", "-5 degrees today", MISSING),
        ("They met at 10:45 sharp.", "at 10:", MISSING),
        ("It was 10. Then 11.", "It was 10.", EXACT),
        ("It was 10, then 11.", "It was 10,", EXACT),
        ("5 times, then 15 times", "5 times", EXACT),
        ("15 times, then 5 times", "5 times", EXACT),
        ("15 times, then 5 times", "5 TIMES", NORMALISED),
        ("It cost $5 million", "it cost £5 million", MISSING),
        ("It cost $5 million", "It cost 5 million", MISSING),
        ("It cost $5 million", "5 million", EXACT),
        ("It cost $5", "$5", MISSING),
        (r"the path C:\new\dir is", r"path C:\new\dir", EXACT),
        (r"if a < b\n then c", r"A < b\n THEN", NORMALISED),
        ("tags such as <b> and </b>", "such as <b> and", EXACT),
    ],
)
def test_numbers_scripts_and_marks(article: str, text: str, status: PassageStatus) -> None:
    assert find(text, article) is status


@pytest.mark.parametrize(
    ("text", "min_words", "status"),
    [
        ("ship", 1, EXACT),
        ("SHIP", 1, NORMALISED),
        ("the ... at ... sharp", 1, NORMALISED),
        ("left at 3.14 sharp", 4, EXACT),
        ("left at 3.14 sharp", 5, MISSING),
        ("The first ... 3.14 sharp", 3, MISSING),
        ("!", 0, MISSING),
    ],
)
def test_minimum_length(text: str, min_words: int, status: PassageStatus) -> None:
    assert find(text, ARTICLE, min_words) is status


@given(st.text(alphabet="ab 15.,-%\n", min_size=4, max_size=30), st.data())
def test_a_verified_passage_holds_whole_numbers_of_the_article(
    article: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(article) - 2))
    text = article[start : data.draw(st.integers(start + 2, len(article)))].strip()
    if find(text, article) is not MISSING:
        numbers = {word for word in normalise(article).split() if word[-1] in "15%"}
        assert {w for w in normalise(text).split() if w[0] in "15" and w[-1] in "15%"} <= numbers


TOKENS = st.one_of(
    st.from_regex(r"[A-Za-zäéß]{1,6}", fullmatch=True),
    st.from_regex(r"-?[0-9]{1,3}([.,][0-9]{1,3})?%?", fullmatch=True),
    st.sampled_from(
        ["“Yes”,", "no—yes", "(he", "it)", "a.m.", "\ufb01sh", "x²", "$5", "1/2", "C++"]
    ),
)
GAPS = st.sampled_from([" ", "\n", "  ", "\u00a0", ". ", ", ", " — "])


@st.composite
def slices(draw: st.DrawFn) -> tuple[list[str], list[str], int, int]:
    """The tokens of an article, the gaps after them, and the ends of a stretch long enough."""
    tokens = draw(st.lists(TOKENS, min_size=3, max_size=15))
    gaps = [draw(GAPS) for _ in tokens]
    start = draw(st.integers(0, len(tokens) - 2))
    return tokens, gaps, start, draw(st.integers(start + 2, len(tokens)))


def joined(tokens: list[str], gaps: list[str]) -> str:
    return "".join(token + gap for token, gap in zip(tokens, gaps, strict=True))


@given(slices())
def test_a_slice_of_the_article_is_always_found(
    made: tuple[list[str], list[str], int, int],
) -> None:
    tokens, gaps, start, end = made
    article = joined(tokens, gaps)
    text = joined(tokens[start:end], gaps[start:end]).strip()
    assert find(text, article) is EXACT
    assert find(text.upper().replace("\n", " \n"), article) is not MISSING
    assert find(" ".join(text.split()), article) is not MISSING


@given(slices(), st.data())
def test_a_slice_with_one_word_changed_is_never_found(
    made: tuple[list[str], list[str], int, int], data: st.DataObject
) -> None:
    tokens, gaps, start, end = made
    changed = tokens[start:end]
    # No token of an article holds an asterisked word or seven letters.
    changed[data.draw(st.integers(0, len(changed) - 1))] = "quixotic"
    assert find(joined(changed, gaps[start:end]).strip(), joined(tokens, gaps)) is MISSING


@given(st.data())
def test_a_slice_with_one_digit_changed_is_never_found(data: st.DataObject) -> None:
    number = data.draw(st.from_regex(r"-?[0-8]{1,4}([.,][0-8]{1,3})?%?", fullmatch=True))
    before, after = data.draw(st.tuples(WORDS, WORDS))
    article = f"{before} {number} {after}"
    digits = [place for place, letter in enumerate(number) if letter.isdigit()]
    place = data.draw(st.sampled_from(digits))
    wrong = f"{before} {number[:place]}9{number[place + 1 :]} {after}"
    assert find(article, article) is EXACT
    assert find(wrong, article) is MISSING
    assert find(wrong.upper(), article) is MISSING


WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "Mat"]), min_size=1, max_size=4).map(
    " ".join
)


@given(st.lists(st.sampled_from("abc"), max_size=10), st.lists(st.sampled_from("abc"), max_size=4))
def test_find_agrees_with_a_search_word_by_word(article: list[str], wanted: list[str]) -> None:
    stretches = [article[i : i + len(wanted)] for i in range(len(article))]
    found = find(" ".join(wanted).upper(), " ".join(article), 1) is NORMALISED
    assert found is (bool(wanted) and wanted in stretches)


@given(
    st.lists(st.sampled_from("ab"), max_size=9),
    st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=3), min_size=2, max_size=3),
)
def test_parts_agree_with_a_search_of_all_places(
    article: list[str], parts: list[list[str]]
) -> None:
    def stands(after: int, rest: list[list[str]]) -> bool:
        return not rest or any(
            article[i : i + len(rest[0])] == rest[0] and stands(i + len(rest[0]), rest[1:])
            for i in range(after, len(article))
        )

    text = " ... ".join(" ".join(part) for part in parts)
    assert (find(text.upper(), " ".join(article), 1) is NORMALISED) is stands(0, parts)


def test_every_sentence_of_the_built_in_task_is_long_enough() -> None:
    article = load_task("evidence", "heldout", 1)[0].article
    assert article
    assert {find(line, article) for line in article.splitlines()} == {EXACT}
    assert {find(line.upper(), article) for line in article.splitlines()} == {NORMALISED}


def test_random_slices_of_a_long_article() -> None:
    rng = random.Random(0)
    words = [
        rng.choice(["it", "was", "3.5%", "ships", "—", "“so”", "-2", "1,000"]) for _ in range(900)
    ]
    article = " ".join(words)
    for _ in range(300):
        start = rng.randrange(len(words) - 8)
        text = " ".join(words[start : start + 8])
        assert find(text, article) is EXACT
        assert length(normalise(text)) >= 2
