"""A policy that runs a transformers model, many prompts to a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any

import torch

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.models import load_model, revision
from debate_gym.agents.sampling import RowSampler
from debate_gym.agents.weights import check_adapter, speaking
from debate_gym.envs.nouns import Finish, Observation, Utterance

BATCH_TOKENS = 65_536


class LocalPolicy:
    """Speaks with a causal language model.

    What it says depends on the weights, the prompt and the observation's seed; not on the batch
    (up to rounding, see `debate_gym.agents.sampling`), and not on torch's global generator, which
    it leaves as it was.

    Args:
        temperature: 0 takes the likeliest token.
        top_p: share of the distribution that is sampled from, in (0, 1].
        batch_size: most prompts to one call of `generate`; a call also stays below `BATCH_TOKENS`
            tokens of prompts and replies, padding included, to bound its memory.
        adapter: speak with this adapter of a LoRA model; its active one if None.
        adapter_off: speak with the base of a LoRA model.
        version: what episodes record as revision; computed from the weights if None.

    Raises:
        ValueError: on a number out of range or an adapter that is not there; by `act`, on a
            prompt that leaves no room for a reply in the context, and on a question with pictures,
            which `debate_gym.agents.vision.VisionPolicy` reads.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 256,
        batch_size: int = 128,
        adapter: str | None = None,
        adapter_off: bool = False,
        version: str | None = None,
    ) -> None:
        check_adapter(model, adapter, adapter_off)
        _check_range("temperature", temperature, temperature >= 0, "at least 0")
        _check_range("top_p", top_p, 0 < top_p <= 1, "above 0 and at most 1")
        _check_range("max_new_tokens", max_new_tokens, max_new_tokens >= 1, "at least 1")
        _check_range("batch_size", batch_size, batch_size >= 1, "at least 1")
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.revision = revision(model) if version is None else version
        self.temperature = temperature
        self.top_p = top_p
        self.max_new_tokens = max_new_tokens
        self.batch_size = batch_size
        self.adapter = adapter
        self.adapter_off = adapter_off

    @classmethod
    def load(cls, spec: str, **options: Any) -> LocalPolicy:
        """Loads the model of a spec (see `debate_gym.agents.models`)."""
        model, tokenizer = load_model(spec)
        return cls(model, tokenizer, spec, **options)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        prompts = [self._prompt(observation) for observation in observations]
        said: dict[int, Utterance] = {}
        for batch in self._batches(prompts):
            seeds = [observations[i].seed for i in batch]
            utterances = self._generate([prompts[i] for i in batch], seeds)
            said.update(zip(batch, utterances, strict=True))
        return [said[i] for i in range(len(observations))]

    def _encode(self, observation: Observation) -> Any:
        check_no_images(self.name, observation)
        return encode_prompt(self.tokenizer, observation.system, observation.user)

    def _prompt(self, observation: Observation) -> Any:
        prompt = self._encode(observation)
        limit = context_length(self.model)
        if limit is not None and len(prompt) + self.max_new_tokens > limit:
            raise ValueError(
                f"{observation.episode}, {observation.seat}: a prompt of {len(prompt)} "
                f"tokens and {self.max_new_tokens} new ones exceed the context of {limit}; "
                "shorten the article or lower max_new_tokens"
            )
        return prompt

    def _batches(self, prompts: Sequence[Sized]) -> Iterator[list[int]]:
        batch: list[int] = []
        for i in sorted(range(len(prompts)), key=lambda i: len(prompts[i])):
            tokens = (len(batch) + 1) * (len(prompts[i]) + self.max_new_tokens)
            if batch and (len(batch) == self.batch_size or tokens > BATCH_TOKENS):
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _inputs(self, prompts: list[Any]) -> Mapping[str, Any]:
        ids, mask = pad_left(prompts, self.tokenizer.pad_token_id, self.model.device)
        return {"input_ids": ids, "attention_mask": mask}

    def _generate(self, prompts: list[Any], seeds: list[int]) -> list[Utterance]:
        inputs = self._inputs(prompts)
        width = inputs["input_ids"].shape[1]
        with speaking(self.model, self.adapter, self.adapter_off):
            output = self.model.generate(
                **inputs,
                max_new_tokens=self.max_new_tokens,
                pad_token_id=self.tokenizer.pad_token_id,
                eos_token_id=sorted(end_ids(self.model, self.tokenizer)),
                do_sample=False,
                # The policy is the bare distribution, whatever the model's own defaults are.
                repetition_penalty=1.0,
                logits_processor=self._sampler(seeds, width),
            )
        completions = output[:, width:].tolist()
        return [
            self._utterance(prompt, row) for prompt, row in zip(prompts, completions, strict=True)
        ]

    def _sampler(self, seeds: list[int], width: int) -> list[RowSampler]:
        if self.temperature == 0:
            return []
        return [RowSampler(seeds, width, self.max_new_tokens, self.temperature, self.top_p)]

    def _utterance(self, prompt: Sized, completion: list[int]) -> Utterance:
        kept, finish = cut_at_end(completion, end_ids(self.model, self.tokenizer))
        text = self.tokenizer.decode(
            kept, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return Utterance(text, len(prompt), len(kept), finish)


def pad_left(
    prompts: Sequence[Sequence[int]], pad: int, device: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask, both (prompts, tokens). The mask follows from lengths, never from ids."""
    width = max(len(prompt) for prompt in prompts)
    ids = [[pad] * (width - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def check_no_images(name: str, observation: Observation) -> None:
    """
    Raises:
        ValueError: on pictures, which the model of this name cannot read.
    """
    if observation.images:
        raise ValueError(
            f"{observation.episode}, {observation.seat}: the question {observation.question!r:.80} "
            f"has {len(observation.images)} picture(s), but {name!r} reads text only: expected a "
            "vision-language model (hf:PATH_OR_ID of one); take one, or a task without pictures"
        )


def context_length(model: Any) -> int | None:
    """The most positions that a model can read and write; None where it does not say."""
    length: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return length


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


def _check_range(name: str, value: float, sound: bool, expected: str) -> None:
    if not sound:
        raise ValueError(f"{name} must be {expected}, got {value}")
