"""Is a model safe to debate and to train with? Each check says what was seen and what to do.

    for check in doctor("smollm2-135m", load_protocol("debate")): print(check)

The checks are what the game and the trainers rest on: that a prompt reaches the model whole, that
a reply ends, that padding changes nothing, that a judge's labels can be told apart, that the
longest game fits.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from debate_gym.agents import doctor_model, doctor_text
from debate_gym.agents.doctor_check import Check, Finding, Patient, examine, longest
from debate_gym.envs.nouns import Question
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.tasks import load_task, task_module

ELSEWHERE = ("scripted:", "openai:", "vllm:", "human")
QUESTIONS = 128
CHECKS: dict[str, Callable[[Patient], Finding]] = {
    "chat template": doctor_text.chat_template,
    "system role": doctor_text.system_role,
    "alternating roles": doctor_text.alternating_roles,
    "forged chat tokens": doctor_text.forged_tokens,
    "special tokens": doctor_text.special_tokens,
    "end of a reply": doctor_text.reply_end,
    "answer labels": doctor_text.answer_labels,
    "thinking": doctor_text.thinking,
    "prefix stability": doctor_text.prefix_stability,
    "context room": doctor_text.context_room,
    "padding side": doctor_text.padding_side,
    "vocabulary": doctor_model.vocabulary,
    "alone and in a batch": doctor_model.alone_and_in_a_batch,
    "speed": doctor_model.speed,
}


def doctor(
    spec: str,
    protocol: Protocol,
    *,
    task: str = "evidence",
    max_new_tokens: int = 256,
    max_article_words: int | None = None,
) -> list[Check]:
    """Checks the local model of a spec for a protocol and the longest held-out question of a task.

    The tokenizer is checked as this package loads it, with a padding token of its own if the
    model's is its end token.

    Args:
        max_new_tokens: most tokens of a speech.
        max_article_words: as in the task, where it takes that.

    Raises:
        ValueError: on an unknown spec, or one whose model is not loaded here.
        OSError: if a model of the hub, or a task's files, cannot be had.
    """
    if spec.startswith(ELSEWHERE):
        raise ValueError(
            f"doctor looks at a model that is loaded here, such as hf:PATH, got {spec!r}"
        )
    model, tokenizer = _load(spec)
    question = longest(
        load_task(task, "heldout", QUESTIONS, 0, **_options(task, max_article_words))
    )
    return checks(model, tokenizer, protocol, question, max_new_tokens=max_new_tokens)


def checks(
    model: Any,
    tokenizer: Any,
    protocol: Protocol,
    question: Question,
    *,
    max_new_tokens: int = 256,
) -> list[Check]:
    """The same for a model and a tokenizer at hand."""
    patient = Patient(model, tokenizer, protocol, question, max_new_tokens)
    return [examine(name, look, patient) for name, look in CHECKS.items()]


def _options(task: str, max_article_words: int | None) -> dict[str, int]:
    if max_article_words is None:
        return {}
    if "max_article_words" not in signature(task_module(task).load).parameters:
        raise ValueError(f"task {task!r} does not shorten articles: leave max_article_words out")
    return {"max_article_words": max_article_words}


def _load(spec: str) -> tuple[Any, Any]:
    from debate_gym.agents.chat_processor import ChatProcessor
    from debate_gym.agents.models import load_model, load_vision, sees

    if not sees(spec):
        return load_model(spec)
    model, processor = load_vision(spec)
    return model, ChatProcessor(processor)
