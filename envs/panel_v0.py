"""The PettingZoo environment `panel_v0`: every panelist is an agent."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from debate_gym.envs.panel_env import PanelParallelEnv


def env(**settings: Any) -> Any:
    """The turn-by-turn environment, with checks on its use."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(**settings)))


def raw_env(**settings: Any) -> Any:
    """The turn-by-turn environment: a round is taken as a whole once all seats have answered."""
    return parallel_to_aec(parallel_env(**settings))


def parallel_env(**settings: Any) -> PanelParallelEnv:
    """The environment in which the seats of a round answer at once."""
    return PanelParallelEnv(**settings)
