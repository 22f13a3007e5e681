"""Prompts: from the facts that a seat knows to the text that it reads.

A prompt set is a folder of `envs/prompts/`. Its files are joined in one order, so that what all
seats share (rules, article, question) stands first and an engine with prefix caching pays for an
article once: `rules.md` is the system message; `article.md` and `question.md`, then the role
(`debater.md`, `consultant.md`, `judge.md`), the transcript, and the request of the round
(`debater_1.md`, `debater_2.md`, ... the last one serves all later rounds; `judge_ask.md`) make up
the user message. Both sides of a debate read the same templates.

A turn is printed as a header line with the speaker's name and then the speech with `> ` before
every line, so that no speech can print a line that looks like another speaker's.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from debate_gym.envs.nouns import CONSULTANT_0, DEBATER_0, DEBATER_1, JUDGE_0, Transcript
from debate_gym.envs.protocol import Protocol

FOLDER = Path(__file__).parent / "prompts"
SPEAKERS = {DEBATER_0: "Alice", DEBATER_1: "Bob", CONSULTANT_0: "Carol", JUDGE_0: "Judge"}


def render(
    *,
    prompts: str,
    protocol: Protocol,
    question: str,
    answers: tuple[str, str],
    article: str | None,
    seat: str,
    side: int | None,
    turns: Transcript,
    order: tuple[int, int],
) -> tuple[str, str]:
    """Renders the prompt of one seat.

    Args:
        prompts: name of the prompt set.
        side: index of the answer that the seat argues; None for the judge.
        order: the judge's order of the answers.

    Returns:
        The system and the user message.

    Raises:
        ValueError: on an unknown prompt set.
    """
    role = seat.rpartition("_")[0]
    fields = {
        "question": question,
        "name": SPEAKERS[seat],
        "own": "" if side is None else answers[side],
        "other": "" if side is None else answers[1 - side],
        "first": answers[order[0]],
        "second": answers[order[1]],
    }
    parts = []
    if article is not None:
        parts.append(Template(_text(prompts, "article")).substitute(article=article))
    parts.append(Template(_text(prompts, "question")).substitute(fields))
    parts.append(Template(_text(prompts, role)).substitute(fields))
    transcript = render_transcript(turns, seat)
    parts += [transcript] if transcript else []
    number = len(turns) // max(1, len(protocol.seats)) + 1
    parts.append(Template(_request(prompts, role, number)).substitute(fields))
    return _text(prompts, "rules"), "\n".join(parts)


def render_transcript(turns: Transcript, reader: str = JUDGE_0) -> str:
    """Prints turns for a reader: round by round, the reader's own first, thinking left out."""
    ordered = sorted(
        enumerate(turns), key=lambda item: (item[1].round, item[1].seat != reader, item[0])
    )
    return "\n".join(f"{SPEAKERS[turn.seat]}:\n{_quoted(turn.argument)}" for _, turn in ordered)


def prompt_hash(prompts: str) -> str:
    """Twelve hex digits over all files of a prompt set; stored with every episode."""
    digest = sha256()
    for path in sorted(_folder(prompts).glob("*.md")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _quoted(text: str) -> str:
    # splitlines() also breaks at the separators that a model may read as a new line.
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _request(prompts: str, role: str, number: int) -> str:
    if role == "judge":
        return _text(prompts, "judge_ask")
    return _text(prompts, f"{role}_{min(number, _rounds(prompts, role))}")


@cache
def _rounds(prompts: str, role: str) -> int:
    pattern = re.compile(rf"{role}_\d+")
    return sum(bool(pattern.fullmatch(path.stem)) for path in _folder(prompts).glob("*.md"))


@cache
def _text(prompts: str, name: str) -> str:
    return (_folder(prompts) / f"{name}.md").read_text(encoding="utf-8").strip("\n")


def _folder(prompts: str) -> Path:
    folder = FOLDER / prompts
    if not folder.is_dir():
        known = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
        raise ValueError(f"unknown prompt set {prompts!r}: expected one of {known}")
    return folder
