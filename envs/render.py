"""Prompts: from the facts that a seat knows to the text that it reads.

A prompt set is a folder of `envs/prompts/`. Its files are joined in one order, so that what all
seats share stands first and an engine with prefix caching pays for an article once:

- the system message: `rules.md`, `passages.md` (where speeches may quote), `asking.md` (where the
  judge asks), `thinking.md`;
- the user message: `article.md`, `question.md`, the role (`debater.md`, `consultant.md`,
  `judge.md`, and `blind.md` for the judge of seats that do not read each other), the transcript,
  and the request (`debater_1.md`, `debater_2.md`, ... the last one serves all later rounds;
  `judge_question.md` while the judge may ask, `judge_ask.md` for its verdict).

A set may leave out `passages.md`, `asking.md`, `thinking.md` and `blind.md`. A protocol's `texts`
may name another file for any part. And where a set has it, `NAME_STYLE.md` is read in place of
`NAME.md`; a game has at most one style:

- `plain`: there is nothing to quote (no article, or a protocol that shows no passages);
- `quotes`: only verified passages are shown;
- `unchecked`: passages are not checked;
- `expert`: the judge reads the article.

Both sides of a debate read the same templates.

A turn is printed as a header line with the speaker's name and then the speech with `> ` before
every line, so that no speech can print a line that looks like another speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from debate_gym.envs.nouns import (
    CONSULTANT_0,
    CONSULTANT_1,
    DEBATER_0,
    DEBATER_1,
    JUDGE_0,
    Transcript,
    Turn,
)
from debate_gym.envs.protocol import Protocol, load_protocol

FOLDER = Path(__file__).parent / "prompts"
SPEAKERS = {
    DEBATER_0: "Alice",
    DEBATER_1: "Bob",
    CONSULTANT_0: "Carol",
    CONSULTANT_1: "Dave",
    JUDGE_0: "Judge",
}
OPTIONAL = ("passages", "asking", "thinking", "blind")
STYLES = ("plain", "quotes", "unchecked", "expert")


def render(
    *,
    prompts: str,
    protocol: Protocol,
    question: str,
    answers: tuple[str, str],
    article: str | None,
    closed: bool,
    seat: str,
    side: int | None,
    turns: Transcript,
    round: int,
    order: tuple[int, int],
    asking: bool = False,
) -> tuple[str, str]:
    """Renders the prompt of one seat.

    Args:
        prompts: name of the prompt set.
        article: None where the seat may not see it.
        closed: whether the question has no article at all.
        side: index of the answer that the seat argues; None for the judge.
        turns: as the seat sees them.
        round: being played, counted from 0.
        order: the judge's order of the answers.
        asking: whether the judge is to ask, and not to decide.

    Returns:
        The system and the user message.

    Raises:
        ValueError: on an unknown prompt set, or one that lacks a file.
    """
    role = seat.rpartition("_")[0]
    style = _style(protocol, closed)
    fields = {
        "article": article,
        "question": question,
        "name": SPEAKERS[seat],
        "own": "" if side is None else answers[side],
        "other": "" if side is None else answers[1 - side],
        "first": answers[order[0]],
        "second": answers[order[1]],
        "words": protocol.words,
    }

    def text(*parts: str) -> list[str]:
        found = (_part(prompts, protocol, style, part) for part in parts)
        return [Template(part).substitute(fields) for part in found if part is not None]

    blind = ["blind"] if protocol.blind and seat == JUDGE_0 else []
    head = text(*[] if article is None else ["article"], "question", role, *blind)
    transcript = render_transcript(turns, seat)
    request = text(_request(prompts, role, round + 1, asking))
    system = text(*_rules(protocol, style))
    return "\n".join(system), "\n".join([*head, *([transcript] if transcript else []), *request])


def render_transcript(turns: Transcript, reader: str = JUDGE_0) -> str:
    """Prints turns for a reader: round by round, the reader's own first and a judge's question
    last, thinking left out."""

    def place(item: tuple[int, Turn]) -> tuple[int, bool, bool, int]:
        number, turn = item
        return turn.round, turn.seat == JUDGE_0, turn.seat != reader, number

    ordered = sorted(enumerate(turns), key=place)
    return "\n".join(f"{SPEAKERS[turn.seat]}:\n{_quoted(turn.argument)}" for _, turn in ordered)


def prompt_files(
    prompts: str, protocol: Protocol, styles: Sequence[str] = STYLES
) -> tuple[str, ...]:
    """The names of the files that a protocol's prompts can be made of, in these styles and in none.

    Raises:
        ValueError: on an unknown prompt set.
    """
    seats = {seat.rpartition("_")[0] for seat in protocol.speakers} | {"judge"}
    asked = ["asking", "judge_question"] if protocol.judge_asks else []
    blind = ["blind"] if protocol.blind else []
    parts = ["rules", "passages", "thinking", "article", "question", *seats, "judge_ask"]
    parts += [*asked, *blind]
    parts += [f"{seat}_{n + 1}" for seat in seats for n in range(_rounds(prompts, seat))]
    stems = [protocol.texts.get(part, part) for part in parts]
    names = {f"{stem}{style}.md" for stem in stems for style in ("", *map("_{}".format, styles))}
    if protocol.chooser is not None:
        names |= {*prompt_files(prompts, load_protocol("direct-qa"), styles)}
    return tuple(sorted(name for name in names if (_folder(prompts) / name).is_file()))


@cache
def prompt_hash(prompts: str, protocol: Protocol) -> str:
    """Twelve hex digits over the files that a protocol's prompts can be made of; stored with every
    episode. Like the prompts themselves, the files are read once in a process."""
    digest = sha256()
    for name in prompt_files(prompts, protocol):
        digest.update(name.encode() + b"\0" + (_folder(prompts) / name).read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _style(protocol: Protocol, closed: bool) -> str:
    if closed or protocol.shown == "prose":
        return "plain"
    if protocol.shown == "passages":
        return "quotes"
    if not protocol.verify:
        return "unchecked"
    return "expert" if protocol.judge_sees_article else ""


def _rules(protocol: Protocol, style: str) -> list[str]:
    """The parts of the system message."""
    if not protocol.seats:
        return ["rules"]
    quoting = [] if style == "plain" else ["passages"]
    asking = ["asking"] if protocol.judge_asks else []
    return ["rules", *quoting, *asking, "thinking"]


def _part(prompts: str, protocol: Protocol, style: str, part: str) -> str | None:
    """A part's text; None for one that the set leaves out."""
    name = protocol.texts.get(part, part)
    for stem in ([f"{name}_{style}"] if style else []) + [name]:
        if (text := _text(prompts, stem)) is not None:
            return text
    if part in OPTIONAL:
        return None
    raise ValueError(f"prompt set {prompts!r} lacks {name}.md, which {protocol.name!r} reads")


def _quoted(text: str) -> str:
    # splitlines() also breaks at the separators that a model may read as a new line.
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _request(prompts: str, role: str, number: int, asking: bool) -> str:
    if role == "judge":
        return "judge_question" if asking else "judge_ask"
    return f"{role}_{min(number, _rounds(prompts, role))}"


@cache
def _rounds(prompts: str, role: str) -> int:
    pattern = re.compile(rf"{role}_\d+")
    return sum(bool(pattern.fullmatch(path.stem)) for path in _folder(prompts).glob("*.md"))


@cache
def _text(prompts: str, name: str) -> str | None:
    path = _folder(prompts) / f"{name}.md"
    return path.read_text(encoding="utf-8").strip("\n") if path.is_file() else None


def _folder(prompts: str) -> Path:
    folder = FOLDER / prompts
    if not (folder / "rules.md").is_file():
        known = sorted(path.parent.name for path in FOLDER.glob("*/rules.md"))
        raise ValueError(f"unknown prompt set {prompts!r}: expected one of {known}")
    return folder
