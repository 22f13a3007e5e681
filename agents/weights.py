"""Which weights of a model speak: its own, one of its LoRA adapters, or the base beneath them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


def check_adapter(model: Any, adapter: str | None, adapter_off: bool) -> None:
    """
    Raises:
        ValueError: if the model cannot speak with that adapter, or without its adapters.
    """
    known = list(getattr(model, "peft_config", {}))
    if adapter_off and not known:
        raise ValueError("adapter_off needs a LoRA model, but this one has no adapter to turn off")
    if adapter_off and adapter is not None:
        raise ValueError(f"adapter {adapter!r} and adapter_off exclude each other: give one")
    if adapter is not None and adapter not in known:
        raise ValueError(f"the model has no adapter {adapter!r}; it has {known}")


@contextmanager
def speaking(model: Any, adapter: str | None = None, adapter_off: bool = False) -> Iterator[None]:
    """Evaluation mode without gradients, with the chosen weights; all as it was afterwards."""
    training = model.training
    model.eval()
    try:
        with _chosen(model, adapter, adapter_off), torch.no_grad():
            yield
    finally:
        model.train(training)


@contextmanager
def _chosen(model: Any, adapter: str | None, adapter_off: bool) -> Iterator[None]:
    if adapter is None and not adapter_off:
        yield
        return
    trained = [weight.requires_grad for weight in model.parameters()]
    try:
        with model.disable_adapter() if adapter_off else _switched(model, adapter):
            yield
    finally:
        # PEFT turns the gradients of the whole active adapter on again, whatever they were.
        for weight, was in zip(model.parameters(), trained, strict=True):
            weight.requires_grad_(was)


@contextmanager
def _switched(model: Any, adapter: str | None) -> Iterator[None]:
    active = model.active_adapter
    model.set_adapter(adapter)
    try:
        yield
    finally:
        model.set_adapter(active)
