"""The vector face: many games stepped at once, with one call to the opponent and to the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from debate_gym.envs.game import State, due, observe
from debate_gym.envs.nouns import Utterance, Verdict
from debate_gym.envs.table import (
    action_space,
    facts,
    learning_seat,
    make_table,
    observation_space,
    prompt,
    render_state,
)

Batch = dict[str, tuple[str, ...]]


class SingleSeatVectorEnv(VectorEnv[Batch, Sequence[str], np.ndarray]):
    """`num_envs` games of `debate_gym.envs.single_seat.SingleSeatEnv`.

    Observations are a dict of tuples of strings, actions a sequence of strings. A game that has
    ended is reset by the next step, whose action for it is ignored and whose reward is 0.

    Args:
        settings: as for the single environment.
    """

    def __init__(
        self,
        protocol: str,
        num_envs: int = 1,
        seat: str | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.table = make_table(protocol, **settings)
        self.seat = learning_seat(self.table.protocol, seat)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": ["ansi"]}
        self.single_observation_space = observation_space()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._states: list[State] = []
        self._broken = [False] * num_envs
        self._ended = [False] * num_envs
        self._generators: list[np.random.Generator] = []

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Batch, dict[str, Any]]:
        """Opens all games.

        Args:
            seed: the seed of the first game, the others counting on from it, or one a game; as in
                the vector environments of Gymnasium.
            options: for these games only, not for those that follow on them.
        """
        seeds = (
            [None if seed is None else seed + i for i in range(self.num_envs)]
            if (seed is None or isinstance(seed, int))
            else list(seed)
        )
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, got {len(seeds)}")
        kept: list[Any] = list(self._generators) or [None] * self.num_envs
        self._generators = [
            old if old is not None and one is None else np.random.default_rng(one)
            for old, one in zip(kept, seeds, strict=True)
        ]
        dealt = [self.table.deal(generator, options) for generator in self._generators]
        self._states = dealt
        self._open(range(self.num_envs))
        return self._observed(), self._infos([None] * self.num_envs)

    def step(
        self, actions: Sequence[str]
    ) -> tuple[Batch, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        if not self._states:
            raise RuntimeError("call reset() before step()")
        if len(actions) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} actions, got {len(actions)}")
        restarted = [i for i in range(self.num_envs) if self._ended[i]]
        said = {
            i: self.table.utterance(actions[i]) for i in range(self.num_envs) if not self._ended[i]
        }
        for i in restarted:
            self._states[i] = self.table.deal(self._generators[i], None)
        self._open(restarted)
        verdicts = self._play(said)
        rewards = np.zeros(self.num_envs)
        for i, verdict in verdicts.items():
            rewards[i] = self.table.pay(verdict, self._states[i])[self.seat]
            self._ended[i] = True
        terminated = np.array([i in verdicts for i in range(self.num_envs)])
        infos = self._infos([verdicts.get(i) for i in range(self.num_envs)])
        return self._observed(), rewards, terminated, np.zeros(self.num_envs, dtype=bool), infos

    def render(self) -> tuple[str, ...] | None:
        return tuple(render_state(state) for state in self._states) or None

    def _play(self, said: Mapping[int, Utterance]) -> dict[int, Verdict]:
        """Plays a turn in each of these games; returns the verdicts of those that ended."""
        verdicts = {i: self.table.failed() for i in said if self._broken[i]}
        sound = [i for i in said if not self._broken[i]]
        mine = [{self.seat: said[i]} for i in sound]
        answered = self.table.answer_for([self._states[i] for i in sound], mine)
        ready: list[int] = []
        for i, played in zip(sound, self.table.play_on(answered, self.seat), strict=True):
            if isinstance(played, Exception):
                verdicts[i] = self.table.failed()
                continue
            self._states[i] = played
            if not due(played):
                ready.append(i)
        settled = self.table.settle([self._states[i] for i in ready])
        return verdicts | dict(zip(ready, settled, strict=True))

    def _open(self, numbers: Sequence[int]) -> None:
        """Plays dealt games on to the learning seat's first turn."""
        opened = self.table.play_on([self._states[i] for i in numbers], self.seat)
        for i, state in zip(numbers, opened, strict=True):
            self._ended[i] = False
            self._broken[i] = isinstance(state, Exception)
            if not isinstance(state, Exception):
                self._states[i] = state

    def _observed(self) -> Batch:
        prompts = [prompt(observe(state, self.seat)) for state in self._states]
        return {key: tuple(shown[key] for shown in prompts) for key in ("system", "user")}

    def _infos(self, verdicts: Sequence[Verdict | None]) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for i, (state, verdict) in enumerate(zip(self._states, verdicts, strict=True)):
            infos = self._add_info(infos, facts(state, self.seat, verdict), i)
        return infos
