"""The Gymnasium face: one learning seat, the others filled by a policy."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium import spaces

from debate_gym.envs.game import State, due, observe
from debate_gym.envs.nouns import JUDGE_0, Verdict
from debate_gym.envs.reward import rewards
from debate_gym.envs.table import (
    action_space,
    facts,
    make_table,
    observation_space,
    prompt,
    render_state,
)
from debate_gym.envs.verdict import make_verdict

Observed = dict[str, str]


class SingleSeatEnv(gym.Env[Observed, str]):
    """A debate or consultancy in which the caller speaks for one seat.

    An observation is the seat's prompt (`system`, `user`), an action is what the seat says. The
    only reward comes with the last step: what the judge's verdict pays the seat. A game whose
    opponent or judge breaks ends with the outcome `failed` and pays nothing.

    Args:
        protocol: name of the protocol.
        seat: the learning seat; the first one if None.
        settings: see `debate_gym.envs.table.make_table`.

    Raises:
        ValueError: on an unknown name or seat.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        protocol: str,
        seat: str | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.table = make_table(protocol, **settings)
        seats = self.table.protocol.seats
        self.seat = seats[0] if seat is None else seat
        if self.seat not in seats:
            raise ValueError(f"seat must be one of {seats}, got {seat!r}")
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = action_space()
        self._state: State | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        super().reset(seed=seed)
        state = self.table.deal(self.np_random, options)
        opened = self._others_speak(state)
        if isinstance(opened, Exception):
            raise RuntimeError(f"the opponent failed before the first turn: {opened}") from opened
        self._state = opened
        return prompt(observe(opened, self.seat)), facts(opened, self.seat)

    def step(self, action: str) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        if self._state is None:
            raise RuntimeError("call reset() before step()")
        before = self._state
        (state,) = self.table.answer_for([before], [{self.seat: self.table.utterance(action)}])
        if not isinstance(state, Exception):
            state = self._others_speak(state)
        if isinstance(state, Exception):
            return self._end(before, self.table.failed())
        self._state = state
        if due(state):
            return prompt(observe(state, self.seat)), 0.0, False, False, facts(state, self.seat)
        return self._end(state, self.table.settle([state])[0])

    def render(self) -> str | None:
        return None if self._state is None else render_state(self._state)

    def _others_speak(self, state: State) -> State | Exception:
        """Plays on to the learning seat's next turn, or to the end."""
        result: State | Exception = state
        while not isinstance(result, Exception) and due(result) and self.seat not in due(result):
            (result,) = self.table.answer_for([result], [{}])
        return result

    def _end(
        self, state: State, verdict: Verdict
    ) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        self._state = state
        reward = self.table.pay(verdict, state)[self.seat]
        shown = prompt(observe(state, self.seat))
        return shown, reward, True, False, facts(state, self.seat, verdict)


class DirectQAEnv(gym.Env[Observed, Any]):
    """One step: the learner is the judge, reads the question and picks an answer (0 or 1).

    Args:
        expert: show the article.
        settings: see `debate_gym.envs.table.make_table`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self, expert: bool = False, render_mode: str | None = None, **settings: Any
    ) -> None:
        self.table = make_table("direct-qa", judge_sees_article=expert, **settings)
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(2)
        self._state: State | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        super().reset(seed=seed)
        self._state = self.table.deal(self.np_random, options)
        return prompt(observe(self._state, JUDGE_0)), facts(self._state, JUDGE_0)

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        if self._state is None:
            raise RuntimeError("call reset() before step()")
        if not self.action_space.contains(action):
            raise ValueError(f"an action is 0 or 1, got {action!r}")
        state, p = self._state, (1.0, 0.0) if int(action) == 0 else (0.0, 1.0)
        verdict = make_verdict(JUDGE_0, (0, 1), p, state.question)
        sides = {JUDGE_0: state.question.correct}
        reward = rewards(verdict, sides, self.table.reward)[JUDGE_0]
        shown = prompt(observe(state, JUDGE_0))
        return shown, reward, True, False, facts(state, JUDGE_0, verdict)

    def render(self) -> str | None:
        return None if self._state is None else render_state(self._state)
