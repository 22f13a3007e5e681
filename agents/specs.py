"""Policies and judges by name.

Policies: `scripted:NAME`, any model spec of `debate_gym.agents.models`, `openai:MODEL@URL` (on a
server), `vllm:PATH_OR_ID`, `human` (at the terminal), or one that makes another policy stronger,
such as `best-of-4(MODEL)` (see `debate_gym.agents.wrapped`).

Judges: `evidence`, `gold`, `mirrored`, `first`, `human`, `logprob:MODEL`, or one with options, such
as `cot(MODEL, votes=3)` or a panel (see `debate_gym.agents.judges.judge_calls`).
"""

from __future__ import annotations

from typing import Any

from debate_gym.agents.judges.judge_calls import is_call
from debate_gym.agents.wrapped import is_wrapped, make_wrapped
from debate_gym.envs.names import unknown
from debate_gym.envs.scripted import JUDGES, POLICIES, scripted_judge, scripted_policy
from debate_gym.envs.seats import Judge, Policy

SCRIPTED = "scripted:"
LOGPROB = "logprob:"
SERVED = "openai:"
VLLM = "vllm:"
HUMAN = "human"
CALLS = "KIND(MODEL) of the kinds generated, cot, stated, stated-cot, panel"


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
    if spec.startswith(VLLM):
        from debate_gym.agents.vllm_engine import VllmPolicy

        return VllmPolicy.load(spec, **options)
    if spec in POLICIES:
        raise ValueError(f"unknown model {spec!r}; did you mean '{SCRIPTED}{spec}'?")
    from debate_gym.agents.local import LocalPolicy
    from debate_gym.agents.models import sees
    from debate_gym.agents.vision import VisionPolicy

    kind = VisionPolicy if sees(spec) else LocalPolicy
    return kind.load(spec, **options)


def make_judge(spec: str, **options: Any) -> Judge:
    """The judge of a spec; `options` go to `LogProbJudge`, `VisionJudge` where the model reads
    pictures, or `ServerJudge`, and mean nothing to a scripted one and a human. Of a judge that
    writes, `orders` is its own and the others are its policy's (see `make_policy`); a panel hands
    them to its members. What a spec says itself goes before.

    Raises:
        ValueError: on an unknown spec, or a model that cannot be read this way.
        OSError: if a model of the hub, or a file of examples, cannot be had.
    """
    from debate_gym.agents.judges.building import JudgeBuilder

    return JudgeBuilder(_plain_judge, options).judge(spec)


def _plain_judge(spec: str) -> Judge:
    """A judge that runs no model."""
    if spec in JUDGES:
        return scripted_judge(spec)
    if spec == HUMAN:
        from debate_gym.agents.human import HumanJudge

        return HumanJudge()
    raise ValueError(_unknown_judge(spec))


def _unknown_judge(spec: str) -> str:
    from debate_gym.agents.models import ALIASES

    if spec in ALIASES or spec.startswith(("hf:", SERVED, VLLM)):
        return f"unknown judge {spec!r}: a model judges as '{LOGPROB}{spec}', or 'cot({spec})'"
    kind, colon, model = spec.partition(":")
    if colon and is_call(f"{kind}()"):
        return f"unknown judge {spec!r}: did you mean '{kind}({model})'?"
    return f"{unknown('judge', spec, [*JUDGES, HUMAN])}, or {LOGPROB}MODEL, or {CALLS}"
