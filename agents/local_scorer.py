"""A local model as the reader of `debate_gym.agents.scoring`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.judges.logprob import label_tokens
from debate_gym.agents.judges.prefix import label_chances
from debate_gym.agents.local import check_no_images, context_length
from debate_gym.agents.models import load_model, revision
from debate_gym.agents.scoring import Labels, Reading
from debate_gym.agents.weights import speaking
from debate_gym.envs.nouns import Observation


class LocalScorer:
    """Reads the chances of a causal language model in one forward pass per batch.

    Args:
        batch_size: most prompts to one pass.
        version: revision of the weights; computed if None.

    Raises:
        ValueError: by `log_probabilities`, on labels that are not single, distinct tokens, on a
            prompt beyond the model's context, and on pictures.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        batch_size: int = 8,
        version: str | None = None,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.revision = revision(model) if version is None else version
        self.batch_size = batch_size

    @classmethod
    def load(cls, spec: str, **options: Any) -> LocalScorer:
        """Loads the model of a spec (see `debate_gym.agents.models`)."""
        return cls(*load_model(spec), spec, **options)

    def log_probabilities(
        self, prompts: Sequence[Observation], primed: str, labels: Labels
    ) -> list[Reading]:
        start, ids = label_tokens(self.tokenizer, primed, labels)
        encoded = [self._encode(prompt, start) for prompt in prompts]
        by_length = sorted(range(len(prompts)), key=lambda i: len(encoded[i]))
        readings: dict[int, Reading] = {}
        for begin in range(0, len(by_length), self.batch_size):
            chosen = by_length[begin : begin + self.batch_size]
            rows = self._chances([encoded[i] for i in chosen], ids)
            for i, row in zip(chosen, rows, strict=True):
                readings[i] = Reading((_log(row[0]), _log(row[1])), len(encoded[i]))
        return [readings[i] for i in range(len(prompts))]

    def _encode(self, prompt: Observation, start: str) -> list[int]:
        check_no_images(self.name, prompt)
        ids = encode_prompt(self.tokenizer, prompt.system, prompt.user, start)
        limit = context_length(self.model)
        if limit is not None and len(ids) > limit:
            raise ValueError(
                f"{prompt.episode}, {self.name!r}: a prompt of {len(ids)} tokens exceeds the "
                f"context of {limit}; play fewer rounds or shorter speeches"
            )
        return ids

    def _chances(self, prompts: list[list[int]], ids: tuple[int, int]) -> list[tuple[float, float]]:
        with speaking(self.model):
            groups = label_chances(
                self.model, [[prompt] for prompt in prompts], ids, self.tokenizer.pad_token_id
            )
        return [group[0] for group in groups]


def _log(chance: float) -> float | None:
    return math.log(chance) if math.isfinite(chance) and chance > 0 else None
