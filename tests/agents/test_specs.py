"""Policies and judges by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.local import LocalPolicy
from debate_gym.agents.specs import make_judge, make_policy


def test_names_give_policies_and_judges(model_folder: Path) -> None:
    spec = f"hf:{model_folder}"
    policy = make_policy(spec, temperature=0.5, max_new_tokens=3)
    assert isinstance(policy, LocalPolicy)
    assert (policy.name, policy.temperature, policy.max_new_tokens) == (spec, 0.5, 3)
    judge = make_judge(f"logprob:{spec}", orders="first")
    assert isinstance(judge, LogProbJudge)
    assert (judge.name, judge.orders) == (f"logprob:{spec}", ((0, 1),))
    assert make_policy("scripted:best").name == "scripted:best"
    for name in ("evidence", "gold", "mirrored", "first"):
        assert make_judge(name).name == name


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("best", "did you mean 'scripted:best'"),
        ("scripted:bets", "did you mean 'best'"),
        ("tiiny", "did you mean 'tiny'"),
    ],
)
def test_an_unknown_policy_is_refused(spec: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_policy(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("evidance", "did you mean 'evidence'.*logprob:MODEL"),
        ("tiny", "judges as 'logprob:tiny'"),
        ("hf:a/b", "judges as 'logprob:hf:a/b'"),
        ("logprob:tinny", "did you mean 'tiny'"),
    ],
)
def test_an_unknown_judge_is_refused(spec: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_judge(spec)
