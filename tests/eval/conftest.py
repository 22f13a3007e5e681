from __future__ import annotations

from collections.abc import Callable

import pytest

from debate_gym.envs.nouns import Episode
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.scripted import scripted_judge, scripted_policy
from debate_gym.envs.tasks import load_task
from debate_gym.eval.checkpoint import Evaluation, evaluate_policy

Evaluate = Callable[..., Evaluation]


@pytest.fixture(scope="session")
def evaluate() -> Evaluate:
    """Evaluates scripted seats: `evaluate("best", protocol="debate", judge="evidence", n=8)`."""

    def run(
        name: str, *, protocol: str = "debate", judge: str = "evidence", n: int = 8, **more: object
    ) -> Evaluation:
        rival = scripted_policy("random")
        rival.revision = "rival"
        return evaluate_policy(
            scripted_policy(name),
            rival,
            load_task("evidence", "heldout", n, 0),
            load_protocol(protocol),
            scripted_judge(judge),
            0,
            **more,  # type: ignore[arg-type]
        )

    return run


@pytest.fixture(scope="session")
def episodes(evaluate: Evaluate) -> tuple[Episode, ...]:
    """Twelve episodes of a debate, four of them self-play."""
    return evaluate("random", n=4).episodes
