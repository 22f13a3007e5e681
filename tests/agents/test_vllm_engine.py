"""The vLLM engine's own part, on a stand-in for vLLM that runs the model of the tests."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.local import LocalPolicy
from debate_gym.agents.local_scorer import LocalScorer
from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.agents.vllm_engine import VllmEngine, VllmJudge, VllmPolicy, VllmScorer
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import State, observe, start
from debate_gym.envs.nouns import JUDGE_0

QUESTIONS = load_task("evidence", "heldout", 3, seed=5)
STATES = [start(q, load_protocol("direct-qa")) for q in QUESTIONS]
SEEN = [observe(start(q, load_protocol("debate")), "debater_0") for q in QUESTIONS]


class Params(SimpleNamespace):
    """What a request asks for; takes only what vLLM 0.32 takes."""

    def __init__(self, **options: Any) -> None:
        known = {"temperature", "top_p", "max_tokens", "seed", "logprob_token_ids"}
        assert set(options) <= known
        super().__init__(**options)


class Engine:
    """As `vllm.LLM`, greedy."""

    made: list[dict[str, Any]]
    model: Any

    def __init__(self, **options: Any) -> None:
        self.made.append(options)
        limit = options.get("max_model_len", 4096)
        self.model_config = SimpleNamespace(hf_config=self.model.config, max_model_len=limit)

    def generate(self, prompts: Any, params: Any, use_tqdm: bool) -> Any:
        said = [self._one(p["prompt_token_ids"], q) for p, q in zip(prompts, params, strict=True)]
        return [SimpleNamespace(outputs=[one]) for one in said]

    def _one(self, ids: list[int], params: Any) -> Any:
        with torch.no_grad():
            logits = self.model(torch.tensor([ids])).logits[0, -1].double().log_softmax(-1)
            row = self.model.generate(
                torch.tensor([ids]), max_new_tokens=params.max_tokens, do_sample=False
            )[0, len(ids) :]
        wanted = getattr(params, "logprob_token_ids", [])
        chances = {i: SimpleNamespace(logprob=float(logits[i])) for i in wanted}
        ended = row[-1] == self.model.config.eos_token_id
        return SimpleNamespace(
            token_ids=row.tolist(), finish_reason="stop" if ended else "length", logprobs=[chances]
        )


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch, model: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    module: Any = ModuleType("vllm")
    module.LLM = type("LLM", (Engine,), {"made": made, "model": model})
    module.SamplingParams = Params
    monkeypatch.setitem(sys.modules, "vllm", module)
    return made


def test_it_says_what_the_local_policy_says(
    vllm: list[dict[str, Any]], model: Any, tokenizer: Any, model_folder: Path
) -> None:
    policy = make_policy(f"vllm:{model_folder}", temperature=0.0, max_new_tokens=6)
    assert isinstance(policy, VllmPolicy)
    local = LocalPolicy(model, tokenizer, "llama", temperature=0.0, max_new_tokens=6)
    assert policy.act(SEEN) == local.act(SEEN)
    assert vllm == [{"model": str(model_folder), "enable_prefix_caching": True, "seed": 0}]


def test_it_judges_as_the_local_judge(
    vllm: list[dict[str, Any]], model: Any, tokenizer: Any, model_folder: Path
) -> None:
    judge = make_judge(f"logprob:vllm:{model_folder}")
    assert isinstance(judge, VllmJudge)
    local = LogProbJudge(model, tokenizer, judge.name)
    assert _shares(judge, STATES) == [pytest.approx(p, rel=1e-3) for p in _shares(local, STATES)]


def _shares(judge: LogProbJudge, states: list[State]) -> list[Any]:
    return [
        (*(verdict.p or ()), verdict.label_mass)
        for ruling in judge.judge(states)
        for verdict in ruling
    ]


def test_it_scores_as_the_local_scorer(
    vllm: list[dict[str, Any]], model: Any, tokenizer: Any, model_folder: Path
) -> None:
    prompts = [observe(state, JUDGE_0) for state in STATES]
    scorer = VllmScorer(VllmEngine(str(model_folder)), "v")
    local = LocalScorer(model, tokenizer, "l")
    for one, two in zip(
        scorer.log_probabilities(prompts, "Answer:", ("1", "2")),
        local.log_probabilities(prompts, "Answer:", ("1", "2")),
        strict=True,
    ):
        assert one.log_probabilities == pytest.approx(two.log_probabilities)
        assert one.prompt_tokens == two.prompt_tokens
        assert all(value is not None and math.isfinite(value) for value in one.log_probabilities)


def test_what_it_refuses(vllm: list[dict[str, Any]], model_folder: Path) -> None:
    small = VllmEngine(str(model_folder), max_model_len=100)
    assert vllm[0]["max_model_len"] == 100
    with pytest.raises(ValueError, match="exceed the context of 100"):
        VllmPolicy(small, "v").act(SEEN)
    with pytest.raises(ValueError, match="temperature >= 0"):
        VllmPolicy(small, "v", temperature=-1)
    with pytest.raises(ValueError, match="there is no folder"):
        make_policy("vllm:/no/such/folder")


def test_without_vllm(monkeypatch: pytest.MonkeyPatch, model_folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ModuleNotFoundError, match="pip install vllm"):
        make_policy(f"vllm:{model_folder}")
