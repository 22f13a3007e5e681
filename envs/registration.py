"""The Gymnasium ids."""

from __future__ import annotations

import gymnasium as gym

SINGLE_SEAT = {
    "Debate": "debate",
    "InteractiveDebate": "interactive-debate",
    "OpenDebate": "open-debate",
    "Consultancy": "consultancy",
    "OpenConsultancy": "open-consultancy",
}


def register_all() -> None:
    """Registers the ids under `debate_gym/`: one a row of `SINGLE_SEAT`, `DirectQA-v0` and
    `Panel-v0`."""
    for name, protocol in SINGLE_SEAT.items():
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
    gym.register(id="debate_gym/Panel-v0", entry_point="debate_gym.envs.panel_env:PanelSeatEnv")
