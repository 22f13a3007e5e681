"""A random tiny model and small runs of it, shared by the trainer's tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from debate_gym.envs import State, Turn, Verdict, load_protocol, load_task, make_verdict

# Spinning OpenMP threads make these small runs many times slower when the cores are shared.
torch.set_num_threads(1)
warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")


def digits(turn: Turn) -> int:
    return sum(character.isdigit() for character in turn.argument)


class CountJudge:
    """Prefers the side whose turns hold more digits: something that a model without any skill can
    learn to please."""

    name = "count"

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        return [(self._decide(state),) for state in states]

    def _decide(self, state: State) -> Verdict:
        counts = [0, 0]
        for turn in state.turns:
            counts[state.sides[turn.seat]] += digits(turn)
        p = torch.tensor((counts[0] - counts[1]) / 4).sigmoid().item()
        return make_verdict(self.name, (0, 1), (p, 1 - p), state.question)


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a random two-layer Llama with the tiny policy's tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM

    from debate_gym.train.warm_start import build_tokenizer

    tokenizer = build_tokenizer()
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=512,
            tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
        )
    )
    folder = tmp_path_factory.mktemp("toy")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def make_trainer(toy: Path, tmp_path: Path) -> Callable[..., Any]:
    """Builds a trainer on the toy model: fields of the configuration, or `judge_with` a judge."""
    from debate_gym.agents.models import load_model
    from debate_gym.train.config import DebatePPOConfig
    from debate_gym.train.ppo_trainer import DebatePPOTrainer
    from debate_gym.train.self_play import SelfPlay

    def build(*, judge_with: Any = None, opponent_with: Any = None, **fields: Any) -> Any:
        small = {"iterations": 2, "episodes": 4, "output_dir": str(tmp_path), "use_cpu": True}
        args = DebatePPOConfig(**{**small, "save_every": 1, **fields})
        model, tokenizer = load_model(str(toy))
        lora = None
        if args.lora_r:
            from peft import LoraConfig

            lora = LoraConfig(
                r=args.lora_r, target_modules="all-linear", init_lora_weights="gaussian"
            )
        questions = load_task("evidence", "train", args.iterations * args.episodes, seed=0)
        trainer = DebatePPOTrainer(model, tokenizer, args, questions, peft_config=lora)
        protocol = load_protocol(args.protocol, rounds=args.rounds, turns=args.turns)
        trainer.self_play = SelfPlay(
            protocol, judge_with or CountJudge(), opponent_with, args.reward, args.shuffle_rewards
        )
        return trainer

    return build


@pytest.fixture
def count_judge() -> CountJudge:
    return CountJudge()
