"""From specs to judges that run a model, each model loaded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from debate_gym.agents.judges.generated import FORMS, GeneratedJudge
from debate_gym.agents.judges.judge_calls import LOGPROB, PANEL, JudgeCall, is_call, parse
from debate_gym.agents.judges.panel import PanelJudge
from debate_gym.agents.judges.prompts import JudgePrompt
from debate_gym.agents.judges.shots import Shots
from debate_gym.envs.seats import Judge, Policy

SERVED, VLLM = "openai:", "vllm:"
VOTING = 0.8  # P24 appendix A.5


class JudgeBuilder:
    """Builds the judges of one spec.

    Args:
        make: gives the judge of a spec that runs no model.
        options: the caller's, for every judge that runs a model, where its spec says nothing else:
            `orders`, and what its reader (`logprob`) or its policy (the others) takes.
    """

    def __init__(self, make: Callable[[str], Judge], options: Mapping[str, Any]) -> None:
        self._make = make
        self._options = dict(options)
        self._loaded: dict[str, Any] = {}

    def judge(self, spec: str) -> Judge:
        """
        Raises:
            ValueError: on an unknown spec, an option that cannot be, or a model that cannot be
                read this way.
            OSError: if a model of the hub, or a file of examples, cannot be had.
        """
        if spec.startswith(f"{LOGPROB}:"):
            return self._reading(spec.removeprefix(f"{LOGPROB}:"), spec, self._options)
        if not is_call(spec):
            return self._make(spec)
        call = parse(spec)
        if call.kind == PANEL:
            members = [self.judge(part) for part in call.parts]
            return PanelJudge(members, **call.options, name=str(call))
        asked = {**self._options, **_pick(call, "orders"), **_shots(call)}
        if call.kind == LOGPROB:
            return self._reading(call.parts[0], str(call), asked)
        return self._writing(call, asked)

    def _reading(self, model: str, name: str, options: Mapping[str, Any]) -> Judge:
        if model.startswith(SERVED):
            from debate_gym.agents.server.judge import ServerJudge

            return ServerJudge.load(model, name, **options)
        if model.startswith(VLLM):
            from debate_gym.agents.vllm_engine import VllmJudge

            own = {key: value for key, value in options.items() if key != "shots"}
            engine = VllmJudge(self._engine(model), name, **own)
            engine.prompt = JudgePrompt(shots=options.get("shots"))
            return engine
        from debate_gym.agents.judges.logprob import LogProbJudge
        from debate_gym.agents.judges.vision import VisionJudge

        sees, parts = self._load(model)
        return (VisionJudge if sees else LogProbJudge)(*parts, name=name, **options)

    def _writing(self, call: JudgeCall, asked: Mapping[str, Any]) -> Judge:
        own = {key: value for key, value in asked.items() if key in ("orders", "shots")}
        rest = {key: value for key, value in asked.items() if key not in own}
        heat = VOTING if call.options.get("votes", 1) > 1 else 0.0
        defaults = {"temperature": heat, "max_new_tokens": FORMS[call.kind].tokens}
        writing = {**defaults, **rest, **_pick(call, "temperature")}
        if "tokens" in call.options:
            writing["max_new_tokens"] = call.options["tokens"]
        policy = self._policy(call.parts[0], writing)
        return GeneratedJudge(policy, str(call), call.kind, **own, **_pick(call, "votes", "rule"))

    def _policy(self, model: str, options: Mapping[str, Any]) -> Policy:
        if model.startswith(SERVED):
            from debate_gym.agents.server.policy import ServerPolicy

            return ServerPolicy.load(model, **options)
        if model.startswith(VLLM):
            from debate_gym.agents.vllm_engine import VllmPolicy

            return VllmPolicy(self._engine(model), model, **options)
        from debate_gym.agents.local import LocalPolicy
        from debate_gym.agents.vision import VisionPolicy

        sees, parts = self._load(model)
        return (VisionPolicy if sees else LocalPolicy)(*parts, model, **options)

    def _engine(self, model: str) -> Any:
        from debate_gym.agents.vllm_engine import VllmEngine

        if model not in self._loaded:
            self._loaded[model] = VllmEngine.load(model)
        return self._loaded[model]

    def _load(self, model: str) -> tuple[bool, tuple[Any, Any]]:
        """Whether a local model sees, and its weights with its tokenizer or processor."""
        from debate_gym.agents.models import load_model, load_vision, sees

        seeing = sees(model)
        if model not in self._loaded:
            self._loaded[model] = (load_vision if seeing else load_model)(model)
        return seeing, self._loaded[model]


def _pick(call: JudgeCall, *keys: str) -> dict[str, Any]:
    return {key: call.options[key] for key in keys if key in call.options}


def _shots(call: JudgeCall) -> dict[str, Shots]:
    if "shots" not in call.options:
        return {}
    path, seed = Path(call.options["examples"]).expanduser(), call.options.get("seed", 0)
    return {"shots": Shots.read(path, call.options["shots"], seed)}
