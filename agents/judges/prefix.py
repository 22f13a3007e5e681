"""Next-token chances of prompts that begin alike, with the common beginning computed once.

The two answer orders of a game share its question and transcript. The shared part is the longest
common beginning of their token ids, so the tokens are those of the whole prompts and the result
is that of whole forward passes up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from itertools import takewhile
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

from debate_gym.agents.local import pad_left

Prompt = list[int]
# Below this share of common tokens a second pass gains nothing worth having.
WORTHWHILE = 0.1


def label_chances(
    model: Any, groups: Sequence[Sequence[Prompt]], labels: tuple[int, int], pad: int
) -> list[list[tuple[float, float]]]:
    """The probabilities of two tokens right after each prompt.

    Args:
        groups: prompts that may begin alike; all groups have the same number of them.

    Returns:
        For each group and prompt, the pair of probabilities among the whole vocabulary.
    """
    # The last token stays out, so that every prompt has something left to read.
    shared = [common_prefix([prompt[:-1] for prompt in group]) for group in groups]
    tokens = sum(len(prompt) for group in groups for prompt in group)
    per_group = len(groups[0])
    saved = sum(map(len, shared)) * per_group / tokens
    if per_group > 1 and all(shared) and saved >= WORTHWHILE and _continues(model):
        logits = _in_two_passes(model, groups, shared, pad)
    else:
        logits = _in_one_pass(model, groups, pad)
    chances = logits.double().softmax(-1)[:, list(labels)].tolist()
    rows = [(one, two) for one, two in chances]
    return [rows[i : i + per_group] for i in range(0, len(rows), per_group)]


def common_prefix(prompts: Sequence[Prompt]) -> Prompt:
    """The tokens that all prompts begin with."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*prompts, strict=False))
    return [column[0] for column in columns]


def _in_one_pass(model: Any, groups: Sequence[Sequence[Prompt]], pad: int) -> torch.Tensor:
    ids, mask = pad_left([prompt for group in groups for prompt in group], pad, model.device)
    return _forward(model, ids, mask, use_cache=False)


def _in_two_passes(
    model: Any, groups: Sequence[Sequence[Prompt]], shared: Sequence[Prompt], pad: int
) -> torch.Tensor:
    ids, mask = pad_left(shared, pad, model.device)
    cache = DynamicCache(config=model.config)
    _forward(model, ids, mask, use_cache=True, **{_cache_argument(model): cache})
    copies = len(groups[0])
    cache.batch_repeat_interleave(copies)
    rests = [p[len(s) :] for group, s in zip(groups, shared, strict=True) for p in group]
    ids, rest_mask = pad_left(rests, pad, model.device)
    whole = torch.cat([mask.repeat_interleave(copies, 0), rest_mask], 1)
    return _forward(model, ids, whole, use_cache=True, **{_cache_argument(model): cache})


def _forward(model: Any, ids: torch.Tensor, mask: torch.Tensor, **options: Any) -> torch.Tensor:
    """The last position's logits (rows, vocabulary).

    Args:
        ids: the tokens to read (rows, tokens), padded on the left.
        mask: over those and all that the cache holds (rows, cached + tokens).
    """
    positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
    output = model(
        input_ids=ids, attention_mask=mask, position_ids=positions, logits_to_keep=1, **options
    )
    logits: torch.Tensor = output.logits
    return logits[:, -1]


def _continues(model: Any) -> bool:
    """Whether the model's memory is the keys and values of all positions. Convolutions, recurrent
    states and sliding windows cannot be continued over a gap of padding."""
    return all(type(layer) is DynamicLayer for layer in DynamicCache(config=model.config).layers)


def _cache_argument(model: Any) -> str:
    # transformers renamed it between 5.20 and 5.24.
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    return "cache" if "cache" in signature(type(base).forward).parameters else "past_key_values"
