"""What a panelist reads: the files of `envs/prompts/panel`.

What all seats share comes first. Answers are quoted with `> ` before every line, so that none can
pass for a part of the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from string import Template

from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.render import FOLDER

PROMPTS = FOLDER / "panel"
Heard = Sequence[tuple[int, str]]


def panel_prompt(
    question: ChoiceQuestion, seats: int, heard: Heard, private: bool
) -> tuple[str, str]:
    """System and user message.

    Args:
        heard: (number of a seat, its last answer), the reader's own first; empty in round 0.
    """
    parts = asked(question)
    if heard:
        (_, own), *others = heard
        parts += [fill("own"), quoted(own)]
        parts += [f"Panelist {number + 1}:\n{quoted(text)}" for number, text in others]
        parts.append(fill("private" if private else "peers"))
    return fill("system", seats=seats), "\n".join([*parts, request(question)])


def challenge_prompt(
    question: ChoiceQuestion, seats: int, own: str, target: int, channel: str, strength: str
) -> tuple[str, str]:
    """System and user message of a probe: an answer, and an argument for another option.

    Args:
        own: what the seat answered.
        target: index of the option that is argued for.
        channel, strength: of `debate_gym.eval.ledger.probes`.
    """
    named = {"letter": question.letters[target], "option": question.options[target]}
    argument = fill(f"probe_{strength}", **named)
    pushed = fill(f"probe_{channel}", argument=argument, **named)
    parts = [*asked(question), fill("own"), quoted(own), pushed, request(question)]
    return fill("system", seats=seats), "\n".join(parts)


def asked(question: ChoiceQuestion) -> list[str]:
    """The article, where there is one, and the question with its lettered options."""
    pairs = zip(question.letters, question.options, strict=True)
    options = "\n".join(f"{letter}) {option}" for letter, option in pairs)
    article = [] if question.article is None else [fill("article", article=question.article)]
    return [*article, fill("question", question=question.question, options=options)]


def request(question: ChoiceQuestion) -> str:
    """What is asked for, last in every prompt."""
    return fill("answer", letters=", ".join(question.letters))


def quoted(text: str) -> str:
    """A text with `> ` before every line."""
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def fill(name: str, **fields: object) -> str:
    """A prompt file with its `$` fields put in."""
    return Template(_text(name)).substitute(fields)


@cache
def panel_prompt_hash() -> str:
    """Twelve hex digits over all panel prompts; stored with every record."""
    digest = sha256()
    for path in sorted(PROMPTS.glob("*.md")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@cache
def _text(name: str) -> str:
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8").strip("\n")
