"""Solved cases that a judge is shown before its own (k-shot, K24 section 4.1 and P24 appendix A.5).

They come from a JSON Lines file of `question` or `episode` records, are drawn by a seed, and are
never of the question that is judged. Departs from P24 in that they stand in one message with the
case to decide, which every chat template and server takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from debate_gym.envs.game import State
from debate_gym.envs.images import PLACEHOLDER
from debate_gym.envs.nouns import JUDGE_0, Episode, Question, Transcript
from debate_gym.envs.render import FOLDER, render_transcript
from debate_gym.envs.view import visible


@dataclass(frozen=True, slots=True)
class Case:
    """A question whose answer is known, with what was said about it.

    Attributes:
        told_right: whether the only speaker argued the correct answer; None where there is not
            exactly one speaker.
    """

    question: Question
    turns: Transcript = ()
    told_right: bool | None = None


class Shots:
    """Draws the cases and prints them.

    Half of them show the correct answer first and half second. Where one speaker argues (a file
    of consultancies), it argues the correct answer in half of them. A question is drawn once.

    Args:
        cases: all with one speaker, or none.
        number: how many are shown; even.
        source: names the cases in error texts.

    Raises:
        ValueError: on a number that is not even and positive, and on cases of both kinds; by
            `show`, if there are too few.
    """

    def __init__(
        self, cases: Sequence[Case], number: int, seed: int = 0, source: str = "examples"
    ) -> None:
        if number < 2 or number % 2:
            raise ValueError(
                f"shots must be an even number of at least 2, so that each answer is right equally "
                f"often, got {number}"
            )
        if len({case.told_right is None for case in cases}) > 1:
            raise ValueError(
                f"{source}: some games have one speaker and some have not; give a file of one kind"
            )
        rng = np.random.default_rng(seed)
        self.number = number
        self.source = source
        self._cases = [cases[i] for i in rng.permutation(len(cases))]
        self._firsts = [bool(i % 2) for i in rng.permutation(number)]

    @classmethod
    def read(cls, path: Path, number: int, seed: int = 0) -> Shots:
        """The cases of a file, see `read_cases`.

        Raises:
            ValueError: as the constructor, and on a line that holds no such record.
            OSError: if the file cannot be read.
        """
        return cls(read_cases(path), number, seed, str(path))

    def show(self, state: State) -> str:
        """The cases for the judge of a game, whose speeches are shown as the game shows its own."""
        pairs = zip(self.draw(state.question), self._firsts, strict=True)
        texts = [_text(n, case, first, state) for n, (case, first) in enumerate(pairs, 1)]
        return _fill("examples", examples="\n".join(texts))

    def draw(self, question: Question) -> list[Case]:
        """The cases that are shown before a question."""
        other = [case for case in self._cases if not _same(case.question, question)]
        if any(case.told_right is None for case in other):
            chosen = _distinct(other, ())[: self.number]
        else:
            half = self.number // 2
            right = _distinct([case for case in other if case.told_right], ())[:half]
            wrong = _distinct([case for case in other if not case.told_right], right)[:half]
            chosen = [case for pair in zip(right, wrong, strict=False) for case in pair]
        if len(chosen) < self.number:
            raise ValueError(
                f"{self.source}: {self.number} cases were asked for, but only {len(chosen)} are "
                f"not about the question {question.id!r}, fit together and have no pictures; "
                "give more or ask for fewer"
            )
        return chosen


def read_cases(path: Path) -> list[Case]:
    """The cases of a JSON Lines file of `question` or `episode` records.

    Left out are games that broke, and questions with pictures, which would not be seen.

    Raises:
        ValueError: on a line that holds no such record; says which.
        OSError: if the file cannot be read.
    """
    cases: list[Case] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    cases += _cases(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise ValueError(
                        f"{path}:{number}: expected a question or an episode record: {error!r}"
                    ) from error
    return cases


def _cases(record: Any) -> Iterator[Case]:
    if "turns" not in record:
        case = Case(Question.from_json(record))
    else:
        episode = Episode.from_json(record)
        if episode.error is not None:
            return
        case = Case(episode.question, episode.turns, _told_right(episode))
    question = case.question
    if not (
        question.images or PLACEHOLDER.search(" ".join([question.question, *question.answers]))
    ):
        yield case


def _told_right(episode: Episode) -> bool | None:
    argued = [seat.answer for seat in episode.seats.values() if seat.answer is not None]
    return argued[0] == episode.question.correct if len(argued) == 1 else None


def _same(one: Question, other: Question) -> bool:
    """Whether two records ask the same, whatever the order of the answers."""
    if one.id == other.id:
        return True
    return one.question == other.question and set(one.answers) == set(other.answers)


def _distinct(cases: Sequence[Case], taken: Sequence[Case]) -> list[Case]:
    """The first case of each question that is not taken."""
    kept: list[Case] = []
    for case in cases:
        if not any(_same(case.question, held.question) for held in (*taken, *kept)):
            kept.append(case)
    return kept


def _text(number: int, case: Case, correct_first: bool, state: State) -> str:
    question = case.question
    shown = render_transcript(visible(case.turns, JUDGE_0, state.protocol))
    first = question.correct if correct_first else 1 - question.correct
    return _fill(
        "example",
        number=number,
        question=question.question,
        transcript=f"\n{shown}" if shown else "",
        first=question.answers[first],
        second=question.answers[1 - first],
        label=1 if correct_first else 2,
    )


def _fill(name: str, **fields: object) -> str:
    return Template(_template(name)).substitute(fields)


@cache
def _template(name: str) -> str:
    return (FOLDER / "judges" / f"{name}.md").read_text(encoding="utf-8").strip("\n")
