"""A policy that runs a transformers model, many prompts to a call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.models import load_model, revision
from debate_gym.envs.nouns import Finish, Observation, Utterance


class LocalPolicy:
    """Speaks with a causal language model.

    What it says depends on the observations' seeds, on the weights, and on how a call is cut into
    batches; never on torch's global generator, which it leaves as it was.

    Args:
        temperature: 0 takes the likeliest token.
        batch_size: prompts to one call of `generate`.
        adapter_off: speak with the base of a LoRA model.

    Raises:
        ValueError: by `act`, on a prompt that leaves no room for an answer in the context.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        temperature: float = 1.0,
        max_new_tokens: int = 256,
        batch_size: int = 128,
        adapter_off: bool = False,
        version: str | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.revision = revision(model) if version is None else version
        self.temperature = temperature
        self.max_new_tokens = max_new_tokens
        self.batch_size = batch_size
        self.adapter_off = adapter_off

    @classmethod
    def load(cls, spec: str, **options: Any) -> LocalPolicy:
        """Loads the model of a spec (see `debate_gym.agents.models`)."""
        model, tokenizer = load_model(spec)
        return cls(model, tokenizer, spec, **options)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        prompts = [encode_prompt(self.tokenizer, o.system, o.user) for o in observations]
        limit = getattr(self.model.config, "max_position_embeddings", None)
        for observation, prompt in zip(observations, prompts, strict=True):
            if limit is not None and len(prompt) + self.max_new_tokens > limit:
                raise ValueError(
                    f"{observation.episode}, {observation.seat}: a prompt of {len(prompt)} "
                    f"tokens and {self.max_new_tokens} new ones exceed the context of {limit}; "
                    "shorten the article or lower max_new_tokens"
                )
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        said: dict[int, Utterance] = {}
        for begin in range(0, len(order), self.batch_size):
            chosen = order[begin : begin + self.batch_size]
            seed = sum(observations[i].seed for i in chosen) % 2**63
            utterances = self._generate([prompts[i] for i in chosen], seed)
            said.update(zip(chosen, utterances, strict=True))
        return [said[i] for i in range(len(observations))]

    def _generate(self, prompts: list[list[int]], seed: int) -> list[Utterance]:
        ids, mask = pad_left(prompts, self.tokenizer.pad_token_id, self.model.device)
        sampling: dict[str, Any] = (
            {"do_sample": True, "temperature": self.temperature, "top_k": 0, "top_p": 1.0}
            if self.temperature > 0
            else {"do_sample": False}
        )
        training = self.model.training
        self.model.eval()
        with self._adapter(), torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(seed)
            output = self.model.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=self.max_new_tokens,
                pad_token_id=self.tokenizer.pad_token_id,
                **sampling,
            )
        self.model.train(training)
        completions = output[:, ids.shape[1] :].tolist()
        return [
            self._utterance(prompt, row) for prompt, row in zip(prompts, completions, strict=True)
        ]

    def _utterance(self, prompt: list[int], completion: list[int]) -> Utterance:
        kept, finish = cut_at_end(completion, end_ids(self.model, self.tokenizer))
        text = self.tokenizer.decode(kept, skip_special_tokens=True)
        return Utterance(text, len(prompt), len(kept), finish)

    def _adapter(self) -> AbstractContextManager[Any]:
        return self.model.disable_adapter() if self.adapter_off else nullcontext()


def pad_left(
    prompts: Sequence[Sequence[int]], pad: int, device: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask, both (prompts, tokens). The mask follows from lengths, never from ids."""
    width = max(len(prompt) for prompt in prompts)
    ids = [[pad] * (width - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def end_ids(model: Any, tokenizer: Any) -> set[int]:
    """The tokens that end a reply."""
    listed = model.generation_config.eos_token_id
    ids = listed if isinstance(listed, list) else [listed]
    return {i for i in (*ids, tokenizer.eos_token_id) if i is not None}


def cut_at_end(completion: Sequence[int], ends: set[int]) -> tuple[list[int], Finish]:
    """A completion up to and including its first end token, and why it stopped."""
    for i, token in enumerate(completion):
        if token in ends:
            return list(completion[: i + 1]), "stop"
    return list(completion), "length"
