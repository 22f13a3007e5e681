"""The Gymnasium ids."""

from __future__ import annotations

import gymnasium as gym


def register_all() -> None:
    """Registers `Debate-v0`, `Consultancy-v0` and `DirectQA-v0` under `debate_gym/`."""
    for name, protocol in (("Debate", "debate"), ("Consultancy", "consultancy")):
        gym.register(
            id=f"debate_gym/{name}-v0",
            entry_point="debate_gym.envs.single_seat:SingleSeatEnv",
            vector_entry_point="debate_gym.envs.vector:SingleSeatVectorEnv",
            kwargs={"protocol": protocol},
        )
    gym.register(
        id="debate_gym/DirectQA-v0",
        entry_point="debate_gym.envs.single_seat:DirectQAEnv",
    )
