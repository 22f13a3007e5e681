"""The warm start: its tokenizer, its demonstrations, and the policy that it made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.local import LocalPolicy, pad_left
from debate_gym.agents.models import TINY, load_model, load_tokenizer
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import advance, due, observe, start
from debate_gym.envs.nouns import DEBATER_0, DEBATER_1, JUDGE_0, Observation
from debate_gym.envs.scripted import scripted_policy
from debate_gym.train import warm_start
from debate_gym.train.warm_start import Phase, Stage

QUESTIONS = load_task("evidence", "heldout", 40, seed=3)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return warm_start.build_tokenizer()


@pytest.fixture(scope="module")
def tiny() -> Any:
    return load_model("tiny")


def every_prompt(player: str) -> list[Observation]:
    """What each seat, the judge included, reads in games of a scripted player."""
    policy, seen = scripted_policy(player), []
    for name in ("debate", "consultancy", "direct-qa"):
        for seed, question in enumerate(QUESTIONS[:10]):
            state = start(question, load_protocol(name), seed=seed)
            while seats := due(state):
                now = [observe(state, seat) for seat in seats]
                seen += now
                state = advance(state, dict(zip(seats, policy.act(now), strict=True)))
            seen.append(observe(state, JUDGE_0, (1, 0)))
    return seen


@pytest.mark.parametrize("player", ["random", "best", "silent"])
def test_text_of_the_game_survives_the_tokenizer(tokenizer: Any, player: str) -> None:
    for observation in every_prompt(player):
        for text in (observation.system, observation.user):
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert tokenizer.decode(ids) == text
            assert tokenizer.unk_token_id not in ids


def test_words_that_the_game_lacks_become_unknown(tokenizer: Any) -> None:
    ids = tokenizer("zeppelin", add_special_tokens=False)["input_ids"]
    assert ids == [tokenizer.unk_token_id]


@pytest.mark.parametrize("tag", ["passage", "v_passage", "u_passage"])
def test_a_tag_is_one_token(tokenizer: Any, tag: str) -> None:
    ids = tokenizer(f"<{tag}></{tag}>", add_special_tokens=False)["input_ids"]
    assert len(ids) == 2
    assert tokenizer.unk_token_id not in ids


def test_the_template_puts_system_then_user_then_the_reply(tokenizer: Any) -> None:
    ids = encode_prompt(tokenizer, "Quote", "Record")
    text = "<|system|>Quote<|end|><|user|>Record<|end|><|assistant|>"
    assert tokenizer.decode(ids) == text
    assert tokenizer.padding_side == "left"


def test_the_shipped_tokenizer_is_the_built_one(tokenizer: Any) -> None:
    """A change of lexicon, prompts or template asks for a new warm start."""
    shipped = load_tokenizer(str(TINY))
    assert shipped.get_vocab() == tokenizer.get_vocab()
    assert shipped.chat_template == tokenizer.chat_template


def own_name(observation: Observation) -> str:
    assert observation.side is not None
    return observation.answers[observation.side]


def test_a_one_sided_demonstrator_quotes_its_own_side() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        observation, reply = warm_start.demonstrate(2, 1.0, rng)
        line = reply.removeprefix("<passage>").removesuffix("</passage>")
        article = (observation.article or "").splitlines()
        assert line in article
        if any(f" {own_name(observation)} " in other for other in article):
            assert f" {own_name(observation)} " in line


def test_a_demonstrator_without_a_preference_quotes_any_line_alike() -> None:
    rng = np.random.default_rng(0)
    places = np.zeros(12)
    for _ in range(1200):
        observation, reply = warm_start.demonstrate(1, 0.0, rng)
        places[(observation.article or "").splitlines().index(reply[9:-10])] += 1
    # 100 expected at each place, with a deviation of 9.6.
    assert places.min() > 60
    assert places.max() < 140


def test_a_game_is_trained_on_the_prompt_that_is_played(tokenizer: Any) -> None:
    ids, labels = warm_start.game_batch(tokenizer, 2, 0.2, 8, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    for row, label in zip(ids.tolist(), labels.tolist(), strict=True):
        observation, reply = warm_start.demonstrate(2, 0.2, rng)
        prompt = encode_prompt(tokenizer, observation.system, observation.user)
        learnt = [token for token in label if token != -100]
        assert [token for token in row if token != tokenizer.pad_token_id] == prompt + learnt
        assert tokenizer.decode(learnt) == f"{reply}{tokenizer.eos_token}"
        assert row[-len(learnt) :] == learnt


def test_a_list_asks_for_a_side_and_learns_the_replies_alone(tokenizer: Any) -> None:
    ids, labels = warm_start.list_batch(tokenizer, 4, 3, np.random.default_rng(0))
    for row, label in zip(ids, labels, strict=True):
        text = tokenizer.decode(row[row != tokenizer.pad_token_id])
        article, *requests = text.split("Quote one sentence for")
        assert len(requests) == 8
        replies = tokenizer.decode(label[label != -100]).split(tokenizer.eos_token)[:-1]
        for request, reply in zip(requests, replies, strict=True):
            assert f"\n{reply[9:-10]}\n" in f"\n{article}"
            assert reply[9:-10].split()[1] == request.split(".")[0].strip()


def quick(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, torch.Tensor]:
    phases = (Phase("lists", 2, sentences=(2, 3)), Phase("games", 1, rounds=2, own=0.2))
    monkeypatch.setattr(warm_start, "STAGES", (Stage(5e-3, phases), Stage(1e-3, phases[1:])))
    monkeypatch.setattr("sys.argv", ["warm_start", "--out", str(folder), "--batch", "2"])
    warm_start.main()
    state: dict[str, torch.Tensor] = load_model(str(folder))[0].state_dict()
    return state


def test_the_script_is_reproducible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    first = quick(tmp_path / "a", monkeypatch)
    torch.manual_seed(2)
    second = quick(tmp_path / "b", monkeypatch)
    assert all(torch.equal(first[name], second[name]) for name in first)
    untrained = warm_start.build_model(warm_start.build_tokenizer(), 0).state_dict()
    assert any(not torch.equal(first[name], untrained[name]) for name in first)


def test_the_shipped_policy_has_the_built_shape(tiny: Any, tokenizer: Any) -> None:
    built = warm_start.build_model(tokenizer, 0)
    shapes = {name: weight.shape for name, weight in built.state_dict().items()}
    assert {name: weight.shape for name, weight in tiny[0].state_dict().items()} == shapes
    assert sum(weight.numel() for weight in built.parameters()) <= 2_000_000


def test_padding_on_the_left_changes_no_probability(tiny: Any) -> None:
    model, tokenizer = tiny
    seen = observe(start(QUESTIONS[0], load_protocol("debate")), DEBATER_0)
    prompt = encode_prompt(tokenizer, seen.system, seen.user)
    longer = [*prompt, *prompt[-60:]]
    ids, mask = pad_left([prompt, longer], tokenizer.pad_token_id, "cpu")
    with torch.no_grad():
        alone = model(torch.tensor([prompt])).logits[0, -1]
        padded = model(ids, attention_mask=mask).logits[0, -1]
    torch.testing.assert_close(padded.softmax(-1), alone.softmax(-1), atol=1e-4, rtol=0)


def test_the_shipped_policy_quotes_whole_sentences_of_every_kind(tiny: Any) -> None:
    """The model card states .86 verified on 2,000 turns; 160 turns have a deviation of .03."""
    policy = LocalPolicy(*tiny, "tiny", max_new_tokens=16)
    protocol = load_protocol("debate", rounds=1)
    states = [start(question, protocol, seed=i) for i, question in enumerate(QUESTIONS)] + [
        start(question, protocol, seed=100 + i) for i, question in enumerate(QUESTIONS)
    ]
    seen = [observe(state, seat) for state in states for seat in (DEBATER_0, DEBATER_1)]
    kinds = {"own": 0, "other": 0, "nobody": 0, "missing": 0}
    for observation, said in zip(seen, policy.act(seen), strict=True):
        line = said.text.removeprefix("<passage>").removesuffix("</passage>")
        if line not in (observation.article or "").splitlines():
            kinds["missing"] += 1
        elif line.split()[1] not in observation.answers:
            kinds["nobody"] += 1
        else:
            kinds["own" if line.split()[1] == own_name(observation) else "other"] += 1
    assert kinds["missing"] <= 0.25 * len(seen)
    assert kinds["own"] > kinds["other"] > 0
    assert 0.4 * len(seen) < kinds["nobody"] < 0.7 * len(seen)


def test_the_shipped_policy_knows_its_side(tiny: Any) -> None:
    """Both seats read the same record; each gives its own name more than the other seat does."""
    model, tokenizer = tiny
    ahead = []
    for question in QUESTIONS:
        state = start(question, load_protocol("debate"))
        for side, name in enumerate(question.answers):
            chances = []
            for seat in (DEBATER_0, DEBATER_1):
                seen = observe(state, seat)
                ids = encode_prompt(tokenizer, seen.system, seen.user, "<passage>To")
                with torch.no_grad():
                    p = model(torch.tensor([ids])).logits[0, -1].softmax(-1)
                chances.append(float(p[tokenizer.convert_tokens_to_ids(f" {name}")]))
            ahead.append(chances[side] > chances[1 - side])
    assert np.mean(ahead) > 0.8
