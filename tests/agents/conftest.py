"""A random small Llama whose tokenizer reads bytes, for tests of what runs a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_tokenizer(template: str | None = CHATML, merge_labels: bool = False) -> Any:
    """One token a byte; with `merge_labels`, a digit takes the blank before it along."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", digit) for digit in "0123456789"] if merge_labels else []
    words = [*SPECIAL, *letters, *("".join(pair) for pair in merges)]
    inner = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
        padding_side="left",
    )
    tokenizer.chat_template = template
    return tokenizer


def random_llama(tokenizer: Any, seed: int = 0) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        initializer_range=0.3,
        bos_token_id=None,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return byte_tokenizer(merge_labels=True)


@pytest.fixture(scope="session")
def model(tokenizer: Any) -> Any:
    return random_llama(tokenizer)


@pytest.fixture
def make_tokenizer() -> Callable[..., Any]:
    return byte_tokenizer


@pytest.fixture
def make_model() -> Callable[..., Any]:
    return random_llama


@pytest.fixture(scope="session")
def model_folder(tokenizer: Any, model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("llama")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def lora(tokenizer: Any) -> Any:
    """The model with two adapters, `default` (active) and `other`, each unlike the base."""
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = get_peft_model(random_llama(tokenizer), config)
        model.add_adapter("other", config)
    return model
