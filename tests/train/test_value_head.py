from __future__ import annotations

from pathlib import Path

import pytest
import torch

from debate_gym.agents.models import load_model
from debate_gym.train.value_head import attach_value_head, load_value_head, save_value_head

IDS = torch.tensor([[5, 6, 7, 8]])


def test_values_start_at_zero_and_follow_the_head(toy: Path) -> None:
    model, _ = load_model(str(toy))
    before = model(IDS).logits
    head = attach_value_head(model)
    assert torch.equal(model(IDS).state_values, torch.zeros(1, 4))
    with torch.no_grad():
        head.bias.fill_(2.0)
    assert torch.equal(model(IDS).state_values, torch.full((1, 4), 2.0))
    assert torch.equal(model(IDS).logits, before)


def test_the_head_reads_the_last_hidden_state(toy: Path) -> None:
    model, _ = load_model(str(toy))
    head = attach_value_head(model)
    torch.nn.init.normal_(head.weight)
    hidden = model.model(IDS).last_hidden_state
    torch.testing.assert_close(model(IDS).state_values, head(hidden).squeeze(-1))


def test_the_head_trains_beside_an_adapter(toy: Path) -> None:
    from peft import LoraConfig, get_peft_model

    base, _ = load_model(str(toy))
    model = get_peft_model(base, LoraConfig(r=2, target_modules="all-linear"))
    head = attach_value_head(model)
    assert head.weight.dtype == torch.float32
    assert any(p is head.weight and p.requires_grad for p in model.parameters())
    model(input_ids=IDS).state_values.sum().backward()
    assert head.weight.grad is not None
    with model.disable_adapter():
        assert model(input_ids=IDS).state_values.shape == (1, 4)


def test_a_checkpoint_holds_the_head(toy: Path, tmp_path: Path) -> None:
    head = attach_value_head(load_model(str(toy))[0])
    torch.nn.init.normal_(head.weight)
    save_value_head(head, tmp_path)
    other = attach_value_head(load_model(str(toy))[0])
    load_value_head(other, tmp_path)
    assert torch.equal(other.weight, head.weight)


def test_a_checkpoint_without_the_head_is_refused(toy: Path, tmp_path: Path) -> None:
    head = attach_value_head(load_model(str(toy))[0])
    with pytest.raises(FileNotFoundError, match="no checkpoint of a PPO run"):
        load_value_head(head, tmp_path)
