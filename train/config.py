"""The configuration of a PPO run: TRL's own arguments, the game, and PPO's few knobs."""

from __future__ import annotations

import dataclasses
import difflib
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import torch
import yaml
from trl import GRPOConfig, TrlParser

from debate_gym.envs.names import unknown
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.reward import REWARDS
from debate_gym.envs.scripted import scripted_policy

# Fields of the TRL trainer underneath that follow from ours, and what to set in their place.
DERIVED = {
    "num_generations": "rounds, opponent and plays",
    "per_device_train_batch_size": "episodes, minibatches and micro_batches",
    "gradient_accumulation_steps": "micro_batches",
    "steps_per_generation": "minibatches and micro_batches",
    "generation_batch_size": "episodes",
    "num_iterations": "ppo_epochs",
    "max_steps": "iterations",
    "num_train_epochs": "iterations",
    "save_steps": "save_every",
    "eval_steps": "eval_every",
    "logging_steps": "nothing: every iteration is logged",
    "beta": "kl_coef",
    "shuffle_dataset": "seed",
    "loss_type": "nothing: the loss is PPO's",
}
OPPONENTS = ("self", "frozen")
AT_LEAST_ONE = (
    "iterations",
    "episodes",
    "plays",
    "minibatches",
    "micro_batches",
    "ppo_epochs",
    "rounds",
    "eval_every",
    "eval_questions",
    "save_every",
)
# Fields that say where and how a run is written, and not what it is.
NOT_OF_THE_RUN = ("output_dir", "resume_from_checkpoint", "report_to", "use_cpu")


