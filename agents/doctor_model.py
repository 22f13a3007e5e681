"""Checks of a model's weights: does padding change what it says, and how fast is it?"""

from __future__ import annotations

import time
from typing import Any

import torch

from debate_gym.agents.doctor_check import Finding, Patient
from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.local import pad_left
from debate_gym.agents.weights import speaking

# Differences of log-probabilities, in nats: rounding, and what no rounding explains.
ROUNDING, TOO_MUCH = 1e-3, 5e-2
LIKELY = 1e-4
TIMED = 16
SLOW_MINUTES = 10


def vocabulary(patient: Patient) -> Finding:
    """Every token of the tokenizer has a row in the model."""
    rows = patient.model.get_input_embeddings().num_embeddings
    tokens = len(getattr(patient.tokenizer, "tokenizer", patient.tokenizer))
    seen = f"{tokens} tokens, {rows} rows"
    if tokens > rows:
        return "fail", seen, "model.resize_token_embeddings(len(tokenizer)), and train the new rows"
    return "pass", seen, ""


def alone_and_in_a_batch(patient: Patient) -> Finding:
    """A prompt scores the same alone and padded in a batch, when read and when continued."""
    prompts = [
        encode_prompt(patient.tokenizer, "Rules.", " ".join(["What is it?"] * n))
        for n in (1, 7, 20)
    ]
    with speaking(patient.model):
        gaps = {
            "read": _gap(patient, prompts, _read),
            "continued": _gap(patient, prompts, _continued),
        }
    seen = ", ".join(f"{how}: {gap:.2g} nats apart" for how, gap in gaps.items())
    worst = max(gaps.values())
    if worst <= ROUNDING:
        return "pass", seen, ""
    cure = "check that the model heeds attention_mask and position_ids, or use batches of 1"
    # A gap that is not a number is none that rounding explains.
    return ("warn" if worst <= TOO_MUCH else "fail"), seen, cure


def speed(patient: Patient) -> Finding:
    """Tokens per second, and how long a game takes alone."""
    turns = len(patient.game) - 1
    alone, many = (_rate(patient, rows) for rows in (1, 8))
    minutes = turns * patient.max_new_tokens / alone / 60
    seen = f"{alone:.1f} tokens a second alone, {many:.1f} in a batch of 8"
    if minutes > SLOW_MINUTES:
        return "warn", f"{seen}; a game alone takes {minutes:.0f} minutes", "play many at once"
    return "pass", seen, ""


def _gap(patient: Patient, prompts: list[list[int]], look: Any) -> float:
    """The largest difference among tokens that are likely alone."""
    together = look(patient, prompts)
    alone = torch.cat([look(patient, [prompt]) for prompt in prompts])
    gaps = (together - alone).abs()[alone.exp() > LIKELY]
    return float(gaps.max()) if bool(gaps.isfinite().all()) and len(gaps) else float("inf")


def _read(patient: Patient, prompts: list[list[int]]) -> torch.Tensor:
    """The next token's log-probabilities (prompts, vocabulary), as a judge reads them."""
    ids, mask = pad_left(prompts, patient.tokenizer.pad_token_id or 0, patient.model.device)
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    logits = patient.model(input_ids=ids, attention_mask=mask, position_ids=positions).logits
    return logits[:, -1].double().log_softmax(-1).cpu()  # type: ignore[no-any-return]


def _continued(patient: Patient, prompts: list[list[int]]) -> torch.Tensor:
    """The second token's log-probabilities once a first one has been written, as a policy does."""
    ids, mask = pad_left(prompts, patient.tokenizer.pad_token_id or 0, patient.model.device)
    output = _generate(patient, ids, mask, 2, output_logits=True, return_dict_in_generate=True)
    return output.logits[1].double().log_softmax(-1).cpu()  # type: ignore[no-any-return]


def _rate(patient: Patient, rows: int) -> float:
    prompt = encode_prompt(patient.tokenizer, "Rules.", "What is it?")
    ids, mask = pad_left([prompt] * rows, patient.tokenizer.pad_token_id or 0, patient.model.device)
    with speaking(patient.model):
        began = time.perf_counter()
        _generate(patient, ids, mask, TIMED)
    return rows * TIMED / (time.perf_counter() - began)


def _generate(patient: Patient, ids: Any, mask: Any, tokens: int, **options: Any) -> Any:
    return patient.model.generate(
        input_ids=ids,
        attention_mask=mask,
        min_new_tokens=tokens,
        max_new_tokens=tokens,
        do_sample=False,
        repetition_penalty=1.0,
        pad_token_id=patient.tokenizer.pad_token_id,
        **options,
    )
