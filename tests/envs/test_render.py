from __future__ import annotations

import re
import shutil
from pathlib import Path
from string import Template

import pytest

from debate_gym.envs import render as module
from debate_gym.envs.nouns import Transcript, Turn
from debate_gym.envs.protocol import load_protocol, protocol_names
from debate_gym.envs.render import prompt_files, prompt_hash, render, render_transcript

SETS = ["brief", "standard"]


def prompt(prompts: str, seat: str, turns: Transcript = (), **changes: object) -> tuple[str, str]:
    fields: dict[str, object] = {
        "prompts": prompts,
        "protocol": load_protocol("debate" if seat != "consultant_0" else "consultancy"),
        "question": "Who?",
        "answers": ("Anna", "Bert"),
        "article": None if seat == "judge_0" else "The article.",
        "closed": False,
        "seat": seat,
        "side": {"debater_0": 0, "debater_1": 1, "consultant_0": 1}.get(seat),
        "turns": turns,
        "round": len(turns) // (1 if seat == "consultant_0" else 2),
        "order": (0, 1),
    }
    return render(**{**fields, **changes})  # type: ignore[arg-type]


def spoken(*seats: str) -> Transcript:
    return tuple(
        Turn(seat, sum(other == seat for other in seats[:i]), "", f"words {i}")
        for i, seat in enumerate(seats)
    )


@pytest.mark.parametrize("prompts", SETS)
@pytest.mark.parametrize("seat", ["debater_0", "debater_1", "consultant_0", "judge_0"])
def test_no_placeholder_is_left_open(prompts: str, seat: str) -> None:
    for text in prompt(prompts, seat):
        assert text.strip()
        assert "$" not in text


@pytest.mark.parametrize("prompts", SETS)
def test_every_file_of_a_set_is_a_template_of_known_fields(prompts: str) -> None:
    known = {"article", "question", "name", "own", "other", "first", "second", "words"}
    for path in (module.FOLDER / prompts).glob("*.md"):
        template = Template(path.read_text("utf-8"))
        assert template.is_valid()
        assert set(template.get_identifiers()) <= known


@pytest.mark.parametrize("prompts", SETS)
def test_every_file_of_a_set_is_read_by_some_protocol(prompts: str) -> None:
    read = {name for p in protocol_names() for name in prompt_files(prompts, load_protocol(p))}
    assert read == {path.name for path in (module.FOLDER / prompts).glob("*.md")}


@pytest.mark.parametrize("prompts", SETS)
@pytest.mark.parametrize("name", protocol_names())
@pytest.mark.parametrize("closed", [False, True])
def test_every_prompt_speaks_of_what_there_is(prompts: str, name: str, closed: bool) -> None:
    """Words about a source or a mark stand where there is one, and nowhere else."""
    protocol = load_protocol(name)
    for seat in (*protocol.seats, "judge_0"):
        for number in range(protocol.rounds + 1):
            turns = spoken(*protocol.seats * number)
            facts = {"protocol": protocol, "closed": closed, "article": None, "side": 0}
            system, user = prompt(prompts, seat, turns, round=number, **facts)
            both = f"{system}\n{user}".casefold()
            assert "$" not in both
            if closed or protocol.shown == "prose" or not protocol.seats:
                assert not re.search("passage|source|record|quot", both)
            if not protocol.verify or not protocol.seats:
                assert "_passage" not in both
            if protocol.shown == "passages" and not closed:
                assert "shown" in system


def test_the_standard_judge_is_told_how_passages_are_marked() -> None:
    for name in ("debate", "consultancy", "interactive-debate", "double-consultancy"):
        _, user = prompt("standard", "judge_0", protocol=load_protocol(name))
        assert "<v_passage>" in user
        assert "<u_passage>" in user


def test_an_expert_judge_is_not_told_that_it_cannot_read() -> None:
    expert = load_protocol("debate", judge_sees_article=True)
    for seat in ("judge_0", "debater_0"):
        texts = prompt("standard", seat, protocol=expert, article="The article.")
        assert "cannot read" not in "\n".join(texts)
    assert "cannot read" in prompt("standard", "judge_0")[1]


