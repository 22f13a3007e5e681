"""Held-out evaluation while a policy trains: before, at intervals, and after."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelerate.utils import gather_object
from transformers import TrainerCallback

from debate_gym.envs.nouns import Episode, Question
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.seats import Judge, Policy
from debate_gym.eval.checkpoint import SELF, Evaluation, evaluate_policy
from debate_gym.eval.metrics import player
from debate_gym.eval.store import read_episodes
from debate_gym.eval.transcripts import write_samples


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What a policy is measured on.

    Attributes:
        folder: every evaluation leaves `step-N.jsonl` (all its episodes) and `step-N.md` (some of
            them, readable, of the same questions each time) here.
        samples: episodes in the readable file.
    """

    questions: Sequence[Question]
    protocol: Protocol
    judge: Judge
    seed: int
    folder: Path
    samples: int

    def measure(self, policy: Policy, reference: Policy, rank: int, world: int) -> Evaluation:
        """Plays the share of one process, and gives every process the whole."""
        own = self.questions[rank::world]
        played = evaluate_policy(
            policy, reference, own, self.protocol, self.judge, self.seed * world + rank
        )
        if world == 1:
            return played
        records = gather_object([episode.to_json() for episode in played.episodes])
        episodes = (Episode.from_json(record) for record in records)
        place = {question.id: number for number, question in enumerate(self.questions)}
        return Evaluation(
            tuple(sorted(episodes, key=lambda episode: place[episode.question.id])), played.player
        )

    def write(self, evaluation: Evaluation, step: int) -> None:
        """Writes both files of an evaluation; the episodes all at once, so that a killed run
        leaves none by halves."""
        lines = [json.dumps(e.to_json(), ensure_ascii=False) for e in evaluation.episodes]
        _replace(self._path(step, "jsonl"), "".join(f"{line}\n" for line in lines))
        write_samples(evaluation.of(SELF)[: self.samples], self._path(step, "md"))

    def read(self, step: int, name: str) -> Evaluation:
        """An evaluation of the policy `name` that was written before.

        Raises:
            FileNotFoundError: if there is none.
        """
        episodes = read_episodes(self._path(step, "jsonl"))
        return Evaluation(tuple(episodes), player(name, f"step-{step}"))

    def _path(self, step: int, suffix: str) -> Path:
        return self.folder / f"step-{step:06d}.{suffix}"


class Evaluate(TrainerCallback):  # type: ignore[misc]
    """Measures the policy before training, every so many iterations, and at the end.

    The figures go where the trainer's own go. Nothing is drawn from the generators of training:
    a run with evaluations has the same weights as one without.
    """

    def __init__(self, trainer: Any, held_out: HeldOut) -> None:
        self._trainer = trainer
        self._held_out = held_out
        self._every = trainer.args.eval_every * trainer.args.steps_per_iteration

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step == 0:
            self._measure(args, state, control)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step % self._every == 0 or state.global_step == state.max_steps:
            self._measure(args, state, control)

    def _measure(self, args: Any, state: Any, control: Any) -> None:
        trainer, accelerator = self._trainer, self._trainer.accelerator
        evaluation = self._held_out.measure(
            trainer.policy(),
            trainer.start_policy("start"),
            accelerator.process_index,
            accelerator.num_processes,
        )
        if accelerator.is_main_process:
            self._held_out.write(evaluation, state.global_step)
        logs = {
            f"eval_{name.removeprefix('eval/')}": value
            for name, value in evaluation.metrics().items()
        }
        state.log_history.append({**logs, "step": state.global_step})
        # The handler takes a call of on_log as the step's own log record and clears its flag.
        due = control.should_log
        trainer.callback_handler.on_log(args, state, control, logs)
        control.should_log = due


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f"{path.name}.tmp")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)
