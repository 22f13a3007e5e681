"""Policies and judges by name.

Policies: `scripted:NAME`, or any model spec of `debate_gym.agents.models`. Judges: `evidence`,
`gold`, `mirrored`, `first`, or `logprob:MODEL`.
"""

from __future__ import annotations

from typing import Any

from debate_gym.envs.names import unknown
from debate_gym.envs.scripted import JUDGES, scripted_judge, scripted_policy
from debate_gym.envs.seats import Judge, Policy


def make_policy(spec: str, **options: Any) -> Policy:
    """The policy of a spec; `options` go to `LocalPolicy` and mean nothing to a scripted one.

    Raises:
        ValueError: on an unknown spec.
    """
    if spec.startswith("scripted:"):
        return scripted_policy(spec)
    from debate_gym.agents.local import LocalPolicy

    return LocalPolicy.load(spec, **options)


def make_judge(spec: str) -> Judge:
    """The judge of a spec.

    Raises:
        ValueError: on an unknown spec.
    """
    if spec in JUDGES:
        return scripted_judge(spec)
    if not spec.startswith("logprob:"):
        raise ValueError(f"{unknown('judge', spec, JUDGES)}, or logprob:MODEL")
    from debate_gym.agents.judges.logprob import LogProbJudge
    from debate_gym.agents.models import load_model

    return LogProbJudge(*load_model(spec.removeprefix("logprob:")), name=spec)
