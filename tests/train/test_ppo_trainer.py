from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from debate_gym.agents.models import TINY, load_model, revision
from debate_gym.envs import State, Verdict, load_protocol, load_task
from debate_gym.envs.scripted import scripted_judge, scripted_policy
from debate_gym.train.held_out import Evaluate, HeldOut
from debate_gym.train.ppo_trainer import DebatePPOTrainer

Build = Callable[..., Any]


def logged(trainer: Any, name: str) -> list[float]:
    return [record[name] for record in trainer.state.log_history if name in record]


def rollout(trainer: Any) -> dict[str, Tensor]:
    number = trainer.args.episodes * trainer.args.rows_per_episode
    items = [{"item": i // trainer.args.rows_per_episode} for i in range(number)]
    batch: dict[str, Tensor] = trainer._generate_and_score_completions(items)
    return batch


class Recorder:
    """Keeps how many digits each episode held."""

    name = "count"

    def __init__(self, judge: Any) -> None:
        self.judge_with = judge
        self.counts: list[int] = []

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        for state in states:
            self.counts.append(sum(c.isdigit() for turn in state.turns for c in turn.argument))
        return list(self.judge_with.judge(states))

    def ends(self, number: int) -> tuple[float, float]:
        return float(np.mean(self.counts[:number])), float(np.mean(self.counts[-number:]))


def learn(build: Build, judge: Any, **fields: Any) -> tuple[float, float]:
    recorder = Recorder(judge)
    settings = {"iterations": 16, "episodes": 16, "learning_rate": 1e-2, "save_every": 100}
    build(judge_with=recorder, **settings, **fields).train()
    return recorder.ends(32)


def test_it_learns_what_the_judge_pays_for(make_trainer: Build, count_judge: Any) -> None:
    before, after = learn(make_trainer, count_judge)
    assert after > 2 * before


def test_with_shuffled_rewards_there_is_nothing_to_learn(
    make_trainer: Build, count_judge: Any
) -> None:
    before, after = learn(make_trainer, count_judge, shuffle_rewards=True)
    assert after < 1.5 * before


@pytest.mark.parametrize("lora_r", [0, 4])
def test_sampler_and_trainer_agree_at_the_start(make_trainer: Build, lora_r: int) -> None:
    assert largest_gap(make_trainer(lora_r=lora_r, temperature=0.7)) < 1e-4


@pytest.mark.skipif(not TINY.is_dir(), reason="the package was built without its tiny policy")
def test_sampler_and_trainer_agree_on_the_tiny_policy(make_trainer: Build) -> None:
    trainer = make_trainer()
    args = trainer.args
    model, tokenizer = load_model("tiny")
    tiny = DebatePPOTrainer(model, tokenizer, args, trainer.questions)
    tiny.self_play = trainer.self_play
    assert largest_gap(tiny) < 1e-4


def largest_gap(trainer: Any) -> float:
    """Greatest difference of a token's log-probability between sampling and the old pass."""
    sampled: list[Tensor] = []
    generate = trainer.model.generate

    def spy(**inputs: Any) -> Tensor:
        output = generate(**inputs, output_scores=True, return_dict_in_generate=True)
        scores = torch.stack(output.scores, 1).log_softmax(-1)
        new = output.sequences[:, inputs["input_ids"].shape[1] :]
        sampled.append(scores.gather(-1, new.unsqueeze(-1)).squeeze(-1))
        ids: Tensor = output.sequences
        return ids

    trainer.model.generate = spy
    batch = rollout(trainer)
    order = rows_in_calling_order(trainer)
    old, mask = batch["old_per_token_logps"][order], batch["completion_mask"][order].bool()
    width = max(part.shape[1] for part in sampled)
    there = torch.cat([torch.nn.functional.pad(p, (0, width - p.shape[1])) for p in sampled])
    assert len(there) == len(old)
    return float((there[:, : old.shape[1]] - old).abs()[mask].max())


def rows_in_calling_order(trainer: Any) -> list[int]:
    """Rows stand by (episode, seat, round); they are sampled by (round, episode, seat)."""
    episodes, seats, rounds = trainer.args.episodes, 2, trainer.args.rounds
    return [
        (episode * seats + seat) * rounds + turn
        for turn in range(rounds)
        for episode in range(episodes)
        for seat in range(seats)
    ]


@pytest.mark.parametrize("lora_r", [0, 4])
def test_the_first_rollout_is_at_no_distance_from_the_reference(
    make_trainer: Build, lora_r: int
) -> None:
    trainer = make_trainer(lora_r=lora_r)
    rollout(trainer)
    assert trainer._metrics["train"]["kl"] == [pytest.approx(0, abs=1e-6)]


def test_the_loss_is_on_the_sampled_tokens_and_on_nothing_else(make_trainer: Build) -> None:
    trainer = make_trainer(iterations=1)
    trainer.current_gradient_accumulation_steps = trainer.args.steps_per_generation
    torch.nn.init.normal_(trainer.value_head.weight, std=0.1)
    batch = rollout(trainer)
    model = trainer.model
    trainer.compute_loss(model, batch).backward()
    padded = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    by_hand(trainer, batch).backward()
    plain = [p.grad for p in model.parameters()]
    for one, other in zip(padded, plain, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


def by_hand(trainer: Any, batch: dict[str, Tensor]) -> Tensor:
    """PPO's loss row by row without padding, at ratio 1, over the number of sampled tokens."""
    loss = torch.zeros(())
    for i in range(len(batch["prompt_ids"])):
        prompt = batch["prompt_ids"][i][batch["prompt_mask"][i].bool()]
        said = batch["completion_mask"][i].bool()
        ids = torch.cat([prompt, batch["completion_ids"][i][said]])
        output = trainer.model(input_ids=ids.unsqueeze(0))
        span = slice(len(prompt) - 1, len(ids) - 1)
        logps = output.logits[0].log_softmax(-1)[span]
        chosen = logps.gather(-1, ids[len(prompt) :].unsqueeze(-1)).squeeze(-1)
        ratio = (chosen - chosen.detach()).exp()
        error = output.state_values[0, span] - batch["returns"][i][said]
        loss = loss - (ratio * batch["advantages"][i][said]).sum()
        loss = loss + trainer.args.vf_coef * error.square().sum() / 2
    return loss / batch["completion_mask"].sum()


def test_micro_batches_add_up(make_trainer: Build, tmp_path: Path) -> None:
    norms = []
    for parts in (1, 4):
        trainer = make_trainer(
            iterations=1,
            minibatches=1,
            micro_batches=parts,
            ppo_epochs=1,
            episodes=4,
            output_dir=str(tmp_path / str(parts)),
        )
        trainer.train()
        norms += logged(trainer, "grad_norm")
    assert norms[0] > 0
    assert norms[1] == pytest.approx(norms[0], rel=1e-4)


@pytest.mark.parametrize(
    "fields",
    [
        {"protocol": "consultancy"},
        {"opponent": "frozen"},
        {"opponent": "scripted:random"},
        {"turns": "sequential", "rounds": 1},
    ],
)
def test_other_games_train(make_trainer: Build, fields: dict[str, Any]) -> None:
    opponent = scripted_policy("random") if "opponent" in fields else None
    trainer = make_trainer(**fields, opponent_with=opponent)
    trainer.train()
    assert trainer.state.global_step == 8
    assert max(logged(trainer, "grad_norm")) > 0


class Flaky:
    """Fails on the episodes that `broken` picks."""

    name = "flaky"

    def __init__(self, broken: Callable[[State], bool], judge: Any) -> None:
        self.broken = broken
        self.judge_with = judge

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        if any(self.broken(state) for state in states):
            raise ConnectionError("the judge is away")
        return list(self.judge_with.judge(states))


def test_failed_episodes_are_counted_and_the_others_train(
    make_trainer: Build, count_judge: Any
) -> None:
    judge = Flaky(lambda state: state.id.startswith("1:"), count_judge)
    trainer = make_trainer(judge_with=judge)
    trainer.train()
    assert logged(trainer, "outcome/failed") == [0.25, 0.25]
    assert max(logged(trainer, "grad_norm")) > 0


def test_a_run_in_which_everything_fails_stops(make_trainer: Build, count_judge: Any) -> None:
    trainer = make_trainer(judge_with=Flaky(lambda _: True, count_judge))
    with pytest.raises(RuntimeError, match="the judge is away"):
        trainer.train()


def test_too_few_questions(make_trainer: Build) -> None:
    trainer = make_trainer(plays=1)
    model, tokenizer = trainer.model, trainer.processing_class
    with pytest.raises(ValueError, match="Lower episodes"):
        DebatePPOTrainer(model, tokenizer, trainer.args, trainer.questions[:3])


@pytest.mark.parametrize("lora_r", [0, 4])
def test_a_resumed_run_ends_with_the_weights_of_an_unbroken_one(
    make_trainer: Build, lora_r: int
) -> None:
    fields = {"iterations": 4, "lora_r": lora_r, "save_total_limit": None}
    whole = make_trainer(**fields)
    whole.train()
    middle = Path(whole.args.output_dir) / "checkpoint-8"
    resumed = make_trainer(**fields)
    resumed.train(resume_from_checkpoint=str(middle))
    assert resumed.state.global_step == whole.state.global_step == 16
    assert revision(resumed.model) == revision(whole.model)
    assert logged(resumed, "judge/accuracy") == logged(whole, "judge/accuracy")


def test_without_its_value_head_a_resumed_run_would_differ(make_trainer: Build) -> None:
    whole = make_trainer(iterations=4, save_total_limit=None)
    whole.train()
    resumed = make_trainer(iterations=4)
    resumed.args.output_dir = str(Path(whole.args.output_dir) / "elsewhere")
    checkpoint = Path(whole.args.output_dir) / "checkpoint-8"
    (checkpoint / "value_head.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="value_head"):
        resumed.train(resume_from_checkpoint=str(checkpoint))


def test_evaluation_leaves_training_as_it_was(make_trainer: Build, tmp_path: Path) -> None:
    hashes = []
    for measured in (False, True):
        trainer = make_trainer(eval_every=1, output_dir=str(tmp_path / str(measured)))
        if measured:
            trainer.add_callback(Evaluate(trainer, held_out(tmp_path)))
        trainer.train()
        hashes.append(revision(trainer.model))
    assert hashes[0] == hashes[1]
    assert logged(trainer, "eval_judge_accuracy") == [0.5, 0.5, 0.5]
    assert sorted(path.name for path in tmp_path.glob("step-*.jsonl")) == [
        "step-000000.jsonl",
        "step-000004.jsonl",
        "step-000008.jsonl",
    ]


def held_out(folder: Path) -> HeldOut:
    return HeldOut(
        load_task("evidence", "heldout", 3, seed=1),
        load_protocol("debate", rounds=2),
        scripted_judge("evidence"),
        seed=0,
        folder=folder,
        samples=1,
    )


def test_an_evaluation_reads_back_as_it_was_written(tmp_path: Path) -> None:
    measure = held_out(tmp_path)
    policy, rival = scripted_policy("best"), scripted_policy("random")
    policy.revision = "step-7"
    evaluation = measure.measure(policy, rival, rank=0, world=1)
    measure.write(evaluation, 7)
    again = measure.read(7, policy.name)
    assert again.metrics() == evaluation.metrics()
    assert "Verdict of evidence" in (tmp_path / "step-000007.md").read_text()


def test_processes_measure_a_share_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[Any] = []

    def gather(records: list[Any]) -> list[Any]:
        parts.extend(records)
        return parts

    monkeypatch.setattr("debate_gym.train.held_out.gather_object", gather)
    measure = dataclasses.replace(held_out(tmp_path), samples=0)
    policy, rival = scripted_policy("best"), scripted_policy("random")
    measure.measure(policy, rival, rank=1, world=2)
    evaluation = measure.measure(policy, rival, rank=0, world=2)
    ids = [episode.question.id for episode in evaluation.of("self-play")]
    assert ids == [question.id for question in measure.questions]


def test_values_of_the_old_pass_come_with_the_log_probabilities(make_trainer: Build) -> None:
    trainer = make_trainer()
    with torch.no_grad():
        trainer.value_head.bias.fill_(0.5)
    batch = rollout(trainer)
    assert torch.equal(batch["old_values"], 0.5 * batch["completion_mask"])
    assert SimpleNamespace(**batch).advantages.shape == batch["completion_mask"].shape


def test_a_run_does_not_see_its_start_rewritten(make_trainer: Build, toy: Path) -> None:
    path = toy / "model.safetensors"
    content = path.read_bytes()
    trainer = make_trainer()
    before = revision(trainer.model)
    try:
        path.write_bytes(content[:-4096] + bytes(4096))
        assert revision(trainer.model) == before
    finally:
        path.write_bytes(content)