def option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass
class DebatePPOConfig(GRPOConfig):  # type: ignore[misc]
    """Every field can stand in a `--config` YAML file or on the command line.

    An iteration plays `episodes` episodes on each process and then takes
    `minibatches * ppo_epochs` optimiser steps on their turns.

    Raises:
        ValueError: on numbers that do not fit together; the message says which one to change.
    """

    model: str = option("tiny", "what to train: tiny, smollm2-135m, hf:PATH_OR_ID, or a folder")
    task: str = option("evidence", "evidence, boolq or quality")
    max_article_words: int | None = option(None, "shorten articles to this many words")
    protocol: str = option("debate", "debate or consultancy")
    rounds: int = option(2, "turns of each seat")
    turns: str = option("simultaneous", "simultaneous or sequential")
    judge: str = option("evidence", "pays the reward: evidence, logprob:MODEL, or logprob:base")
    opponent: str = option("self", "self: both seats learn; or frozen, or scripted:NAME")
    reward: str = option("probability", "win, probability, log_probability or margin")
    shuffle_rewards: bool = option(False, "control: pay each episode what another one earned")

    iterations: int = option(50, "how often episodes are played and learnt from")
    episodes: int = option(32, "episodes an iteration, on each process")
    plays: int = option(4, "episodes of each question; each is paid relative to the others")
    minibatches: int = option(2, "optimiser steps in one pass over an iteration's turns")
    micro_batches: int = option(1, "parts of a minibatch, to save memory")
    ppo_epochs: int = option(2, "passes over an iteration's turns")
    gamma: float = option(1.0, "discount, a token")
    gae_lambda: float = option(1.0, "lambda of the advantage estimate")
    kl_coef: float = option(0.01, "penalty on the log-ratio to the starting policy, a token")
    vf_coef: float = option(0.5, "weight of the value loss")
    value_clip: float = option(0.2, "how far a value may move from the old one")
    advantage_std_floor: float = option(0.05, "least deviation that advantages are divided by")
    lora_r: int = option(0, "rank of a LoRA adapter; 0 trains all weights")

    train_questions: int | None = option(None, "how many to draw from; as many as needed if unset")
    eval_questions: int = option(200, "held-out questions of an evaluation")
    eval_every: int = option(25, "iterations between evaluations")
    save_every: int = option(25, "iterations between checkpoints")
    samples: int = option(4, "transcripts kept from each evaluation")

    output_dir: str | None = option(None, "folder of the run; a new runs/ppo-PROTOCOL-N if unset")
    learning_rate: float = option(1e-3, "of AdamW")
    lr_scheduler_type: str = option("linear", "TRL's schedule")
    max_completion_length: int | None = option(16, "most tokens of a turn")
    temperature: float = option(1.0, "of sampling")
    max_grad_norm: float = option(1.0, "gradients are clipped to this norm")
    bf16: bool | None = option(False, "train in bfloat16")
    gradient_checkpointing: bool = option(False, "save memory at the cost of time")
    use_cpu: bool = option(not torch.cuda.is_available(), "train on the CPU")
    save_total_limit: int | None = option(2, "how many checkpoints to keep")
    report_to: str = option("none", "none, or wandb")
    disable_tqdm: bool | None = option(True, "the run draws its own bar")
    disable_dropout: bool = option(True, "so that sampling and training agree")
    resume_from_checkpoint: str | None = option(None, "last, or the folder of a checkpoint")

    def __post_init__(self) -> None:
        self.chosen_output_dir = self.output_dir
        names = [*DebatePPOConfig.__annotations__, "seed"]
        # TRL turns some of them into objects of its own.
        self._given = {name: getattr(self, name) for name in names if name not in NOT_OF_THE_RUN}
        self._check()
        if self.episodes % self.plays:
            raise ValueError(
                f"plays = {self.plays} does not divide episodes = {self.episodes}: change one"
            )
        rows = self.episodes * self.rows_per_episode
        parts = self.minibatches * self.micro_batches
        if rows % parts:
            raise ValueError(
                f"{self.episodes} episodes of {self.rows_per_episode} learning turns make {rows} "
                f"rows, which minibatches * micro_batches = {parts} does not divide: change "
                "episodes, minibatches or micro_batches"
            )
        self.per_device_train_batch_size = rows // parts
        self.per_device_eval_batch_size = rows
        self.gradient_accumulation_steps = self.micro_batches
        self.steps_per_generation = parts
        self.num_generations = self.rows_per_episode * self.plays
        self.num_iterations = self.ppo_epochs
        self.max_steps = self.iterations * self.steps_per_iteration
        self.save_steps = self.save_every * self.steps_per_iteration
        self.logging_steps = self.steps_per_iteration
        self.eval_strategy = "no"
        self.beta = 0.0
        self.loss_type = "dapo"
        self.shuffle_dataset = False
        super().__post_init__()

    @property
    def steps_per_iteration(self) -> int:
        """Optimiser steps of an iteration."""
        return self.minibatches * self.ppo_epochs

    @property
    def rows_per_episode(self) -> int:
        """Learning turns of an episode."""
        seats = len(load_protocol(self.protocol).seats)
        return self.rounds * (seats if self.opponent == "self" else 1)

    def own_fields(self) -> dict[str, Any]:
        """What a run is made of, as `--config` would read it; where it is written left out."""
        return dict(self._given)

    def _check(self) -> None:
        for name in AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("learning_rate", "temperature"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a number above 0, got {value}")
        if self.judge == "human":
            raise ValueError("nobody judges a training run by hand: name another judge")
        if self.reward not in REWARDS:
            raise ValueError(unknown("reward", self.reward, REWARDS))
        if self.opponent.startswith("scripted:"):
            scripted_policy(self.opponent)
        elif self.opponent not in OPPONENTS:
            raise ValueError(f"{unknown('opponent', self.opponent, OPPONENTS)}, or scripted:NAME")
        load_protocol(self.protocol, turns=self.turns)
        if not load_protocol(self.protocol).seats:
            raise ValueError(f"protocol {self.protocol!r} has no seat that could be trained")
        if self.protocol == "consultancy" and self.opponent != "self":
            raise ValueError("a consultancy has one seat: leave opponent at self")
        if self.rows_per_episode < 2:
            raise ValueError("an episode needs at least two learning turns: raise rounds to 2")
        if self.judge == "logprob:base" and not self.lora_r:
            raise ValueError(
                "judge logprob:base judges with the LoRA model's base: set lora_r, or name the "
                "judge's model as logprob:MODEL"
            )


class _Parser(TrlParser):  # type: ignore[misc]
    def error(self, message: str) -> NoReturn:
        # argparse would print every field there is before the one line that matters.
        raise ValueError(f"{message} (--help lists the fields)")


def parse(argv: Sequence[str] | None = None) -> DebatePPOConfig:
    """Reads `--config FILE` and the fields that override it.

    Raises:
        ValueError: on an unknown field (it names the nearest known one), a field that follows from
            others, a value of the wrong kind, or values that do not fit together.
        OSError: if the file cannot be read.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    _check_names(args)
    (config,) = _Parser(DebatePPOConfig).parse_args_and_config(args)
    assert isinstance(config, DebatePPOConfig)
    return config


def _check_names(args: list[str]) -> None:
    known = {item.name for item in dataclasses.fields(DebatePPOConfig) if item.init}
    given = [(arg[2:].partition("=")[0], "command line") for arg in args if arg.startswith("--")]
    path = _config_path(args)
    if path is not None:
        try:
            content = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
        except yaml.YAMLError as error:
            raise ValueError(f"{path}: not YAML: {error}") from error
        if not isinstance(content, dict):
            raise ValueError(
                f"{path}: expected a mapping of field names, got a {type(content).__name__}"
            )
        given += [(str(key), path) for key in content]
    for name, where in given:
        plain = name.removeprefix("no_").replace("-", "_")
        if name in ("config", "help") or (plain in known and plain not in DERIVED):
            continue
        if plain in DERIVED:
            raise ValueError(f"{where}: {name} follows from other fields; set {DERIVED[plain]}")
        close = difflib.get_close_matches(plain, known - DERIVED.keys(), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "; see --help for the fields"
        raise ValueError(f"{where}: unknown field {name!r}{hint}")


def _config_path(args: list[str]) -> str | None:
    for position, arg in enumerate(args):
        if arg.startswith("--config="):
            return arg.partition("=")[2]
        if arg == "--config" and position + 1 < len(args):
            return args[position + 1]
    return None
