"""The log-probability judge: one number from several ways to compute it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.judges import logprob, prefix
from debate_gym.agents.judges.logprob import LogProbJudge, label_tokens
from debate_gym.agents.models import load_model
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import JUDGE_0, Outcome, Overhead, Utterance
from debate_gym.envs.verdict import average_orders

QUESTIONS = load_task("evidence", "heldout", 5, seed=5)


def played(prompts: str = "standard", words: int = 20) -> list[State]:
    """Debates of different lengths."""
    rng = np.random.default_rng(0)
    protocol = load_protocol("debate", prompts=prompts)
    states = []
    for question in QUESTIONS:
        state = start(question, protocol)
        while seats := due(state):
            texts = [" ".join(["because"] * rng.integers(1, words)) for _ in seats]
            state = advance(state, {s: Utterance(t) for s, t in zip(seats, texts, strict=True)})
        states.append(state)
    return states


def shares(judge: LogProbJudge, states: list[State]) -> np.ndarray:
    """(states, orders, 3): both probabilities and the label mass."""
    verdicts = judge.judge(states)
    assert all(verdict.p is not None for row in verdicts for verdict in row)
    return np.array([[(*v.p, v.label_mass) for v in row if v.p] for row in verdicts])


@pytest.mark.parametrize("merge_labels", [True, False])
def test_a_verdict_is_the_share_of_the_two_labels(
    make_tokenizer: Callable[..., Any], make_model: Callable[..., Any], merge_labels: bool
) -> None:
    tokenizer = make_tokenizer(merge_labels=merge_labels)
    model = make_model(tokenizer)
    labels = [tokenizer.convert_tokens_to_ids(f"{'Ġ' * merge_labels}{n}") for n in (1, 2)]
    judge = LogProbJudge(model, tokenizer, "llama")
    (state, *_) = played()
    for order, verdict in zip([(0, 1), (1, 0)], judge.judge([state])[0], strict=True):
        seen = observe(state, JUDGE_0, order)
        text = "Answer:" if merge_labels else "Answer: "
        ids = torch.tensor([encode_prompt(tokenizer, seen.system, seen.user, text)])
        with torch.no_grad():
            one, two = model(ids).logits[0, -1].softmax(-1)[labels].tolist()
        expected = {order[0]: one / (one + two), order[1]: two / (one + two)}
        assert verdict.order == order
        assert verdict.p == pytest.approx((expected[0], expected[1]), abs=1e-5)
        assert verdict.label_mass == pytest.approx(one + two, rel=1e-4)


def test_alone_and_in_a_batch_the_scores_are_the_same(model: Any, tokenizer: Any) -> None:
    states = played()
    together = shares(LogProbJudge(model, tokenizer, "llama", batch_size=8), states)
    for size in (1, 2):
        apart = shares(LogProbJudge(model, tokenizer, "llama", batch_size=size), states)
        np.testing.assert_allclose(apart, together, atol=1e-4)


@pytest.mark.parametrize("prompts", ["standard", "brief"])
def test_a_shared_beginning_changes_nothing(
    model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, prompts: str
) -> None:
    calls = []
    two_passes = prefix._in_two_passes

    def counted(*arguments: Any) -> Any:
        calls.append(1)
        return two_passes(*arguments)

    monkeypatch.setattr(prefix, "_in_two_passes", counted)
    judge, states = LogProbJudge(model, tokenizer, "llama"), played(prompts)
    shared = shares(judge, states)
    assert calls
    monkeypatch.setattr(prefix, "WORTHWHILE", 2)
    calls.clear()
    np.testing.assert_allclose(shared, shares(judge, states), atol=1e-4)
    assert not calls


def test_a_model_with_convolutions_is_read_in_one_pass() -> None:
    model, tokenizer = load_model("tiny")
    assert not prefix._continues(model)
    judge, states = LogProbJudge(model, tokenizer, "tiny"), played("brief", 3)
    alone = [shares(judge, [state])[0] for state in states]
    np.testing.assert_allclose(shares(judge, states), alone, atol=1e-4)


def test_a_common_prefix_ends_at_the_first_difference() -> None:
    assert prefix.common_prefix([[1, 2, 3], [1, 2, 4, 5]]) == [1, 2]
    assert prefix.common_prefix([[1, 2], [1, 2, 3]]) == [1, 2]
    assert prefix.common_prefix([[1], [2]]) == []


def test_the_first_order_alone_is_the_first_of_both(model: Any, tokenizer: Any) -> None:
    states = played()
    both = shares(LogProbJudge(model, tokenizer, "llama"), states)
    first = LogProbJudge(model, tokenizer, "llama", orders="first")
    assert shares(first, states).shape == (5, 1, 3)
    np.testing.assert_allclose(shares(first, states)[:, 0], both[:, 0], atol=1e-4)


def test_relabelled_answers_give_the_mirrored_average(model: Any, tokenizer: Any) -> None:
    judge = LogProbJudge(model, tokenizer, "llama")
    (state, *_) = played()
    question = state.question
    mirrored = replace(question, answers=question.answers[::-1], correct=1 - question.correct)
    there, back = (
        average_orders(judge.judge([replace(state, question=q)])[0], q.correct)
        for q in (question, mirrored)
    )
    assert there.p is not None
    assert back.p == pytest.approx(there.p[::-1], abs=1e-5)
    assert there.outcome == back.outcome


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_model_that_breaks_down_is_unreadable(model: Any, tokenizer: Any, value: float) -> None:
    broken = copy.deepcopy(model)
    with torch.no_grad():
        broken.lm_head.weight[5] = value
    for row in LogProbJudge(broken, tokenizer, "llama").judge(played()):
        assert {(v.outcome, v.p, v.label_mass) for v in row} == {(Outcome.UNREADABLE, None, None)}


@pytest.mark.parametrize(
    ("chances", "p"),
    [
        ((0.6, 0.2), (0.75, 0.25)),
        ((1e-30, 3e-30), (0.25, 0.75)),  # unlikely, but told
        ((0.3, 0.0), (1.0, 0.0)),
        ((0.0, 0.0), None),
        ((float("nan"), 0.5), None),
        ((0.5, float("nan")), None),
    ],
)
def test_missing_chances_are_no_probability(
    model: Any,
    tokenizer: Any,
    monkeypatch: pytest.MonkeyPatch,
    chances: tuple[float, float],
    p: tuple[float, float] | None,
) -> None:
    monkeypatch.setattr(logprob, "label_chances", lambda *_: [[chances, chances]])
    one, two = LogProbJudge(model, tokenizer, "llama").judge(played()[:1])[0]
    if p is None:
        for verdict in (one, two):
            assert (verdict.outcome, verdict.p) == (Outcome.UNREADABLE, None)
            assert verdict.label_mass is None
    else:
        assert one.p == pytest.approx(p)
        assert two.p == pytest.approx(p[::-1])


def test_what_is_read_is_counted(model: Any, tokenizer: Any) -> None:
    (state, *_) = played()
    for verdict in LogProbJudge(model, tokenizer, "llama").judge([state])[0]:
        assert verdict.order is not None
        seen = observe(state, JUDGE_0, verdict.order)
        length = len(encode_prompt(tokenizer, seen.system, seen.user, "Answer:"))
        assert verdict.spent == Overhead(0, length, 0, (("readings", 1),))


def test_the_base_judges_while_its_adapter_trains(lora: Any, model: Any, tokenizer: Any) -> None:
    lora.train()
    states = played()
    base = shares(LogProbJudge(lora, tokenizer, "base", adapter_off=True), states)
    np.testing.assert_allclose(base, shares(LogProbJudge(model, tokenizer, "m"), states), atol=1e-5)
    adapted = shares(LogProbJudge(lora, tokenizer, "own"), states)
    assert np.abs(adapted - base).max() > 1e-3
    assert lora.training
    assert all(weight.grad is None for weight in lora.parameters())


def test_a_transcript_beyond_the_context_fails_alone(model: Any, tokenizer: Any) -> None:
    judge = LogProbJudge(model, tokenizer, "llama")
    long, short = played(words=2000)[0], played()[1]
    with pytest.raises(ValueError, match="transcript of .* exceeds the context of 4096"):
        judge.judge([short, long])
    assert judge.judge([short])[0][0].p


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"orders": "second"}, "orders must be 'both' or 'first'"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"adapter_off": True}, "needs a LoRA model"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    model: Any, tokenizer: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        LogProbJudge(model, tokenizer, "llama", **options)


def test_labels_that_are_no_tokens_are_refused() -> None:
    class Blind:
        """Knows letters only, so that both labels are the unknown token."""

        chat_template = "{{ x }}"
        name_or_path = "blind"
        unk_token_id = 0
        added_tokens_decoder: ClassVar[dict[int, Any]] = {}
        all_special_ids: ClassVar[list[int]] = []
        all_special_tokens: ClassVar[list[str]] = []

        def apply_chat_template(self, messages: list[dict[str, str]], **_: Any) -> str:
            return "\n".join(message["content"] for message in messages)

        def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
            return {"input_ids": [ord(c) if c.isalpha() else 0 for c in text]}

    with pytest.raises(ValueError, match="labels 1 and 2 are not single"):
        label_tokens(Blind())


@pytest.mark.parametrize(("merge_labels", "text"), [(True, "Answer:"), (False, "Answer: ")])
def test_labels_are_the_tokens_that_follow(
    make_tokenizer: Callable[..., Any], merge_labels: bool, text: str
) -> None:
    tokenizer = make_tokenizer(merge_labels=merge_labels)
    primed, labels = label_tokens(tokenizer)
    assert primed == text
    assert [tokenizer.decode([label]).strip() for label in labels] == ["1", "2"]
