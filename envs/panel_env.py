"""The faces of a panel: PettingZoo with every seat an agent, Gymnasium with one learning seat."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from debate_gym.envs.asking import ask
from debate_gym.envs.nouns import Outcome, Utterance
from debate_gym.envs.panel import PanelState, panel_advance, panel_due, panel_observe
from debate_gym.envs.panel_table import PanelTable, render_panel
from debate_gym.envs.panelists import scripted_panelist
from debate_gym.envs.seats import Policy
from debate_gym.envs.table import action_space, as_utterance, observation_space, prompt

Observed = dict[str, str]


class PanelParallelEnv(ParallelEnv[str, Observed, str]):  # type: ignore[misc]
    """All seats of a round answer at once.

    Args:
        settings: see `debate_gym.envs.panel_table.PanelTable`.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "name": "debate_gym_panel",
        "is_parallelizable": True,
    }

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        self.table = PanelTable(**settings)
        self.render_mode = render_mode
        self.possible_agents = list(self.table.rules.names)
        self.agents: list[str] = []
        self.observation_spaces = {seat: observation_space() for seat in self.possible_agents}
        self.action_spaces = {seat: action_space() for seat in self.possible_agents}
        self._rng: np.random.Generator | None = None
        self._state: PanelState | None = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        held = self._rng if seed is None else None
        rng = self._rng = seeding.np_random(seed)[0] if held is None else held
        self._state = self.table.deal(rng, options)
        self.agents = list(self.possible_agents)
        return self._seen(self._state), self._facts(self._state)

    def step(self, actions: dict[str, str]) -> tuple[Any, Any, Any, Any, Any]:
        if self._state is None or not self.agents:
            raise RuntimeError("call reset() before step()")
        said = {seat: as_utterance(action) for seat, action in actions.items()}
        state = self._state = panel_advance(self._state, said)
        ended = dict.fromkeys(self.agents, not panel_due(state))
        truncated = dict.fromkeys(self.agents, False)
        result = (self._seen(state), self.table.pay(state), ended, truncated, self._facts(state))
        if not panel_due(state):
            self.agents = []
        return result

    def render(self) -> str | None:
        return None if self._state is None else render_panel(self._state)

    def close(self) -> None:
        """Nothing is held open."""

    def _seen(self, state: PanelState) -> dict[str, Observed]:
        return {seat: prompt(panel_observe(state, seat)) for seat in self.agents}

    def _facts(self, state: PanelState) -> dict[str, dict[str, Any]]:
        return {seat: self.table.facts(state, seat) for seat in self.agents}


class PanelSeatEnv(gym.Env[Observed, str]):
    """A panel in which the caller answers for one seat, and a policy for all others.

    A panel whose other seats break ends with the outcome `failed` and pays nothing.

    Args:
        seat: the learning seat; the first one if None.
        opponent: the other panelists: the name of a scripted one, or a policy.
        settings: see `debate_gym.envs.panel_table.PanelTable`.

    Raises:
        ValueError: on an unknown name or seat.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        seat: str | None = None,
        opponent: str | Policy = "scripted:follower",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.table = PanelTable(**settings)
        names = self.table.rules.names
        if seat is not None and seat not in names:
            raise ValueError(f"seat must be one of {names}, got {seat!r}")
        self.seat = names[0] if seat is None else seat
        self.opponent = scripted_panelist(opponent) if isinstance(opponent, str) else opponent
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = action_space()
        self._state: PanelState | None = None
        self._ended = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        super().reset(seed=seed)
        state = self._state = self.table.deal(self.np_random, options)
        self._ended = False
        return prompt(panel_observe(state, self.seat)), self.table.facts(state, self.seat)

    def step(self, action: str) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        state = self._state
        if state is None or self._ended:
            raise RuntimeError("no panel is running: call reset() before step()")
        others = [seat for seat in panel_due(state) if seat != self.seat]
        said: dict[str, Utterance] = {self.seat: as_utterance(action)}
        seen = [panel_observe(state, seat) for seat in others]
        for seat, reply in zip(others, ask(self.opponent, seen, "opponent"), strict=True):
            if isinstance(reply, Exception):
                return self._broken(state)
            said[seat] = reply
        state = self._state = panel_advance(state, said)
        self._ended = not panel_due(state)
        shown, info = prompt(panel_observe(state, self.seat)), self.table.facts(state, self.seat)
        return shown, self.table.pay(state)[self.seat], self._ended, False, info

    def render(self) -> str | None:
        return None if self._state is None else render_panel(self._state)

    def _broken(self, state: PanelState) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        self._ended = True
        info = self.table.facts(state, self.seat) | {"outcome": Outcome.FAILED.value}
        return prompt(panel_observe(state, self.seat)), 0.0, True, False, info
