"""The PettingZoo environment `consultancy_v0`."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from debate_gym.envs.multi_agent import DebateAECEnv, DebateParallelEnv


def env(**settings: Any) -> Any:
    """The turn-by-turn environment, with checks on its use."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(**settings)))


def raw_env(**settings: Any) -> DebateAECEnv:
    """The turn-by-turn environment."""
    return DebateAECEnv("consultancy", **settings)


def parallel_env(**settings: Any) -> DebateParallelEnv:
    """The environment in which the seats of a round speak at once."""
    return DebateParallelEnv("consultancy", **settings)
