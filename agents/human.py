"""A person at the terminal, as a speaker or as the judge.

What is shown goes to the error stream, so that standard output stays with the command's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TextIO, TypeVar

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.game import State, observe
from debate_gym.envs.nouns import JUDGE_0, Observation, Utterance, Verdict
from debate_gym.envs.verdict import make_verdict

END = "."
ORDER = (0, 1)
PROBABILITY = re.compile(r"(\d*\.\d+)|(\d+(?:\.\d+)?)\s*%")
# What a model wrote may hold control characters, and a terminal obeys them.
CONTROL = {code: "�" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
STYLES = {r"<v_passage>.*?</v_passage>": "green", r"<u_passage>.*?</u_passage>": "red"}
Item = TypeVar("Item")
Result = TypeVar("Result")


class HumanLeft(RuntimeError):
    """The person ended the input (Ctrl-D) or interrupted it (Ctrl-C)."""


class Terminal:
    """Shows texts and reads lines.

    Args:
        lines: where answers come from; standard input if None.
        console: where prompts go; the error stream if None.
    """

    def __init__(self, lines: TextIO | None = None, console: Console | None = None) -> None:
        self._lines = lines
        self._console = console or Console(stderr=True)
        self._left = False

    def show(self, observation: Observation) -> None:
        """Prints the prompt of a seat as it would be given to a model."""
        title = Text(f"{observation.seat}, {observation.episode}".translate(CONTROL))
        text = Text(f"{observation.system}\n\n{observation.user}".translate(CONTROL))
        for pattern, style in STYLES.items():
            text.highlight_regex(re.compile(pattern, re.DOTALL), style)
        self._console.print(Panel(text, title=title))
        for number, image in enumerate(observation.images, 1):
            self.say(f"image {number}: {image[:120]}")

    def say(self, text: str) -> None:
        self._console.print(Text(text.translate(CONTROL)))

    def line(self) -> str:
        """The next line, without its end.

        Raises:
            HumanLeft: at the end of the input, on an interrupt, and ever after.
        """
        if self._left:
            raise HumanLeft("the person at the terminal has left")
        try:
            line = (self._lines or sys.stdin).readline()
        except KeyboardInterrupt:
            line = ""
        if not line:
            self._left = True
            raise HumanLeft("the person at the terminal has left")
        return line.rstrip("\r\n")


class HumanPolicy:
    """Speaks with what a person types. Seats that are due at once are asked one after another.

    Args:
        terminal: a new one if None.

    Raises:
        PartlyFailed: by `act`, once the person has left.
    """

    def __init__(self, terminal: Terminal | None = None) -> None:
        self.name = "human"
        self.revision = ""
        self._terminal = terminal or Terminal()

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return _each(self, self._speak, observations)

    def _speak(self, observation: Observation) -> Utterance:
        self._terminal.show(observation)
        text = self._choice() if observation.choosing else self._speech()
        return Utterance(text)

    def _speech(self) -> str:
        while True:
            self._terminal.say(f"Your speech; end it with a line that holds only {END!r}:")
            lines = []
            while (line := self._terminal.line()) != END:
                lines.append(line)
            if speech := "\n".join(lines).strip():
                return speech
            self._terminal.say("That was empty.")

    def _choice(self) -> str:
        while True:
            self._terminal.say("Which answer will you argue for, 1 or 2?")
            if (said := self._terminal.line().strip()) in ("1", "2"):
                return f"Answer: {said}"
            self._terminal.say(f"Expected 1 or 2, got {said!r}.")


class HumanJudge:
    """Decides with what a person types: `1`, `2`, or the probability that answer 1 is right.

    A person judges a game once, with the answers in the question's order: so a preference for a
    position stays in.

    Args:
        terminal: a new one if None.

    Raises:
        PartlyFailed: by `judge`, once the person has left.
    """

    def __init__(self, terminal: Terminal | None = None) -> None:
        self.name = "human"
        self._terminal = terminal or Terminal()

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        return _each(self, self._decide, states)

    def _decide(self, state: State) -> tuple[Verdict, ...]:
        self._terminal.show(observe(state, JUDGE_0, ORDER))
        while True:
            self._terminal.say(
                "Your verdict: 1 or 2, or the probability that answer 1 is right (0.7 or 70%):"
            )
            said = self._terminal.line().strip()
            if (p := read_probability(said)) is not None:
                return (make_verdict(self.name, ORDER, (p, 1 - p), state.question),)
            self._terminal.say(
                f"Expected 1, 2, a number with a point (0.0 to 1.0) or a percentage, got {said!r}."
            )


def read_probability(said: str) -> float | None:
    """The probability of answer 1 that a verdict stands for: `1` and `2` are answers, a number with
    a point or a percent sign is a probability; None for anything else."""
    if said in ("1", "2"):
        return 1.0 if said == "1" else 0.0
    match = PROBABILITY.fullmatch(said)
    if match is None:
        return None
    p = float(match[1]) if match[1] else float(match[2]) / 100
    return p if p <= 1 else None


def _each(source: object, do: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    results: list[Result | HumanLeft] = []
    for item in items:
        try:
            results.append(do(item))
        except HumanLeft as left:
            results.append(left)
    done = [result for result in results if not isinstance(result, HumanLeft)]
    if len(done) < len(results):
        raise PartlyFailed(source, results)
    return done
