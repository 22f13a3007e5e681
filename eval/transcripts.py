"""Transcripts as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from debate_gym.envs.nouns import Episode
from debate_gym.envs.render import render_transcript
from debate_gym.eval.metrics import pooled


def readable(episode: Episode) -> str:
    """One episode as Markdown: question, who argued what, the turns, the verdict."""
    question = episode.question
    answers = " / ".join(
        f"{answer}{' (correct)' if i == question.correct else ''}"
        for i, answer in enumerate(question.answers)
    )
    seats = "\n".join(
        f"- {seat}: {record.model} argues {question.answers[record.answer]}"
        for seat, record in episode.seats.items()
        if record.answer is not None
    )
    verdict = pooled(episode)
    shares = (
        "no probabilities" if verdict.p is None else f"p = {verdict.p[0]:.3f}, {verdict.p[1]:.3f}"
    )
    failure = f"\n\nFailed: {episode.error}" if episode.error else ""
    return (
        f"## {episode.id}\n\n{question.question}\n\nAnswers: {answers}\n\n{seats}\n\n"
        f"{render_transcript(episode.turns)}\n\n"
        f"Verdict of {verdict.judge}: {verdict.outcome.value} ({shares}){failure}\n"
    )


def write_samples(episodes: Iterable[Episode], path: Path) -> None:
    """Writes episodes into one Markdown file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(readable(episode) for episode in episodes), encoding="utf-8")
