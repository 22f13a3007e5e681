"""From the rows of a rollout to padded tensors, and from padded tensors to smaller ones."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from debate_gym.agents.local import pad_left
from debate_gym.train.self_play import Rollout


def rollout_tensors(rollout: Rollout, pad: int, device: Any) -> dict[str, Tensor]:
    """Prompts padded on the left, completions on the right, each with a mask of real tokens.

    A turn that was never spoken becomes a row of one padding token whose completion mask is zero:
    it weighs nothing, and every process keeps the same number of rows.
    """
    prompts, prompt_mask = pad_left([row.prompt or [pad] for row in rollout.rows], pad, device)
    flipped = [row.completion[::-1] or [pad] for row in rollout.rows]
    completions, _ = pad_left(flipped, pad, device)
    lengths = torch.tensor([len(row.completion) for row in rollout.rows], device=device)
    columns = torch.arange(completions.shape[1], device=device)
    return {
        "prompt_ids": prompts,
        "prompt_mask": prompt_mask,
        "completion_ids": completions.flip(1),
        "completion_mask": (columns < lengths.unsqueeze(1)).long(),
    }


def trim(inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Cuts the columns that are padding in every row: on the left of prompts, on the right of
    completions and of all that is shaped like them."""
    first = int(inputs["prompt_mask"].any(0).float().argmax())
    used = max(1, int(inputs["completion_mask"].any(0).sum()))
    shape = inputs["completion_ids"].shape
    trimmed = {}
    for key, value in inputs.items():
        if key.startswith("prompt_"):
            value = value[:, first:]
        elif value.shape == shape:
            value = value[:, :used]
        trimmed[key] = value
    return trimmed