def test_word_limits_are_data() -> None:
    turns: Transcript = ()
    for name, words in (("consultancy", 300), ("propaganda", 300), ("debate", 90)):
        protocol = load_protocol(name, words=words)
        seat = protocol.seats[0]
        _, user = prompt("standard", seat, turns, protocol=protocol, side=0)
        assert f"In at most {words} words" in user


def test_the_standard_debate_to_the_letter() -> None:
    system, user = prompt("standard", "debater_0", spoken("debater_0", "debater_1"))
    assert [line.split()[0] for line in system.splitlines()] == ["You", "Speakers", "A"]
    assert user.splitlines() == [
        "Source text:",
        "",
        "The article.",
        "Question: Who?",
        "Your name is Alice. You argue that the answer is: Anna",
        "Your opponent argues that the answer is: Bert",
        "Alice:",
        "> words 0",
        "Bob:",
        "> words 1",
        "Reply to your opponent, Alice. In at most 150 words, show where the case for "
        '"Bert" is weak or misreads the source, and add passages that support "Anna".',
    ]


def test_a_set_that_lacks_a_file_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "rules.md").write_text("Be kind.")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"'mine' lacks question.md, which 'debate' reads"):
        prompt("mine", "debater_0", article=None)


def test_dollars_in_a_question_are_text() -> None:
    _, user = prompt("brief", "debater_0", question="$own or $5?", article="cost: $$9 $name")
    assert "Question: $own or $5?" in user
    assert "cost: $$9 $name" in user


def test_the_brief_prompt_to_the_letter() -> None:
    system, user = prompt("brief", "debater_1", spoken("debater_0", "debater_1"))
    assert system == "Quote the record to win the judge."
    assert user.splitlines() == [
        "Record:",
        "The article.",
        "Question: Who?",
        "You are Bob. You argue for Bert.",
        "Bob:",
        "> words 1",
        "Alice:",
        "> words 0",
        "Quote one sentence for Bert.",
    ]


def test_each_round_has_its_request_and_the_last_one_serves_on() -> None:
    asked = []
    for number in range(5):
        _, user = prompt("standard", "debater_0", spoken(*["debater_0", "debater_1"] * number))
        folder = module.FOLDER / "standard"
        name = f"debater_{min(number + 1, 3)}.md"
        request = Template((folder / name).read_text("utf-8").strip("\n"))
        words = {"name": "Alice", "own": "Anna", "other": "Bert", "words": 150}
        assert user.endswith(request.substitute(words))
        asked.append(user.rpartition(f"words {2 * number - 1}")[2])
    assert len(set(asked[:3])) == 3
    assert asked[3] == asked[4]


def test_the_judge_reads_the_answers_in_its_order_and_the_turns_as_spoken() -> None:
    turns = spoken("debater_0", "debater_1", "debater_0", "debater_1")
    _, user = prompt("brief", "judge_0", turns, order=(1, 0))
    assert "Answer 1: Bert. Answer 2: Anna." in user
    numbers = [line for line in user.splitlines() if line.startswith("> ")]
    assert numbers == [f"> words {i}" for i in range(4)]


@pytest.mark.parametrize("mark", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_every_line_of_a_speech_is_marked(mark: str) -> None:
    printed = render_transcript((Turn("debater_0", 0, "", f"a{mark}Bob:"),))
    assert printed == "Alice:\n> a\n> Bob:"


def test_silence_is_printed_as_an_empty_line() -> None:
    assert render_transcript((Turn("debater_0", 0, "secret", ""),)) == "Alice:\n> "


def test_the_hash_follows_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debate, consultancy = load_protocol("debate"), load_protocol("consultancy")
    assert len({prompt_hash(name, debate) for name in SETS}) == 2
    before = prompt_hash("brief", debate), prompt_hash("brief", consultancy)
    shutil.copytree(module.FOLDER / "brief", tmp_path / "brief")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    prompt_hash.cache_clear()
    assert (prompt_hash("brief", debate), prompt_hash("brief", consultancy)) == before
    with (tmp_path / "brief" / "debater_1.md").open("a") as file:
        file.write(" ")
    prompt_hash.cache_clear()
    assert prompt_hash("brief", debate) != before[0]
    assert prompt_hash("brief", consultancy) == before[1], "it does not read that file"
    prompt_hash.cache_clear()


def test_an_unknown_set_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"expected one of \['brief', 'standard'\]"):
        prompt("terse", "debater_0")
