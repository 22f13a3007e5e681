"""Policies and judges by name.

Policies: `scripted:NAME`, any model spec of `debate_gym.agents.models`, `openai:MODEL@URL` (on a
server), `human` (at the terminal), or one that makes another policy stronger, such as
`best-of-4(MODEL)` (see `debate_gym.agents.wrapped`). Judges: `evidence`, `gold`, `mirrored`,
`first`, `human`, or `logprob:MODEL`.
"""

from __future__ import annotations

from typing import Any

from debate_gym.agents.wrapped import is_wrapped, make_wrapped
from debate_gym.envs.names import unknown
from debate_gym.envs.scripted import JUDGES, POLICIES, scripted_judge, scripted_policy
from debate_gym.envs.seats import Judge, Policy

SCRIPTED = "scripted:"
LOGPROB = "logprob:"
SERVED = "openai:"
HUMAN = "human"


def make_policy(spec: str, **options: Any) -> Policy:
    """The policy of a spec; `options` go to `LocalPolicy`, `VisionPolicy` where the model reads
    pictures, or `ServerPolicy`, and mean nothing to a scripted one and a human.

    Raises:
        ValueError: on an unknown spec, or an option out of range.
        OSError: if a model of the hub cannot be had.
    """
    if is_wrapped(spec):
        return make_wrapped(spec, make_policy, **options)
    if spec.startswith(SCRIPTED):
        return scripted_policy(spec)
    if spec == HUMAN:
        from debate_gym.agents.human import HumanPolicy

        return HumanPolicy()
    if spec.startswith(SERVED):
        from debate_gym.agents.server.policy import ServerPolicy

        return ServerPolicy.load(spec, **options)
    if spec in POLICIES:
        raise ValueError(f"unknown model {spec!r}; did you mean '{SCRIPTED}{spec}'?")
    from debate_gym.agents.local import LocalPolicy
    from debate_gym.agents.models import sees
    from debate_gym.agents.vision import VisionPolicy

    kind = VisionPolicy if sees(spec) else LocalPolicy
    return kind.load(spec, **options)


def make_judge(spec: str, **options: Any) -> Judge:
    """The judge of a spec; `options` go to `LogProbJudge`, `VisionJudge` where the model reads
    pictures, or `ServerJudge`, and mean nothing to a scripted one and a human.

    Raises:
        ValueError: on an unknown spec, or a model that cannot be read this way.
        OSError: if a model of the hub cannot be had.
    """
    if spec in JUDGES:
        return scripted_judge(spec)
    if spec == HUMAN:
        from debate_gym.agents.human import HumanJudge

        return HumanJudge()
    if not spec.startswith(LOGPROB):
        raise ValueError(_unknown_judge(spec))
    if spec.startswith(LOGPROB + SERVED):
        from debate_gym.agents.server.judge import ServerJudge

        return ServerJudge.load(spec.removeprefix(LOGPROB), spec, **options)
    from debate_gym.agents.judges.logprob import LogProbJudge
    from debate_gym.agents.judges.vision import VisionJudge
    from debate_gym.agents.models import load_model, load_vision, sees

    model = spec.removeprefix(LOGPROB)
    if sees(model):
        return VisionJudge(*load_vision(model), name=spec, **options)
    return LogProbJudge(*load_model(model), name=spec, **options)


def _unknown_judge(spec: str) -> str:
    from debate_gym.agents.models import ALIASES

    if spec in ALIASES or spec.startswith(("hf:", SERVED)):
        return f"unknown judge {spec!r}: a model judges as '{LOGPROB}{spec}'"
    return f"{unknown('judge', spec, [*JUDGES, HUMAN])}, or {LOGPROB}MODEL"
