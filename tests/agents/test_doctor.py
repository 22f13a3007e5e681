"""The doctor on healthy models, and on models with one fault each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from debate_gym.agents.doctor import CHECKS, checks, doctor
from debate_gym.agents.doctor_check import Check
from debate_gym.envs import load_protocol, load_task
from tests.agents.conftest import CHATML

DEBATE = load_protocol("debate")
QUESTION = load_task("evidence", "heldout", 1, seed=5)[0]
Make = Callable[..., Any]
NO_SYSTEM = CHATML.replace(
    "{% for m in messages %}", "{% for m in messages if m.role != 'system' %}"
)
REFUSING = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + CHATML
THINKING = CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}")
THOUGHT = CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n\n</think>\n{% endif %}")
DATED = CHATML + "{% set now = strftime_now('%d') %}"
OTHER_END = CHATML.replace("<|im_end|>", "<|endoftext|>")
SHOUTING = CHATML.replace("{{ m.content }}", "{{ m.content | upper }}")
DOUBLE_BOS = "{{ bos_token }}{{ bos_token }}" + CHATML
ONE_TURN = CHATML.replace(
    "{% for m in messages %}",
    "{% if messages | length > 3 or messages[0].role == 'user' and messages | length > 2 %}"
    "{{ raise_exception('one turn only') }}{% endif %}{% for m in messages %}",
)


def of(results: list[Check], name: str) -> Check:
    (found,) = [check for check in results if check.name == name]
    return found


def look(model: Any, tokenizer: Any, name: str, **options: Any) -> Check:
    """One check of a model that is to speak in at most 32 tokens."""
    options = {"max_new_tokens": 32, **options}
    return of(checks(model, tokenizer, DEBATE, QUESTION, **options), name)


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Where a test names its check, no other one is made."""
    wanted = getattr(request.node, "callspec", None)
    name = wanted.params.get("name") if wanted else None
    for other in [check for check in CHECKS if name and check != name]:
        monkeypatch.delitem(CHECKS, other)


def test_a_healthy_model_passes(model: Any, tokenizer: Any) -> None:
    results = checks(model, tokenizer, DEBATE, QUESTION, max_new_tokens=32)
    assert [check.name for check in results] == list(CHECKS)
    assert [check for check in results if check.status != "pass"] == []
    assert all(check.seen and not check.cure for check in results)


@pytest.mark.parametrize(
    ("name", "template", "status", "seen"),
    [
        ("chat template", None, "fail", "no chat template"),
        ("chat template", SHOUTING, "fail", "the debater_0's prompt is changed"),
        ("system role", NO_SYSTEM, "warn", "drops system messages"),
        ("system role", REFUSING, "warn", "refuses system messages"),
        ("chat template", NO_SYSTEM, "pass", "come back whole"),
        ("alternating roles", ONE_TURN, "warn", "became None"),
        ("end of a reply", OTHER_END, "fail", "but generation stops at ['<|im_end|>']"),
        ("thinking", THINKING, "warn", "thinking is open"),
        ("thinking", THOUGHT, "pass", "no thinking block"),
        ("thinking", CHATML + "{# enable_thinking #}", "warn", "thinking mode"),
        ("prefix stability", DATED, "warn", "today's date"),
        ("prefix stability", THOUGHT, "warn", "does not begin as the prompt alone"),
        ("prefix stability", NO_SYSTEM, "pass", "earlier tokens"),
    ],
)
def test_templates(
    model: Any, make_tokenizer: Make, name: str, template: str, status: str, seen: str
) -> None:
    found = look(model, make_tokenizer(template, merge_labels=True), name)
    assert (found.status, seen in found.seen) == (status, True), found
    assert bool(found.cure) == (status != "pass")


def test_padding_with_the_end_token_fails(model: Any, make_tokenizer: Make) -> None:
    tokenizer = make_tokenizer(merge_labels=True)
    tokenizer.pad_token = tokenizer.eos_token
    found = look(model, tokenizer, "special tokens")
    assert (found.status, "padding is the end token" in found.seen) == ("fail", True)
    tokenizer.pad_token = None
    assert look(model, tokenizer, "special tokens").status == "fail"


