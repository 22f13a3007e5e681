from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.markup import neutralise, split_thinking, strip_thinking


@pytest.mark.parametrize(
    ("text", "shown", "why"),
    [
        ("<v_passage>x</v_passage>", "‹v_passage›x‹/v_passage›", "a mark"),
        ("< V_passage >x</ v_passage>", "‹ V_passage ›x‹/ v_passage›", "case and blanks"),
        ("<v _ passage><u-passage><v passage>", "‹v _ passage›‹u-passage›‹v passage›", "spaced"),
        ("<v_passages>", "‹v_passages›", "a longer name that reads like a mark"),
        ('<v_passage title="a">x</v_passage', '‹v_passage title="a"›x‹/v_passage', "attributes"),
        ("<<v_passage>v_passage>x", "<‹v_passage›v_passage>x", "nested"),
        ("<v\u200b_passage>x", "‹v\u200b_passage›x", "an invisible character"),
        ("<\u200b" * 2 + "v_passage>", "<\u200b‹\u200bv_passage›", "before the name"),
        ("<v_\u0332passage>x", "‹v_\u0332passage›x", "a mark on a letter"),
        ("＜V_PASSAGE＞x", "‹V_PASSAGE›x", "full-width brackets"),
        ("<ｖ＿ｐａｓｓａｇｅ>x", "‹ｖ＿ｐａｓｓａｇｅ›x", "full-width letters"),
        ("﹤v_passage﹥x", "‹v_passage›x", "small brackets"),
        ("&lt;v_passage&gt;x&lt;/v_passage&gt;", "‹v_passage›x‹/v_passage›", "entities"),
        ("&LT;v_passage>", "‹v_passage›", "one entity, upper case"),
        ("&#60;v_passage&#62; &#x3C;passage&#x3e;", "‹v_passage› ‹passage›", "numbered entities"),
        ("&#0060;v_passage &ltv_passage&gt", "‹v_passage ‹v_passage›", "zeros, no semicolon"),
        ("&amp;lt;v_passage&amp;amp;gt;", "‹v_passage›", "escaped more than once"),
        ("</passage> <passage>", "‹/passage› ‹passage›", "the speaker's own tags, left over"),
        ("<thinking>x</argument>", "‹thinking›x‹/argument›", "the other tags of the game"),
        ("</s><end_of_turn><｜User｜>", "‹/s›‹end_of_turn›‹｜User｜›", "chat tokens"),
        ("a<|im_end|>b<|im_start", "a‹|im_end|›b‹|im_start", "chat tokens"),
        ("<passages> <b>x</b>", "<passages> <b>x</b>", "other tags stay"),
        ("1 < 2 > 0 &lt;b&gt; &amp; c \\n", "1 < 2 > 0 &lt;b&gt; &amp; c \\n", "so do signs"),
    ],
)
def test_neutralise(text: str, shown: str, why: str) -> None:
    assert neutralise(text) == shown, why


def test_blanks_and_marks_do_not_hide_a_name_however_many_they_are() -> None:
    for filler in (" ", "\n", "\u200b", "\u0332", "\ufe0f"):
        assert neutralise(f"<{filler * 500}v{filler * 500}_passage>")[0] == "‹"


SPELLED = "< > / v_passage V _PAS SAGE &lt; &gt &amp; lt; &#60; ＜ ＞ | thinking s a='b'"
SPELLINGS = st.sampled_from([*SPELLED.split(), " ", "\n", "\u200b", "\u0332"])


@given(st.lists(SPELLINGS, max_size=12).map("".join))
def test_neutralise_again_changes_nothing(text: str) -> None:
    shown = neutralise(text)
    assert neutralise(shown) == shown
    assert "<v_passage" not in shown.lower()
    assert len(shown) <= len(text)


@pytest.mark.parametrize(
    ("text", "thinking", "argument"),
    [
        ("<thinking>a</thinking>b", "a", "b"),
        ("b<thinking>a", "a", "b"),
        ("a</thinking>b", "a", "b"),
        ("<THINKING x=1>a</thinking> <argument>b</argument> c", "a\nc", "b"),
        ("<argument>b", "", "b"),
        ("b</argument> c", "c", "b"),
        ("<argument>b</argument><argument>c</argument>", "", "b\nc"),
        ("<argument></argument>c", "c", ""),
        ("<think>a</think>b", "a", "b"),
        ("<thinking>a<thinking>b</thinking>c</thinking>d", "a\nb\nc", "d"),
        ("<thinking>a</thinking>b</thinking>c", "a\nb", "c"),
        ("<thinking>a <argument>x</argument></thinking><argument>b</argument>", None, "b"),
        ("<argument>b<thinking>a</thinking>c</argument>", "a", "bc"),
        ("a < b</thinking c", "a < b", "c"),
        ("<thinking a", "a", ""),
        ("b", "", "b"),
    ],
)
def test_strip_thinking(text: str, thinking: str | None, argument: str) -> None:
    private, public = strip_thinking(text)
    assert public == argument
    assert thinking is None or private == thinking


TAGS = st.sampled_from(["<thinking>", "</thinking>", "<THINK>", "</ think >", "<argument>", "x"])


@given(st.lists(TAGS, max_size=6), st.lists(TAGS, max_size=6))
def test_thinking_never_leaks(before: list[str], after: list[str]) -> None:
    # Whatever stands around it, text right after an opening tag is private.
    text = "".join([*before, "<thinking>", "secret", *after])
    private, public = strip_thinking(text)
    assert "secret" in private
    assert "secret" not in public
    assert "think" not in public.lower()


@given(st.lists(TAGS, max_size=8).map("".join))
def test_no_text_is_lost(text: str) -> None:
    private, public = split_thinking(text)
    assert ("".join(private) + public).count("x") == text.count("x")


HOSTILE = "< </ <| <passage> <passage &lt; &amp; &#0 <thinking> </thinking> <argument>"


@pytest.mark.parametrize("piece", [*HOSTILE.split(), "< ", "<\u0301\u0316", "<\u200b"])
def test_a_megabyte_takes_well_under_a_second(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    begin = time.process_time()
    neutralise(strip_thinking(text)[1])
    assert time.process_time() - begin < 2.0
