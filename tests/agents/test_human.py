"""A person at the terminal, played by a file of lines."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from debate_gym.agents.human import HumanJudge, HumanPolicy, Terminal, read_probability
from debate_gym.agents.rollout import Job, play
from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.nouns import Episode, Observation, Outcome, Utterance
from debate_gym.envs.scripted import scripted_judge, scripted_policy

QUESTIONS = load_task("evidence", "heldout", 2, seed=5)
DEBATE = load_protocol("debate")


class Whisper:
    """A debater with private thoughts and a terminal trick."""

    name, revision = "whisper", ""

    def act(self, observations: Any) -> list[Utterance]:
        text = "<thinking>SECRET</thinking>loud <v_passage>x</v_passage> \x1b[2Jwords"
        return [Utterance(text) for _ in observations]


class Interrupted(io.StringIO):
    """A file at whose end Ctrl-C is pressed."""

    def readline(self, *args: Any) -> str:
        line = super().readline(*args)
        if not line:
            raise KeyboardInterrupt
        return line


def terminal(lines: str | io.StringIO) -> tuple[Terminal, io.StringIO]:
    shown = io.StringIO()
    source = io.StringIO(lines) if isinstance(lines, str) else lines
    return Terminal(source, Console(file=shown, width=100)), shown


def judged(lines: str | io.StringIO, n: int = 1) -> tuple[list[Episode], str]:
    desk, shown = terminal(lines)
    seats = {"debater_0": "w", "debater_1": "w"}
    jobs = [Job(q, DEBATE, seats, seed=i) for i, q in enumerate(QUESTIONS[:n])]
    return list(play(jobs, {"w": Whisper()}, HumanJudge(desk))), shown.getvalue()


def spoken(lines: str | io.StringIO, protocol: Any = DEBATE) -> tuple[Episode, str]:
    desk, shown = terminal(lines)
    other = scripted_policy("random")
    seats = dict(zip(protocol.seats, ["h", "r"], strict=False))
    job = Job(QUESTIONS[0], protocol, seats)
    (episode,) = play([job], {"h": HumanPolicy(desk), "r": other}, scripted_judge("gold"))
    return episode, shown.getvalue()


def test_a_verdict_is_typed() -> None:
    episodes, shown = judged("2\n0.7\n", n=2)
    assert [e.verdicts[0].p for e in episodes] == [(0.0, 1.0), (0.7, pytest.approx(0.3))]
    assert [e.verdicts[0].judge for e in episodes] == ["human", "human"]
    assert all(len(e.verdicts) == 1 and e.verdicts[0].order == (0, 1) for e in episodes)
    assert "loud" in shown
    assert QUESTIONS[0].answers[0] in shown
    assert "SECRET" not in shown
    assert "\x1b" not in shown, "a speech does not command the terminal"


def test_a_bad_verdict_is_asked_for_again() -> None:
    (episode,), shown = judged("\nAlice\n0\n3\n150%\n50%\n")
    assert episode.verdicts[0].outcome is Outcome.TIE
    assert shown.count("Your verdict") == 6
    assert "got 'Alice'" in shown


@pytest.mark.parametrize("end", [io.StringIO, Interrupted])
def test_a_judge_who_leaves_fails_the_episodes_and_tells_no_thoughts(end: Any) -> None:
    episodes, shown = judged(end("nonsense\n"), n=2)
    assert [e.verdicts[0].outcome for e in episodes] == [Outcome.FAILED] * 2
    assert all("HumanLeft: the person at the terminal has left" in str(e.error) for e in episodes)
    assert "SECRET" not in shown + "".join(str(e.error) for e in episodes)
    assert shown.count("Your verdict") == 2 + 1, "nobody is asked twice after leaving"


def test_a_speech_has_several_lines() -> None:
    episode, shown = spoken("\n.\nFirst line.\n\nThird line.\n.\nlast\n.\n")
    mine = [turn.argument for turn in episode.turns if turn.seat == "debater_0"]
    assert mine == ["First line.\n\nThird line.", "last"]
    assert "That was empty." in shown
    assert episode.seats["debater_0"].model == "human"
    assert episode.error is None


@pytest.mark.parametrize("end", [io.StringIO, Interrupted])
def test_a_speaker_who_leaves_fails_the_episode(end: Any) -> None:
    episode, _ = spoken(end("half a speech\n"))
    assert episode.error is not None
    assert "debater_0 (h): HumanLeft" in episode.error
    assert "half" not in episode.error
    assert episode.verdicts[0].outcome is Outcome.FAILED


def test_a_side_is_chosen() -> None:
    desk, shown = terminal("both\n2\n")
    seen = Observation("e", "debater_0", -1, 0, None, "q?", ("a", "b"), None, (), "s", "u")
    assert seen.choosing
    assert HumanPolicy(desk).act([seen]) == [Utterance("Answer: 2")]
    assert "got 'both'" in shown.getvalue()


@pytest.mark.parametrize(
    ("said", "p"),
    [
        *(("1", 1.0), ("2", 0.0), ("0.25", 0.25), (".5", 0.5), ("1.0", 1.0), ("0.0", 0.0)),
        *(("70%", 0.7), ("12.5 %", 0.125), ("0%", 0.0), ("100%", 1.0)),
        *(("0", None), ("3", None), ("1.5", None), ("101%", None), ("-0.1", None), ("", None)),
        *(("1 2", None), ("nan", None), ("0,5", None), ("%", None)),
    ],
)
def test_verdicts_and_probabilities(said: str, p: float | None) -> None:
    assert read_probability(said) == p


def test_the_specs() -> None:
    assert isinstance(make_policy("human", temperature=0.0), HumanPolicy)
    assert isinstance(make_judge("human"), HumanJudge)