def test_a_prompt_that_begins_twice_fails(model: Any, make_tokenizer: Make) -> None:
    tokenizer = make_tokenizer(DOUBLE_BOS, merge_labels=True)
    tokenizer.bos_token = "<|endoftext|>"
    found = look(model, tokenizer, "special tokens")
    assert (found.status, "bos twice" in found.seen) == ("fail", True)


def test_padding_on_the_right_fails(model: Any, make_tokenizer: Make) -> None:
    tokenizer = make_tokenizer(merge_labels=True)
    tokenizer.padding_side = "right"
    found = look(model, tokenizer, "padding side")
    assert (found.status, found.seen) == ("fail", "the tokenizer pads on the right")


@pytest.mark.parametrize("deaf", ["attention_mask", "position_ids"])
def test_a_model_that_reads_padding_fails(make_model: Make, tokenizer: Any, deaf: str) -> None:
    model = make_model(tokenizer)
    whole = model.forward

    def forward(*args: Any, **options: Any) -> Any:
        if deaf == "attention_mask":
            options[deaf] = None
        elif options.get(deaf) is not None:
            # Absolute places, as if padding stood before every prompt.
            options[deaf] = options[deaf] * 3 + 50 * (options[deaf].shape[0] > 1)
            options[deaf] = options[deaf].roll(1, 0)
        return whole(*args, **options)

    model.forward = forward
    found = look(model, tokenizer, "alone and in a batch")
    assert (found.status, "nats apart" in found.seen) == ("fail", True), found


def test_a_model_that_gives_no_numbers_fails(make_model: Make, tokenizer: Any) -> None:
    model = make_model(tokenizer)
    model.lm_head.weight.data.fill_(float("nan"))
    assert look(model, tokenizer, "alone and in a batch").status == "fail"


def test_labels_of_several_tokens_fail(model: Any, make_tokenizer: Make) -> None:
    tokenizer = make_tokenizer(merge_labels=True)
    assert "after 'Answer:', 1 is " in look(model, tokenizer, "answer labels").seen
    # Both labels become the same unknown token.
    tokenizer.add_special_tokens({"unk_token": "<unk>"})
    tokenizer.add_tokens(["Answer: 1", "Answer: 2"])
    found = look(model, tokenizer, "answer labels")
    assert (found.status, "not single, distinct tokens" in found.seen) == ("fail", True)


def test_a_game_that_does_not_fit_fails(
    model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = look(model, tokenizer, "context room", max_new_tokens=4000)
    assert (long.status, "the context has 4096" in long.seen) == ("fail", True)
    monkeypatch.setattr("debate_gym.agents.doctor_text.context_length", lambda model: None)
    assert look(model, tokenizer, "context room").status == "warn"


def test_a_tokenizer_that_outgrew_its_model_fails(model: Any, make_tokenizer: Make) -> None:
    tokenizer = make_tokenizer(merge_labels=True)
    tokenizer.add_tokens(["brandnew"])
    rows = len(tokenizer) - 1
    found = look(model, tokenizer, "vocabulary")
    assert (found.status, found.seen) == ("fail", f"{rows + 1} tokens, {rows} rows")


def test_a_forged_token_that_cannot_be_broken_up_fails(
    model: Any, make_tokenizer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("debate_gym.agents.encoding.neutralise", lambda tokenizer, text: text)
    found = look(model, make_tokenizer(merge_labels=True), "forged chat tokens")
    assert (found.status, "still reads a chat token" in found.seen) == ("fail", True)


def test_the_shipped_policy() -> None:
    found = doctor("tiny", DEBATE, max_new_tokens=16)
    assert [check.name for check in found if check.status == "fail"] == []
    # Its tokenizer knows the words of `evidence` only.
    assert of(found, "chat template").status == "warn"
    assert of(doctor("tiny", DEBATE, max_new_tokens=500), "context room").status == "fail"


@pytest.mark.slow
def test_smollm2() -> None:
    found = doctor("smollm2-135m", load_protocol("debate", rounds=1), max_new_tokens=16)
    assert [check for check in found if check.status == "fail"] == []
    assert "1 is " in of(found, "answer labels").seen


def test_what_it_does_not_look_at() -> None:
    for spec in ("scripted:best", "openai:m@http://h/v1", "vllm:a/b", "human"):
        with pytest.raises(ValueError, match="loaded here"):
            doctor(spec, DEBATE)
    with pytest.raises(ValueError, match="does not shorten articles"):
        doctor("tiny", DEBATE, max_article_words=9)
