"""The local policy: what it says, what it leaves alone, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from debate_gym.agents import local
from debate_gym.agents.local import LocalPolicy, cut_at_end, pad_left
from debate_gym.agents.models import load_model
from debate_gym.agents.rollout import Job, play
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import observe, start
from debate_gym.envs.nouns import Episode, Observation, Outcome
from debate_gym.envs.scripted import scripted_judge

DEBATE = load_protocol("debate")
QUESTIONS = load_task("evidence", "heldout", 12, seed=5)


@pytest.fixture(scope="module")
def tiny() -> Any:
    return load_model("tiny")


def first_turns(n: int = 4) -> list[Observation]:
    states = [start(q, DEBATE, seed=i, id=str(i)) for i, q in enumerate(QUESTIONS[:n])]
    return [observe(state, seat) for state in states for seat in DEBATE.seats]


def words(policy: LocalPolicy, observations: Sequence[Observation]) -> list[str]:
    return [utterance.text for utterance in policy.act(observations)]


def debates(policy: LocalPolicy) -> list[Episode]:
    jobs = [
        Job(q, DEBATE, {"debater_0": "p", "debater_1": "p"}, seed=i)
        for i, q in enumerate(QUESTIONS)
    ]
    return list(play(jobs, {"p": policy}, scripted_judge("evidence")))


def test_the_shipped_policy_quotes(tiny: Any) -> None:
    policy = LocalPolicy(*tiny, "tiny", max_new_tokens=16)
    turns = [turn for episode in debates(policy) for turn in episode.turns]
    assert sum(p.verified for turn in turns for p in turn.passages) >= 0.6 * len(turns)
    assert all(turn.completion_tokens > 0 and turn.prompt_tokens > 50 for turn in turns)


def test_the_same_seed_gives_the_same_words_and_leaves_torch_alone(
    model: Any, tokenizer: Any
) -> None:
    policy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=8)
    before = torch.get_rng_state()
    first = words(policy, first_turns())
    assert torch.equal(before, torch.get_rng_state())
    assert words(policy, first_turns()) == first
    other = [replace(observation, seed=observation.seed + 1) for observation in first_turns()]
    assert words(policy, other) != first


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_words_do_not_depend_on_the_batch(tiny: Any, temperature: float) -> None:
    turns = []
    for size in (1, 5, 64):
        policy = LocalPolicy(
            *tiny, "tiny", temperature=temperature, max_new_tokens=16, batch_size=size
        )
        turns.append([episode.turns for episode in debates(policy)])
    assert turns[0] == turns[1] == turns[2]


def test_words_do_not_depend_on_order_or_company(model: Any, tokenizer: Any) -> None:
    policy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=8)
    observations = first_turns()
    together = words(policy, observations)
    assert words(policy, observations[::-1]) == together[::-1]
    assert words(policy, observations[3:4]) == together[3:4]


def test_the_first_token_is_drawn_from_the_model_s_distribution(model: Any, tokenizer: Any) -> None:
    (observation, *_) = first_turns()
    prompt = torch.tensor([local.encode_prompt(tokenizer, observation.system, observation.user)])
    with torch.no_grad():
        chances = model(prompt, logits_to_keep=1).logits[0, -1].softmax(-1)
    n = 512
    policy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=1)
    likeliest = tokenizer.decode([int(chances.argmax())], skip_special_tokens=True)
    said = words(policy, [replace(observation, seed=seed) for seed in range(n)])
    share = float(chances.max())
    # Four standard errors.
    assert abs(said.count(likeliest) / n - share) < 4 * (share * (1 - share) / n) ** 0.5
    greedy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=1, temperature=0)
    assert words(greedy, [observation]) == [likeliest]
    narrow = LocalPolicy(model, tokenizer, "llama", max_new_tokens=1, top_p=1e-6)
    assert words(narrow, [observation]) == [likeliest]


def test_a_reply_counts_its_tokens_and_says_why_it_stopped(model: Any, tokenizer: Any) -> None:
    observations = [replace(first_turns()[0], seed=seed) for seed in range(64)]
    policy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=40)
    said = policy.act(observations)
    assert {utterance.finish for utterance in said} == {"stop", "length"}
    for utterance in said:
        assert utterance.prompt_tokens == said[0].prompt_tokens > 100
        assert (utterance.completion_tokens == 40) or utterance.finish == "stop"
        assert not any(token in utterance.text for token in tokenizer.all_special_tokens)


def test_a_completion_ends_with_its_first_end_token() -> None:
    assert cut_at_end([5, 6, 2, 7, 2], {2, 9}) == ([5, 6, 2], "stop")
    assert cut_at_end([5, 6], {2, 9}) == ([5, 6], "length")


def test_a_real_pad_token_in_a_prompt_is_read() -> None:
    ids, mask = pad_left([[7, 0], [1, 2, 3]], 0, "cpu")
    assert ids.tolist() == [[0, 7, 0], [1, 2, 3]]
    assert mask.tolist() == [[0, 1, 1], [1, 1, 1]]


def test_a_call_stays_within_its_tokens(
    model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=10, batch_size=3)
    prompts = [[1] * n for n in (90, 10, 30, 10, 10, 500)]
    assert list(policy._batches(prompts)) == [[1, 3, 4], [2, 0, 5]]
    monkeypatch.setattr(local, "BATCH_TOKENS", 100)
    assert list(policy._batches(prompts)) == [[1, 3, 4], [2], [0], [5]]


def test_a_prompt_beyond_the_context_fails_its_episode_alone(model: Any, tokenizer: Any) -> None:
    long = replace(QUESTIONS[1], article="Nobody gains 1 point from the cook.\n" * 200)
    policy = LocalPolicy(model, tokenizer, "llama", max_new_tokens=4)
    seats = {"debater_0": "p", "debater_1": "p"}
    jobs = [Job(question, DEBATE, seats) for question in (QUESTIONS[0], long, QUESTIONS[2])]
    episodes = list(play(jobs, {"p": policy}, scripted_judge("evidence")))
    failed = [episode.verdicts[0].outcome is Outcome.FAILED for episode in episodes]
    assert failed == [False, True, False]
    assert "exceed the context of 4096" in str(episodes[1].error)


def test_an_adapter_speaks_when_asked_and_leaves_the_model_as_it_was(
    lora: Any, model: Any, tokenizer: Any
) -> None:
    def said(model: Any, **options: Any) -> list[str]:
        policy = LocalPolicy(model, tokenizer, "llama", temperature=0, max_new_tokens=8, **options)
        return words(policy, first_turns(2))

    lora.train()
    # Not what switching adapters would leave behind: one more weight is frozen.
    next(weight for weight in lora.parameters() if weight.requires_grad).requires_grad_(False)
    trained = [name for name, weight in lora.named_parameters() if weight.requires_grad]
    own, other, base = said(lora), said(lora, adapter="other"), said(lora, adapter_off=True)
    assert base == said(model)
    assert len({tuple(texts) for texts in (own, other, base)}) == 3
    assert said(lora, adapter="default") == own
    assert lora.active_adapter == "default"
    assert lora.training
    assert [name for name, weight in lora.named_parameters() if weight.requires_grad] == trained


def test_a_model_that_breaks_is_left_as_it_was(
    lora: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**options: Any) -> None:
        raise RuntimeError("out of memory")

    lora.train()
    monkeypatch.setattr(lora, "generate", broken)
    policy = LocalPolicy(lora, tokenizer, "llama", adapter="other", max_new_tokens=4)
    with pytest.raises(RuntimeError, match="out of memory"):
        policy.act(first_turns(1))
    assert lora.training
    assert lora.active_adapter == "default"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"temperature": -1}, "temperature must be at least 0, got -1"),
        ({"top_p": 0}, "top_p must be above 0"),
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"adapter": "default"}, "no adapter 'default'"),
        ({"adapter_off": True}, "needs a LoRA model"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    model: Any, tokenizer: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        LocalPolicy(model, tokenizer, "llama", version="", **options)
