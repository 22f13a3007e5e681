"""A value head on a causal language model."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from transformers.modeling_outputs import CausalLMOutputWithPast

FILE = "value_head.safetensors"
NAME = "v_head"


@dataclass
class OutputWithValues(CausalLMOutputWithPast):  # type: ignore[misc]
    """A language model's output with the value of every position, (batch, tokens).

    A declared field, because data parallelism rebuilds outputs from their declared fields.
    """

    state_values: torch.Tensor | None = None


FIELDS = {field.name for field in fields(CausalLMOutputWithPast)}


def attach_value_head(model: Any) -> Any:
    """Gives a model a value head and returns the head.

    The head is one fp32 linear layer on the last hidden state, zero at the start, so that the
    first values are 0. From then on the model's output carries `state_values`, (batch, tokens):
    the head runs inside the model's own `forward`, where wrappers for data parallelism see it.
    """
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    head = torch.nn.Linear(base.config.hidden_size, 1, dtype=torch.float32)
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    base.add_module(NAME, head.to(base.device))
    hidden: list[torch.Tensor] = []
    decoder = getattr(base, base.base_model_prefix)
    decoder.register_forward_hook(lambda _m, _a, output: hidden.append(output[0]))
    plain = base.forward

    @functools.wraps(plain)
    def forward(*args: Any, **kwargs: Any) -> OutputWithValues:
        hidden.clear()
        output = plain(*args, **kwargs)
        values = head(hidden.pop().float()).squeeze(-1)
        known = {key: value for key, value in output.items() if key in FIELDS}
        return OutputWithValues(**known, state_values=values)

    base.forward = forward
    return head


def save_value_head(head: torch.nn.Module, folder: Path) -> None:
    """Writes the head beside a checkpoint's weights."""
    save_file({key: value.contiguous() for key, value in head.state_dict().items()}, folder / FILE)


def load_value_head(head: torch.nn.Module, folder: Path) -> None:
    """Reads the head of a checkpoint.

    Raises:
        FileNotFoundError: if the checkpoint has none: resuming without it would not give the run
            that was interrupted.
    """
    path = folder / FILE
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing: this folder is no checkpoint of a PPO run that can be resumed"
        )
    head.load_state_dict(load_file(path))
