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
    learning_seat,
    make_table,
    observation_space,
    prompt,
    render_state,
    without,
)
from debate_gym.envs.verdict import make_verdict

Observed = dict[str, str]


class SingleSeatEnv(gym.Env[Observed, str]):
    """A game in which the caller speaks for one seat.

    An observation is the seat's prompt (`system`, `user`), an action is what the seat says. The
    only reward comes with the last step: what the judge's verdict pays the seat. A game whose
    opponent or judge breaks, or whose side is chosen in words that cannot be read, ends with the
    outcome `failed` and pays nothing.

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
        self.seat = learning_seat(self.table.protocol, seat)
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = action_space()
        self._state: State | None = None
        self._broken = False
        self._ended = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        super().reset(seed=seed)
        dealt = self.table.deal(self.np_random, options)
        (opened,) = self.table.play_on([dealt], self.seat)
        # reset() can end no game: one that broke before the first turn ends with the first step.
        self._broken = isinstance(opened, Exception)
        self._state = dealt if isinstance(opened, Exception) else opened
        self._ended = False
        return prompt(observe(self._state, self.seat)), facts(self._state, self.seat)

    def step(self, action: str) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        state = self._state
        if state is None or self._ended:
            raise RuntimeError("no game is running: call reset() before step()")
        said = self.table.utterance(action)
        if self._broken:
            return self._end(state, self.table.failed())
        answered = self.table.answer_for([state], [{self.seat: said}])
        (played,) = self.table.play_on(answered, self.seat)
        if isinstance(played, Exception):
            return self._end(state, self.table.failed())
        self._state = played
        if due(played):
            return prompt(observe(played, self.seat)), 0.0, False, False, facts(played, self.seat)
        return self._end(played, self.table.settle([played])[0])

    def render(self) -> str | None:
        return None if self._state is None else render_state(self._state)

    def _end(
        self, state: State, verdict: Verdict
    ) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        self._ended = True
        reward = self.table.pay(verdict, state)[self.seat]
        shown = prompt(observe(state, self.seat))
        return shown, reward, True, False, facts(state, self.seat, verdict)


class DirectQAEnv(gym.Env[Observed, Any]):
    """One step: the learner is the judge, reads the question and picks an answer (0 or 1).

    Args:
        expert: show the article.
        seat: `judge_0`; there is no other.
        settings: see `debate_gym.envs.table.make_table`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        expert: bool = False,
        seat: str = JUDGE_0,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if seat != JUDGE_0:
            raise ValueError(f"the only seat is {JUDGE_0!r}, got {seat!r}")
        own = without(settings, ("judge", "opponent", "turns"), "the learner judges, nobody speaks")
        self.table = make_table("direct-qa", judge_sees_article=expert, **own)
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(2)
        self._state: State | None = None
        self._ended = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        super().reset(seed=seed)
        self._state = self.table.deal(self.np_random, options)
        self._ended = False
        return prompt(observe(self._state, JUDGE_0)), facts(self._state, JUDGE_0)

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        state = self._state
        if state is None or self._ended:
            raise RuntimeError("no game is running: call reset() before step()")
        if not self.action_space.contains(action):
            raise ValueError(f"an action is 0 or 1, got {action!r}")
        self._ended = True
        p = (1.0, 0.0) if int(action) == 0 else (0.0, 1.0)
        verdict = make_verdict(JUDGE_0, (0, 1), p, state.question)
        sides = {JUDGE_0: state.question.correct}
        reward = rewards(verdict, sides, self.table.reward)[JUDGE_0]
        shown = prompt(observe(state, JUDGE_0))
        return shown, reward, True, False, facts(state, JUDGE_0, verdict)

    def render(self) -> str | None:
        return None if self._state is None else render_state(self._state)
