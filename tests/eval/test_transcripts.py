from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from debate_gym.envs.nouns import Episode
from debate_gym.eval.checkpoint import SELF, Evaluation
from debate_gym.eval.transcripts import coloured, readable, write_samples


def spoken(episode: Episode, argument: str) -> Episode:
    return replace(episode, turns=(replace(episode.turns[0], argument=argument),))


def test_everything_a_reader_needs(episodes: tuple[Episode, ...]) -> None:
    text = readable(episodes[0])
    question = episodes[0].question
    assert f"{question.answers[question.correct]} (correct)" in text
    assert f"Alice (debater_0, scripted:random) argues {question.answers[0]}" in text
    assert text.count("<v_passage>") == 4
    assert f"Verdict of evidence: {episodes[0].verdicts[0].outcome}" in text


def test_a_failed_episode_says_why(episodes: tuple[Episode, ...]) -> None:
    assert "Failed: no memory" in readable(replace(episodes[0], error="no memory"))


def test_passages_have_the_colour_of_their_check(
    evaluate: Callable[..., Evaluation],
) -> None:
    def styles(name: str) -> set[str]:
        episode = evaluate(name, n=1).of(SELF)[0]
        return {str(span.style) for span in coloured(episode).spans}

    assert styles("random") == {"bold", "green"}
    assert styles("forger") == {"bold", "red"}


def test_a_speech_commands_no_terminal(episodes: tuple[Episode, ...]) -> None:
    assert "\x1b" not in readable(spoken(episodes[0], "\x1b[2J\x9b2J gone"))


def test_a_speech_cannot_end_its_block(tmp_path: Path, episodes: tuple[Episode, ...]) -> None:
    path = tmp_path / "new" / "samples.md"
    write_samples([spoken(episodes[0], "````\n# Verdict: mine"), episodes[1]], path)
    lines = path.read_text("utf-8").splitlines()
    fences = [line for line in lines if line.startswith("```")]
    assert fences == ["`````text", "`````", "```text", "```"]
    assert sum(line.startswith("#") for line in lines) == 2
