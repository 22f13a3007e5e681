"""The prompts of best-of-N, critique-and-refine and what else makes a policy stronger when it
speaks: the files of `envs/prompts/strength`.

Texts of others are printed as the game prints them, with `> ` before every line, so that none can
pass for a part of the prompt.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from hashlib import sha256
from string import Template

from debate_gym.envs.nouns import JUDGE_0, Observation, Transcript
from debate_gym.envs.render import FOLDER, render_transcript

PROMPTS = FOLDER / "strength"
NOTHING_SAID = "Nobody has spoken yet."


def fill(name: str, **fields: object) -> str:
    """A prompt file with its `$` fields put in."""
    return Template(_text(name)).substitute(fields)


def quoted(text: str) -> str:
    """A text with `> ` before every line."""
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def numbered(texts: list[str]) -> str:
    """Texts under the headers `Draft 1:`, `Draft 2:`, ..."""
    return "\n".join(f"Draft {n}:\n{quoted(text)}" for n, text in enumerate(texts, 1))


def spoken(turns: Transcript) -> str:
    """A transcript as the judge reads it; a line that says so when it is empty."""
    return render_transcript(turns) or NOTHING_SAID


def argued(observation: Observation) -> int:
    """The index of the answer that a seat argues.

    Raises:
        ValueError: if it argues none.
    """
    if observation.side is None:
        raise ValueError(f"{observation.episode}: {observation.seat} has no side to argue")
    return observation.side


def sides(observation: Observation) -> dict[str, str]:
    """The fields `question`, `own` and `other` of a seat that argues an answer."""
    side, answers = argued(observation), observation.answers
    return {"question": observation.question, "own": answers[side], "other": answers[1 - side]}


def blind(observation: Observation, user: str) -> Observation:
    """What a reader without the article is asked about a seat's game: the rules and `user`."""
    return replace(observation, seat=JUDGE_0, side=None, article=None, user=user)


def revision_of(*parts: str) -> str:
    """The revision of a policy that is made of others: theirs, each once, and that of these
    prompts."""
    pieces = [piece for part in parts for piece in part.split("+") if piece]
    return "+".join(dict.fromkeys([*pieces, _prompts_hash()]))


@cache
def _prompts_hash() -> str:
    digest = sha256()
    for path in sorted(PROMPTS.glob("*.md")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@cache
def _text(name: str) -> str:
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8").strip("\n")
