"""Transcripts as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from rich.text import Text

from debate_gym.envs.nouns import Episode
from debate_gym.envs.render import SPEAKERS, render_transcript
from debate_gym.eval.metrics import pooled

# What a model wrote may hold control characters, and a terminal obeys them.
CONTROL = {code: "�" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
STYLES = {
    r"<v_passage>.*?</v_passage>": "green",
    r"<u_passage>.*?</u_passage>": "red",
    rf"(?m)^({'|'.join(SPEAKERS.values())}):$": "bold",
    r"\A.*|\nVerdict of .*": "bold",
}


def readable(episode: Episode) -> str:
    """One episode as plain text: question, who argued what, the turns as the judge read them, and
    the verdict with the answer orders averaged."""
    return "\n\n".join(filter(None, _parts(episode))).translate(CONTROL) + "\n"


def coloured(episode: Episode) -> Text:
    """The same for a terminal: verified passages green, unverified ones red."""
    text = Text(readable(episode))
    for pattern, style in STYLES.items():
        text.highlight_regex(pattern, style)
    return text


def write_samples(episodes: Iterable[Episode], path: Path) -> None:
    """Writes episodes into one Markdown file.

    Each stands in a code block that nothing in it can end, so that no speech changes how the page
    looks.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(_block, episodes)), encoding="utf-8")


def _block(episode: Episode) -> str:
    text = readable(episode)
    fence = "`" * (1 + max(2, *(len(run) for run in re.findall("`+", text)), 0))
    return f"## {episode.question.id}\n\n{fence}text\n{text}{fence}\n"


def _parts(episode: Episode) -> Iterable[str]:
    question = episode.question
    answers = " / ".join(
        f"{answer}{' (correct)' if i == question.correct else ''}"
        for i, answer in enumerate(question.answers)
    )
    yield episode.id
    yield f"{question.question}\nAnswers: {answers}"
    yield "\n".join(
        f"{SPEAKERS.get(seat, seat)} ({seat}, {record.model}) argues "
        f"{question.answers[record.answer]}"
        for seat, record in episode.seats.items()
        if record.answer is not None
    )
    yield render_transcript(episode.turns)
    verdict = pooled(episode)
    p = "no probabilities" if verdict.p is None else "p = {:.3f}, {:.3f}".format(*verdict.p)
    yield f"Verdict of {verdict.judge}: {verdict.outcome.value} ({p})"
    yield f"Failed: {episode.error}" if episode.error else ""
