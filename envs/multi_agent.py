"""The PettingZoo faces: every seat is an agent, the judge is part of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv

from debate_gym.envs.game import State, due, observe
from debate_gym.envs.nouns import Utterance, Verdict
from debate_gym.envs.table import (
    Table,
    action_space,
    facts,
    make_table,
    observation_space,
    prompt,
    render_state,
    without,
)

Observed = dict[str, str]


class DebateParallelEnv(ParallelEnv[str, Observed, str]):  # type: ignore[misc]
    """All seats of a round speak at once.

    Args:
        protocol: name of the protocol; its turns must be simultaneous, and its sides assigned.
        settings: see `debate_gym.envs.table.make_table`; there is no opponent here.

    Raises:
        ValueError: on sequential turns or a seat that chooses: those are played by `env()`.
    """

    metadata = {"render_modes": ["ansi"], "name": "debate_gym_parallel"}  # noqa: RUF012

    def __init__(self, protocol: str, render_mode: str | None = None, **settings: Any) -> None:
        self.table = make_table(
            protocol, **without(settings, ("opponent", "seat"), "every seat is an agent of its own")
        )
        if self.table.protocol.turns != "simultaneous":
            raise ValueError("parallel_env() plays simultaneous turns; use env() for sequential")
        if self.table.protocol.chooser is not None:
            raise ValueError("one seat chooses before the others speak; use env()")
        self.render_mode = render_mode
        self.possible_agents = list(self.table.protocol.seats)
        self.agents: list[str] = []
        self.observation_spaces = {seat: observation_space() for seat in self.possible_agents}
        self.action_spaces = {seat: action_space() for seat in self.possible_agents}
        self._rng: np.random.Generator | None = None
        self._state: State | None = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        rng = self._rng = _generator(self._rng, seed)
        self._state = self.table.deal(rng, options)
        self.agents = list(self.possible_agents)
        return self._seen(self._state), self._facts(self._state, None)

    def step(self, actions: dict[str, str]) -> tuple[Any, Any, Any, Any, Any]:
        if self._state is None or not self.agents:
            raise RuntimeError("call reset() before step()")
        said = {seat: self.table.utterance(action) for seat, action in actions.items()}
        state, verdict = _take(self.table, self._state, said)
        self._state = state
        paid = (
            dict.fromkeys(self.agents, 0.0) if verdict is None else self.table.pay(verdict, state)
        )
        ended = dict.fromkeys(self.agents, verdict is not None)
        truncated = dict.fromkeys(self.agents, False)
        seen, infos = self._seen(state), self._facts(state, verdict)
        if verdict is not None:
            self.agents = []
        return seen, paid, ended, truncated, infos

    def render(self) -> str | None:
        return None if self._state is None else render_state(self._state)

    def close(self) -> None:
        """Nothing is held open."""

    def _seen(self, state: State) -> dict[str, Observed]:
        return {seat: prompt(observe(state, seat)) for seat in self.agents}

    def _facts(self, state: State, verdict: Verdict | None) -> dict[str, dict[str, Any]]:
        return {seat: facts(state, seat, verdict) for seat in self.agents}


class DebateAECEnv(AECEnv[str, Observed, str | None]):  # type: ignore[misc]
    """Seats speak one after another.

    In a simultaneous round a seat does not see what the others of that round have said: the round
    is taken as a whole once all of them have spoken.

    Args:
        protocol: name of the protocol.
        settings: see `debate_gym.envs.table.make_table`; there is no opponent here.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "name": "debate_gym",
        "is_parallelizable": False,
    }

    def __init__(self, protocol: str, render_mode: str | None = None, **settings: Any) -> None:
        super().__init__()
        self.table = make_table(
            protocol, **without(settings, ("opponent", "seat"), "every seat is an agent of its own")
        )
        self.render_mode = render_mode
        self.possible_agents = list(self.table.protocol.seats)
        self.observation_spaces = {seat: observation_space() for seat in self.possible_agents}
        self.action_spaces = {seat: action_space() for seat in self.possible_agents}
        self._rng: np.random.Generator | None = None
        self._state: State | None = None
        self._said: dict[str, Utterance] = {}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        rng = self._rng = _generator(self._rng, seed)
        self._state = self.table.deal(rng, options)
        self._said = {}
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {seat: facts(self._state, seat) for seat in self.agents}
        self.agent_selection = due(self._state)[0]

    def observe(self, agent: str) -> Observed:
        if self._state is None:
            raise RuntimeError("call reset() before observe()")
        return prompt(observe(self._state, agent))

    def step(self, action: str | None) -> None:
        if self._state is None:
            raise RuntimeError("call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._said[agent] = self.table.utterance(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        waiting = [seat for seat in due(self._state) if seat not in self._said]
        if not waiting:
            self._state, verdict = _take(self.table, self._state, self._said)
            self._said = {}
            waiting = list(due(self._state)) if verdict is None else []
            if verdict is not None:
                self._end(self._state, verdict)
        if waiting:
            self.infos = {seat: facts(self._state, seat) for seat in self.agents}
        self.agent_selection = waiting[0] if waiting else self.agents[0]
        self._accumulate_rewards()

    def render(self) -> str | None:
        return None if self._state is None else render_state(self._state)

    def close(self) -> None:
        """Nothing is held open."""

    def _end(self, state: State, verdict: Verdict) -> None:
        self.rewards = self.table.pay(verdict, state)
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {seat: facts(state, seat, verdict) for seat in self.agents}


def _take(
    table: Table, state: State, said: Mapping[str, Utterance]
) -> tuple[State, Verdict | None]:
    """Plays a step, and what a judge who asks says after it; the verdict once the game is over.

    The state of a game that broke is the one before its last sound step.
    """
    played = table.answer_for([state], [said])
    (after,) = table.play_on(played, *table.protocol.seats)
    if isinstance(after, Exception):
        (reached,) = played
        return state if isinstance(reached, Exception) else reached, table.failed()
    return after, None if due(after) else table.settle([after])[0]


def _generator(held: np.random.Generator | None, seed: int | None) -> np.random.Generator:
    if held is not None and seed is None:
        return held
    return seeding.np_random(seed)[0]
