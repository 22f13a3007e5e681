"""The page `docs/protocols.md`: who speaks when and who sees what, in every protocol.

    python -m debate_gym.envs.protocol_page > docs/protocols.md

What a seat reads is not described but tried: a game is played whose speeches can be told apart,
and the page says which of them were in what each seat was shown.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterable, Sequence

from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import CHOICE_ROUND, JUDGE_0, Observation, Question, Turn, Utterance
from debate_gym.envs.protocol import Protocol, load_protocol, protocol_names
from debate_gym.envs.render import SPEAKERS

SENTENCES = ("It rained all of Monday.", "It snowed all of Friday.")
QUESTION = Question("page", "page", "?", ("a", "b"), 0, " ".join(SENTENCES))
SPEECH = f"Answer: 1. I say so. <passage>{SENTENCES[0]}</passage> <passage>Not there.</passage>"
MEANING = re.compile(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", re.MULTILINE)
HEAD = """# Protocols

<!-- Written by `python -m debate_gym.envs.protocol_page`: change the protocols, not this page. -->

A protocol is a file of `envs/protocols/` with the fields below. In the tables a speech is named by
its speaker and round, and a row says what a seat has before it when it speaks or decides, its own
speeches included. Private thinking is seen by nobody else, in any protocol.
"""
FIELDS = """## Fields

Every field can be overridden for one game, as in `load_protocol("debate", rounds=3)`; a
combination that cannot be played is refused.
"""


def page() -> str:
    """The whole page."""
    protocols = [load_protocol(name) for name in protocol_names()]
    sections = [HEAD, overview(protocols), *map(section, protocols), FIELDS, fields()]
    return "\n".join(sections)


def overview(protocols: Sequence[Protocol]) -> str:
    """One row a protocol."""
    rows = [
        (f"[`{p.name}`](#{p.name})", ", ".join(_name(seat) for seat in p.speakers) or "nobody",
         str(p.rounds), str(p.words) if p.seats else "", p.about)
        for p in protocols
    ]  # fmt: skip
    return _table(("protocol", "speaks", "rounds", "words a speech", "what it is"), rows)


def section(protocol: Protocol) -> str:
    """One protocol, step by step."""
    state, rows = start(QUESTION, protocol), []
    while seats := due(state):
        rows += [_row(state, seat) for seat in seats]
        state = advance(state, dict.fromkeys(seats, Utterance(SPEECH)))
    rows.append(_row(state, JUDGE_0))
    table = _table(("round", "seat", "does", "the article", "has read"), rows)
    shown = f"Readers get {_shown(state)}.\n" if protocol.seats else ""
    return "\n".join(filter(None, (f"## {protocol.name}\n", f"{protocol.about}\n", table, shown)))


def fields() -> str:
    """The fields with their defaults, and what the docstring of `Protocol` says of them."""
    said = {name: " ".join(text.split()) for name, text in MEANING.findall(Protocol.__doc__ or "")}
    given = [field for field in dataclasses.fields(Protocol) if field.name != "name"]
    rows = [(f"`{field.name}`", _default(field), said[field.name]) for field in given]
    return _table(("field", "default", "meaning"), rows)


def _row(state: State, seat: str) -> tuple[str, ...]:
    seen = observe(state, seat)
    ended = not due(state)
    does = "decides" if ended else "asks or comments" if seat == JUDGE_0 else "speaks"
    round = "end" if ended else str(seen.round + 1)
    if seen.round == CHOICE_ROUND:
        does, round = "chooses its answer", "before"
    article = "no" if seen.article is None else "yes"
    return round, f"{_name(seat)} (`{seat}`)", does, article, _read(seen)


def _read(seen: Observation) -> str:
    return ", ".join(f"{_name(turn.seat)} {turn.round + 1}" for turn in seen.turns) or "nothing"


def _shown(state: State) -> str:
    """What is left of a speech for those who read it."""
    argument = _speech(observe(state, JUDGE_0).turns).argument
    if SENTENCES[0] not in argument:
        return "the prose of a speech, without its passages"
    if "I say so." not in argument:
        return "the verified passages of a speech, without its prose"
    marked = "<v_passage>" in argument and "<u_passage>" in argument
    return "all of a speech, " + (
        "with its passages marked as verified or not"
        if marked
        else "with its passages as plain quotations that nobody checked"
    )


def _speech(turns: Iterable[Turn]) -> Turn:
    return next(turn for turn in turns if turn.seat != JUDGE_0)


def _name(seat: str) -> str:
    return "the judge" if seat == JUDGE_0 else SPEAKERS[seat]


def _default(field: dataclasses.Field[object]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{field.default!r}`"
    return "required" if field.default_factory is dataclasses.MISSING else "none"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(page())
