"""Builds a PPO run from its configuration, trains it, and says what it did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from transformers.trainer_utils import get_last_checkpoint

from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.models import load_model
from debate_gym.agents.specs import make_judge
from debate_gym.envs.nouns import Question
from debate_gym.envs.protocol import Protocol, load_protocol
from debate_gym.envs.scripted import scripted_policy
from debate_gym.envs.seats import Judge
from debate_gym.envs.tasks import load_task
from debate_gym.eval.checkpoint import Evaluation, evaluate_policy
from debate_gym.eval.curves import plot_curves
from debate_gym.eval.table import comparison_table, verdict_line
from debate_gym.train.callbacks import HeldOutEvaluation, MetricsFile, ProgressBar
from debate_gym.train.config import DebatePPOConfig
from debate_gym.train.ppo_trainer import DebatePPOTrainer
from debate_gym.train.self_play import SelfPlay

HELD_OUT_SEED = 1_000_003
RANDOM, BEST = "random quoting", "best play"


class Run:
    """A run: the trainer, and what it is measured by."""

    def __init__(self, args: DebatePPOConfig) -> None:
        self.args = args
        self.folder = Path(args.output_dir or "runs/debate_ppo")
        self.console = Console(stderr=True, quiet=not args.should_save)
        self._refuse_to_overwrite()
        self.protocol = load_protocol(args.protocol, rounds=args.rounds, turns=args.turns)
        held_out = self._questions("heldout", args.eval_questions, HELD_OUT_SEED)
        self.held_out = held_out
        self.trainer = self._trainer()
        self.judge = self._judge()
        self.trainer.self_play = self._self_play()
        self.evaluation = HeldOutEvaluation(
            self.trainer,
            held_out,
            self.protocol,
            self.judge,
            self.folder,
            every=args.eval_every * args.steps_per_iteration,
            samples=args.samples,
            show=self.console.print,
        )
        for callback in (MetricsFile(self.folder / "metrics.jsonl"), self.evaluation, ProgressBar()):
            self.trainer.add_callback(callback)

    def train(self) -> None:
        """Trains, from the checkpoint that the configuration names if it names one."""
        resume: Any = self.args.resume_from_checkpoint
        if resume in ("True", "true", "last"):
            resume = get_last_checkpoint(str(self.folder)) if self.folder.is_dir() else None
            if resume is None:
                self.console.print(f"no checkpoint in {self.folder}: starting from the beginning")
        self.trainer.train(resume_from_checkpoint=resume)
        self.trainer.save_model(str(self.folder / "final"))

    def report(self) -> None:
        """Prints the table of before and after and draws the curves; on the main process only."""
        if not self.args.should_save:
            return
        evaluations = self.evaluation.evaluations
        columns = self._references()
        columns["before"] = evaluations[0]
        columns["after"] = evaluations[max(evaluations)]
        title = f"{self.args.protocol} on {self.args.task}, judge {self.judge.name}"
        out = Console(width=max(100, 26 + 30 * len(columns)) if not sys.stdout.isatty() else None)
        out.print(comparison_table(columns, title))
        scripted = {name: columns[name] for name in (RANDOM, BEST) if name in columns}
        if scripted and self.protocol.debate:
            out.print(verdict_line(columns, (RANDOM, BEST, "before", "after")))
        png = self.folder / "curves.png"
        lines = {
            name: evaluation.estimates()["judge_accuracy"].value
            for name, evaluation in scripted.items()
        }
        plot_curves(self.folder / "metrics.jsonl", png, title=title, lines=lines)
        out.print(f"Curves: {png}   transcripts: {self.folder / 'transcripts'}")

    def _refuse_to_overwrite(self) -> None:
        if self.args.resume_from_checkpoint or not (self.folder / "metrics.jsonl").exists():
            return
        raise SystemExit(
            f"error: {self.folder} holds a run already. Go on with it by "
            "--resume_from_checkpoint last, or choose another --output_dir"
        )

    def _trainer(self) -> DebatePPOTrainer:
        args = self.args
        model, tokenizer = load_model(args.model)
        n = args.train_questions or args.iterations * args.episodes * args.world_size
        return DebatePPOTrainer(
            model,
            tokenizer,
            args,
            self._questions("train", n, args.seed),
            peft_config=self._lora(),
        )

    def _lora(self) -> Any:
        if not self.args.lora_r:
            return None
        from peft import LoraConfig

        rank = self.args.lora_r
        return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", lora_dropout=0)

    def _questions(self, split: str, n: int, seed: int) -> list[Question]:
        words = self.args.max_article_words
        options = {} if words is None else {"max_article_words": words}
        return load_task(self.args.task, split, n, seed, **options)

    def _judge(self) -> Judge:
        if self.args.judge != "logprob:base":
            return make_judge(self.args.judge)
        model = self.trainer.accelerator.unwrap_model(self.trainer.model)
        name = f"logprob:{self.args.model}"
        return LogProbJudge(model, self.trainer.processing_class, name, adapter_off=True)

    def _self_play(self) -> SelfPlay:
        spec = self.args.opponent
        opponent = None
        if spec == "frozen":
            opponent = self.trainer.start_policy("start")
        elif spec != "self":
            opponent = scripted_policy(spec)
        args = self.args
        return SelfPlay(self.protocol, self.judge, opponent, args.reward, args.shuffle_rewards)

    def _references(self) -> dict[str, Evaluation]:
        """What scripted seats reach on the same questions, where the game has a known optimum."""
        if self.args.task != "evidence":
            return {}
        return {
            label: reference_evaluation(name, self.held_out, self.protocol, self.judge)
            for label, name in ((RANDOM, "random"), (BEST, "best"))
        }


def reference_evaluation(
    name: str, questions: list[Question], protocol: Protocol, judge: Judge
) -> Evaluation:
    """Evaluates a scripted policy, with random quoting as what it is compared with."""
    policy, reference = scripted_policy(name), scripted_policy("random")
    reference.revision = "reference"
    return evaluate_policy(policy, reference, questions, protocol, judge, seed=0)
