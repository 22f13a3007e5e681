"""Word limits by rejection: what counts, what is cut, and which candidates are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.agents.best_of_n import BestOfN
from debate_gym.agents.rejection import RejectionSampling
from debate_gym.agents.selectors import PreferenceSelector
from debate_gym.agents.word_limits import WordLimits, count_words, limits_of, truncate, truncated
from debate_gym.envs.markup import strip_thinking
from debate_gym.envs.nouns import Observation, Overhead
from debate_gym.envs.passages import check_passages

Make = Callable[..., Any]


def words(n: int, word: str = "w") -> str:
    return " ".join([word] * n)


def cycle(*texts: str) -> Callable[[Observation], str]:
    said = iter(texts * 1000)
    return lambda observation: next(said)


@pytest.mark.parametrize(
    ("argument", "n"),
    [
        ("", 0),
        ("one two", 2),
        ("  one\n\ntwo ", 2),
        ("don't stop: 3.14 - well-known!", 4),
        ("— ... !", 0),
        ("<passage>The man</passage>, he ran", 4),
        ("one<passage>two</passage>three", 3),
        ("<passage id=4>two words</passage>", 2),
        ("a < b", 2),
        ("日本 word", 3),
    ],
)
def test_what_is_a_word(argument: str, n: int) -> None:
    assert count_words(argument) == n


@pytest.mark.parametrize(
    ("argument", "limit", "cut"),
    [
        ("one two three", 3, "one two three"),
        ("one two three", 2, "one two..."),
        ("one, two; three", 2, "one, two;..."),
        ("so <passage>the tall man ran</passage> off", 3, "so <passage>the tall</passage>..."),
        ("so <passage>the man</passage> ran", 3, "so <passage>the man</passage>..."),
        ("<passage>the man</passage> ran off", 3, "<passage>the man</passage> ran..."),
        ("so <passage>the man</passage> ran", 1, "so..."),
        ("<PASSAGE x=1>a b c", 2, "<PASSAGE x=1>a b</passage>..."),
        ("</passage> a b", 1, "</passage> a..."),
    ],
)
def test_a_cut_closes_its_passage_and_ends_in_dots(argument: str, limit: int, cut: str) -> None:
    assert truncate(argument, limit) == cut


def test_a_cut_passage_can_still_be_checked() -> None:
    cut = truncate("He fled: <passage>The tall man ran away</passage>", 5)
    shown, (passage,), _ = check_passages(cut, "The tall man ran away.")
    assert shown == "He fled: <v_passage>The tall man</v_passage>..."
    assert passage.verified


def test_thinking_is_kept_and_free() -> None:
    text = f"<thinking>{words(500)}</thinking>one two three"
    thinking, argument = strip_thinking(truncated(text, 2))
    assert (thinking, argument) == (words(500), "one two...")


PARTS = st.sampled_from(
    ["<passage>", "</passage>", "one", "two,", " ", "\n", "-", "日", "<b>", "."]
)


@given(st.lists(PARTS).map("".join), st.integers(1, 8))
def test_a_cut_holds_the_limit_and_leaves_no_passage_open(argument: str, limit: int) -> None:
    cut = truncate(argument, limit)
    assert count_words(cut) == min(limit, count_words(argument))
    assert truncate(cut, limit) == cut
    if cut != argument:
        before, _, _ = check_passages(cut.removesuffix("..."), None)
        after, _, _ = check_passages(cut, None)
        assert after == f"{before}...", "the dots are in no passage"


def test_the_limits_of_the_papers() -> None:
    assert limits_of("p24", "debater_1") == WordLimits(70, 150, 100)
    assert limits_of("p24", "consultant_0") == WordLimits(140, 300, 200)
    assert limits_of("k24", "debater_0") == limits_of("k24", "consultant_0") == WordLimits(0, 150)


def test_valid_candidates_come_first(make_writer: Make, make_observation: Make) -> None:
    short, fit, long = words(69), words(70, "fit"), words(151)
    for texts in ((short, long, fit), (fit, short, long), (long, fit, short)):
        writer = make_writer(cycle(*texts))
        (said,) = RejectionSampling(writer).act([make_observation()])
        assert said.text == fit
        assert said.overhead == Overhead(2, 20, 69 + 151, (("invalid_candidates", 2),))
        assert [len(call) for call in writer.calls] == [3]


def test_invalid_ones_fill_up_cut_to_the_limit(make_writer: Make, make_observation: Make) -> None:
    writer = make_writer(cycle(words(151, "long"), words(3, "short"), words(400)))
    (said,) = RejectionSampling(writer).act([make_observation()])
    assert said.text == words(150, "long") + "..."
    assert dict(said.overhead.events) == {"invalid_candidates": 3, "truncated": 1}
    writer = make_writer(cycle(words(3, "short"), words(400), words(400)))
    (said,) = RejectionSampling(writer).act([make_observation()])
    assert said.text == words(3, "short")
    assert dict(said.overhead.events) == {"invalid_candidates": 3, "too_short": 1}


def test_a_pool_serves_all_that_are_wanted(make_writer: Make, make_observation: Make) -> None:
    # Six candidates for two utterances; both valid ones may stand in one utterance's share.
    texts = (words(1), words(90, "a"), words(100, "b"), words(1), words(1), words(1))
    ((first, second),) = RejectionSampling(make_writer(cycle(*texts))).sample(
        [make_observation()], 2
    )
    assert (first.text, second.text) == (words(90, "a"), words(100, "b"))
    assert (first.overhead.generations, second.overhead.generations) == (4, 0)


def test_within_best_of_n_every_candidate_is_paid_once(
    make_writer: Make, make_rater: Make, make_observation: Make
) -> None:
    writer = make_writer(cycle(*(words(80, f"w{i}") for i in range(6))))
    rater = make_rater(lambda o: (-1.0, -1.0))
    best = BestOfN(RejectionSampling(writer), 2, PreferenceSelector(rater))
    (said,) = best.act([make_observation()])
    assert said.overhead.generations + 1 == 6
    assert said.overhead.completion_tokens + said.completion_tokens == 6 * 80


def test_p24_asks_for_its_target_and_k24_does_not(
    make_writer: Make, make_observation: Make
) -> None:
    observation = make_observation("consultancy", "consultant_0")
    writer = make_writer(lambda o: words(150))
    (said,) = RejectionSampling(writer).act([observation])
    assert said.overhead.events == (), "150 words are enough and not too many"
    asked = writer.calls[0][0].user
    assert asked.startswith(observation.user)
    assert "about 200 words" in asked
    assert "fewer than 140 or more than 300" in asked
    RejectionSampling(writer, "k24").act([observation])
    assert writer.calls[1][0].user == observation.user


def test_a_seat_without_a_side_is_not_limited(make_writer: Make, make_observation: Make) -> None:
    judge = replace(make_observation(), side=None)
    (said,) = RejectionSampling(make_writer(lambda o: "Who?")).act([judge])
    assert (said.text, said.overhead) == ("Who?", Overhead())


def test_what_cannot_be_is_refused(make_writer: Make, make_observation: Make) -> None:
    writer = make_writer(lambda o: "x")
    with pytest.raises(ValueError, match="did you mean 'p24'"):
        RejectionSampling(writer, "p25")
    with pytest.raises(ValueError, match="at least 1 candidate, got 0"):
        RejectionSampling(writer, candidates=0)
    with pytest.raises(ValueError, match="got the seat 'panelist_0'"):
        RejectionSampling(writer).act([replace(make_observation(), seat="panelist_0")])
    with pytest.raises(ValueError, match="low <= target <= high"):
        WordLimits(5, 3)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        truncate("x", 0)
