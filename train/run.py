"""Builds a PPO run from its configuration, trains it, and says what it did."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from rich.console import Console
from transformers import PrinterCallback
from transformers.utils.logging import disable_progress_bar

from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.models import load_model
from debate_gym.agents.specs import make_judge
from debate_gym.envs.nouns import Question
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.scripted import scripted_policy
from debate_gym.envs.seats import Judge, Policy
from debate_gym.envs.tasks import load_task
from debate_gym.eval.checkpoint import Evaluation, evaluate_policy
from debate_gym.eval.curves import plot_curves
from debate_gym.eval.table import comparison_table, verdict_line
from debate_gym.train import run_folder
from debate_gym.train.callbacks import MetricsFile, Progress
from debate_gym.train.config import DebatePPOConfig
from debate_gym.train.held_out import Evaluate, HeldOut
from debate_gym.train.ppo_trainer import DebatePPOTrainer
from debate_gym.train.self_play import SelfPlay

HELD_OUT_SEED = 1_000_003
RUNS = Path("runs")
RANDOM, BEST = "random quoting", "best play"


class Run:
    """A run: its folder, the trainer, and what it is measured on.

    Raises:
        ValueError: on a configuration that cannot be run; nothing is written then.
    """

    def __init__(self, args: DebatePPOConfig) -> None:
        self.args = args
        self.resume = args.resume_from_checkpoint
        self.folder = run_folder.choose_folder(
            args.chosen_output_dir, self.resume, RUNS, f"ppo-{args.protocol}"
        )
        args.output_dir = str(self.folder)
        self.checkpoint = run_folder.find_checkpoint(self.folder, self.resume)
        self.protocol = load_protocol(args.protocol, rounds=args.rounds, turns=args.turns)
        self.trainer = self._trainer()
        self.judge = self._judge()
        self.trainer.self_play = SelfPlay(
            self.protocol, self.judge, self._opponent(), args.reward, args.shuffle_rewards
        )
        self.held_out = HeldOut(
            self._questions("heldout", args.eval_questions, HELD_OUT_SEED),
            self.protocol,
            self.judge,
            args.seed,
            self.folder / run_folder.TRANSCRIPTS,
            args.samples,
        )
        self._attach_callbacks()

    @property
    def main_process(self) -> bool:
        return bool(self.trainer.accelerator.is_main_process)

    def train(self) -> None:
        """Trains from the checkpoint if there is one, and saves the policy as `final`."""
        if self.main_process:
            self._announce()
        self.trainer.train(resume_from_checkpoint=self.checkpoint)
        self.trainer.save_model(str(self.folder / run_folder.FINAL))

    def report(self) -> None:
        """Prints the table of before and after and draws the curves, on the main process."""
        if not self.main_process:
            return
        scripted = self._references()
        before = self.held_out.read(0, self.args.model)
        after = self.held_out.read(self.trainer.state.global_step, self.args.model)
        columns = {**scripted, "before": before, "after": after}
        title = f"{self.args.protocol} on {self.args.task}, judge {self.judge.name}"
        wide = None if sys.stdout.isatty() else 32 + 30 * len(columns)
        console = Console(width=wide)
        console.print(comparison_table(columns, title))
        if scripted and self.protocol.debate:
            console.print(verdict_line(columns, (RANDOM, BEST, "before", "after")))
        lines = {name: e.estimates()["judge_accuracy"].value for name, e in scripted.items()}
        plot_curves(
            self.folder / run_folder.METRICS,
            self.folder / run_folder.CURVES,
            title=title,
            lines=lines,
        )
        console.print(
            f"Everything is in {self.folder}: curves.png, metrics.jsonl, transcripts/, final/"
        )

    def _announce(self) -> None:
        fields = self.args.own_fields()
        say = Console(stderr=True).print
        if self.checkpoint is None:
            run_folder.write_config(self.folder, fields)
            say(f"training in {self.folder}")
            return
        say(f"resuming from {self.checkpoint}")
        for name, (was, now) in run_folder.changed_fields(self.folder, fields).items():
            say(f"warning: {name} was {was!r} and is {now!r}: not the run that was interrupted")

    def _trainer(self) -> DebatePPOTrainer:
        args = self.args
        model, tokenizer = load_model(args.model)
        an_iteration = args.episodes // args.plays * args.world_size
        number = args.train_questions or args.iterations * an_iteration
        questions = self._questions("train", number, args.seed)
        return DebatePPOTrainer(model, tokenizer, args, questions, peft_config=self._lora())

    def _lora(self) -> Any:
        if not self.args.lora_r:
            return None
        from peft import LoraConfig

        rank = self.args.lora_r
        return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", lora_dropout=0)

    def _questions(self, split: str, number: int, seed: int) -> list[Question]:
        words = self.args.max_article_words
        options = {} if words is None else {"max_article_words": words}
        return load_task(self.args.task, split, number, seed, **options)

    def _judge(self) -> Judge:
        if self.args.judge != "logprob:base":
            return make_judge(self.args.judge)
        model = self.trainer.accelerator.unwrap_model(self.trainer.model)
        name = f"logprob:{self.args.model}"
        return LogProbJudge(model, self.trainer.processing_class, name, adapter_off=True)

    def _opponent(self) -> Policy | None:
        if self.args.opponent == "self":
            return None
        if self.args.opponent == "frozen":
            return self.trainer.start_policy("start")
        return scripted_policy(self.args.opponent)

    def _attach_callbacks(self) -> None:
        steps = self.args.steps_per_iteration
        self.trainer.remove_callback(PrinterCallback)
        for callback in (
            MetricsFile(self.folder / run_folder.METRICS, steps),
            Progress(self.args.iterations, steps),
            Evaluate(self.trainer, self.held_out),
        ):
            self.trainer.add_callback(callback)

    def _references(self) -> dict[str, Evaluation]:
        """What scripted seats reach on the same questions, where the game has a known optimum."""
        if self.args.task != "evidence":
            return {}
        return {
            label: reference_evaluation(name, self.held_out)
            for label, name in ((RANDOM, "random"), (BEST, "best"))
        }


def hush() -> None:
    """Keeps the libraries' own bars and deprecation notes off the terminal."""
    disable_progress_bar()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")


def reference_evaluation(name: str, held_out: HeldOut) -> Evaluation:
    """Measures a scripted policy; its rival is random quoting."""
    rival = scripted_policy("random")
    rival.revision = "rival"
    return evaluate_policy(
        scripted_policy(name), rival, held_out.questions, held_out.protocol, held_out.judge, 0
    )
