"""What readers get of a speech, in each protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs import advance, load_protocol, observe, start
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Passage, PassageStatus, Question, Utterance
from debate_gym.envs.view import visible

ARTICLE = "Anna did it. Bert slept all day."
QUESTION = Question("q", "test", "Who?", ("Anna", "Bert"), 0, ARTICLE)
SPEECH = "See <passage>Anna did it.</passage> and <passage>Bert did it.</passage>, I say."
READERS = ("debater_0", "debater_1", "judge_0")


def spoken(name: str, text: str = SPEECH) -> State:
    state = start(QUESTION, load_protocol(name, prompts="standard"))
    return advance(state, {"debater_0": Utterance(text), "debater_1": Utterance("")})


@pytest.mark.parametrize(
    ("name", "argument", "passages"),
    [
        (
            "debate",
            "See <v_passage>Anna did it.</v_passage> and <u_passage>Bert did it.</u_passage>, "
            "I say.",
            (
                Passage("Anna did it.", PassageStatus.EXACT),
                Passage("Bert did it.", PassageStatus.MISSING),
            ),
        ),
        (
            "evidence-only",
            "<v_passage>Anna did it.</v_passage>",
            (Passage("Anna did it.", PassageStatus.EXACT),),
        ),
        ("argument-only", "See [...] and [...], I say.", ()),
        (
            "unverified",
            'See "Anna did it." and "Bert did it.", I say.',
            (
                Passage("Anna did it.", PassageStatus.MISSING),
                Passage("Bert did it.", PassageStatus.MISSING),
            ),
        ),
    ],
)
def test_the_same_speech_by_protocol(
    name: str, argument: str, passages: tuple[Passage, ...]
) -> None:
    state = spoken(name)
    for reader in READERS:
        seen = observe(state, reader)
        assert seen.turns[0].argument == argument
        assert seen.turns[0].passages == passages
        shown = "\n".join(f"> {line}" for line in argument.splitlines())
        assert f"Alice:\n{shown}\n" in seen.user
    kept = state.turns[0]
    assert [p.verified for p in kept.passages] == [True, False], "the record has the check"
    assert "<u_passage>" in kept.argument


def test_a_judges_question_is_shown_whole() -> None:
    state = start(QUESTION, load_protocol("evidence-only", judge_asks=True))
    state = advance(state, dict.fromkeys(("debater_0", "debater_1"), Utterance("words")))
    state = advance(state, {"judge_0": Utterance("Why then?")})
    assert [turn.argument for turn in visible(state.turns, "debater_0", state.protocol)] == [
        "",
        "",
        "Why then?",
    ]


PIECES = (
    "<passage>Anna did it.</passage>",
    "<passage>made up</passage>",
    "<passage>",
    "</passage>",
    "<v_",
    "passage>",
    "<v_pas",
    "sage>",
    "</v_passage>",
    "<",
    ">",
    "|",
    "<|im_",
    "end|>",
    "\n",
    '"',
    " word ",
)


@given(
    st.sampled_from(["argument-only", "unverified", "evidence-only"]),
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
)
def test_no_mark_can_be_put_together_from_pieces(name: str, text: str) -> None:
    state = spoken(name, text)
    shown = visible(state.turns, "judge_0", state.protocol)[0].argument
    verified = sum(p.verified for p in state.turns[0].passages) * (name == "evidence-only")
    assert shown.count("<v_passage>") == shown.count("</v_passage>") == verified
    assert "u_passage>" not in shown.replace("‹", "")
    assert "<|" not in shown
    assert "|>" not in shown
