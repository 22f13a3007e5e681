"""What the faces of a panel share: the questions, and what a final round pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.nouns import Outcome
from debate_gym.envs.panel import PanelRules, PanelState, open_panel, panel_due, top_letters
from debate_gym.envs.table import POOL
from debate_gym.envs.tasks.choices import load_choices

REWARDS = ("majority", "own")
PAY = {Outcome.CORRECT: 1.0, Outcome.INCORRECT: -1.0}


class PanelTable:
    """The settings of a panel environment.

    Args:
        task, split: where questions are drawn from, unless `questions` gives them.
        seats, rounds, private: see `debate_gym.envs.panel.PanelRules`.
        reward: `majority` pays every seat for the panel's final majority, `own` each one for its
            own final answer: 1 if right, -1 if wrong, 0 for a tie or what could not be read.

    Raises:
        ValueError: on an unknown name, a number out of range, or an empty pool.
    """

    def __init__(
        self,
        *,
        task: str = "evidence",
        split: str = "train",
        questions: Sequence[ChoiceQuestion] | None = None,
        reward: str = "majority",
        **rules: Any,
    ) -> None:
        if reward not in REWARDS:
            raise ValueError(f"reward must be one of {REWARDS}, got {reward!r}")
        self.rules = PanelRules(**rules)
        self.reward = reward
        self.questions = tuple(load_choices(task, split, POOL) if questions is None else questions)
        if not self.questions:
            raise ValueError("the pool of questions is empty")

    def deal(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> PanelState:
        """Opens a panel on a question of the pool, or on `options["question"]`."""
        question = (options or {}).get("question")
        if question is not None and not isinstance(question, ChoiceQuestion):
            raise ValueError(f"options['question'] must be a ChoiceQuestion, got {type(question)}")
        seed = int(rng.integers(2**31))
        drawn = self.questions[int(rng.integers(len(self.questions)))]
        return open_panel(question or drawn, self.rules, seed=seed)

    def pay(self, state: PanelState) -> dict[str, float]:
        """Each seat's reward; nothing before the panel is done."""
        if panel_due(state):
            return dict.fromkeys(self.rules.names, 0.0)
        final = state.letters[-1]
        judged = [[letter] for letter in final] if self.reward == "own" else [final] * len(final)
        outcomes = (outcome(state.question, letters) for letters in judged)
        paid = (PAY.get(found, 0.0) for found in outcomes)
        return dict(zip(self.rules.names, paid, strict=True))

    def facts(self, state: PanelState, seat: str) -> dict[str, Any]:
        """The `info` of a step; the correct option is in it only once the panel is done."""
        info: dict[str, Any] = {
            "question_id": state.question.id,
            "seat": seat,
            "round": len(state.texts),
        }
        if not panel_due(state):
            found = outcome(state.question, state.letters[-1])
            info |= {"outcome": found.value, "gold": state.question.letters[state.question.gold]}
        return info


def outcome(question: ChoiceQuestion, letters: Sequence[str | None]) -> Outcome:
    """What a majority amounts to."""
    top = list(top_letters(letters))
    if not top:
        return Outcome.UNREADABLE
    if len(top) > 1:
        return Outcome.TIE
    return Outcome.CORRECT if top[0] == question.letters[question.gold] else Outcome.INCORRECT


def render_panel(state: PanelState) -> str:
    """The panel so far, to read: a line a round with each seat's letter."""
    pairs = zip(state.question.letters, state.question.options, strict=True)
    lines = [state.question.question, *(f"{letter}) {option}" for letter, option in pairs)]
    for round, letters in enumerate(state.letters):
        lines.append(f"round {round}: {' '.join(letter or '-' for letter in letters)}")
    return "\n".join(lines)
