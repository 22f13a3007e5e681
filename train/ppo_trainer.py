"""PPO on debates, on top of TRL's GRPO trainer.

TRL gives sampling (transformers or vLLM), LoRA wrapping, the rollout buffer, the clipped
surrogate on per-token advantages, and checkpoints. This class replaces what makes it GRPO: where
the rows come from (whole debates), the advantages (GAE over a seat's turns with a learned value
head), and the reference penalty (in the reward).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from torch import Tensor
from trl import GRPOTrainer

from debate_gym.agents.local import LocalPolicy, end_ids
from debate_gym.envs.nouns import Question
from debate_gym.train import ppo_functions as ppo
from debate_gym.train.batching import rollout_tensors, trim
from debate_gym.train.config import DebatePPOConfig
from debate_gym.train.rollout_metrics import rollout_sums
from debate_gym.train.self_play import RecordingPolicy, Rollout, SelfPlay
from debate_gym.train.value_head import NAME, attach_value_head, load_value_head, save_value_head


class DebatePPOTrainer(GRPOTrainer):  # type: ignore[misc]
    """Trains the seats of a debate or consultancy.

    Args:
        model: a causal language model; its weights at this moment are the reference.
        questions: training questions; drawn in this order, again from the start when used up.
        peft_config: trains a LoRA adapter if given.

    Raises:
        ValueError: if there are fewer questions than one iteration plays.
    """

    args: DebatePPOConfig

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        args: DebatePPOConfig,
        questions: Sequence[Question],
        peft_config: Any = None,
    ) -> None:
        needed = args.episodes // args.plays * args.world_size
        if len(questions) < needed:
            raise ValueError(
                f"{len(questions)} training questions, but an iteration plays {needed}: "
                f"episodes / plays = {args.episodes // args.plays} on each of {args.world_size} "
                "processes. Lower episodes, raise plays, or provide more questions"
            )
        self._reference = None if peft_config is not None else copy.deepcopy(model).eval()
        super().__init__(
            model=model,
            reward_funcs=_paid_by_the_game,
            args=args,
            train_dataset=Dataset.from_list(
                [{"prompt": question.id, "item": i} for i, question in enumerate(questions)]
            ),
            processing_class=tokenizer,
            peft_config=peft_config,
        )
        self.questions = list(questions)
        self.value_head = attach_value_head(self.model)
        self.self_play: SelfPlay | None = None
        self._values: Tensor | None = None

    def policy(self) -> LocalPolicy:
        """The policy as it is now, for evaluation."""
        model = self.accelerator.unwrap_model(self.model)
        return self._as_policy(model, f"step-{self.state.global_step}")

    def start_policy(self, version: str) -> LocalPolicy:
        """The policy as it was before training, under the revision `version`."""
        base = self._reference is None
        model = self.accelerator.unwrap_model(self.model) if base else self._reference
        return self._as_policy(model, version, adapter_off=base)

    def _as_policy(self, model: Any, version: str, adapter_off: bool = False) -> LocalPolicy:
        assert self.args.max_completion_length is not None
        return LocalPolicy(
            model,
            self._tokenizer,
            self.args.model,
            temperature=self.args.temperature,
            max_new_tokens=self.args.max_completion_length,
            adapter_off=adapter_off,
            version=version,
        )

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        rollout = self._play(inputs)
        batch = rollout_tensors(rollout, self._tokenizer.pad_token_id, self.accelerator.device)
        with torch.no_grad():
            old = self._score(self.model, batch)
            old_values = self._take_values(batch)
            reference = self._score_reference(batch)
        mask = batch["completion_mask"]
        kl = (old - reference) * mask
        above = [row.reward - row.baseline for row in rollout.rows]
        rewards = torch.tensor(above, dtype=torch.float32, device=mask.device)
        last = torch.tensor([row.last for row in rollout.rows], device=mask.device)
        seats = torch.tensor([row.seat for row in rollout.rows], device=mask.device)
        placed = ppo.token_rewards(rewards, kl, mask, last, self.args.kl_coef)
        advantages, returns = ppo.chained_gae(
            placed, old_values, mask, rollout.chains, self.args.gamma, self.args.gae_lambda
        )
        normalised, deviations = ppo.normalise_by_seat(
            advantages,
            mask.float(),
            seats,
            len(self._game.protocol.seats),
            self.args.advantage_std_floor,
            lambda sums: self.accelerator.reduce(sums, "sum"),
        )
        self._record(rollout, kl, old_values, returns, mask, deviations)
        return {
            **batch,
            "advantages": normalised,
            "returns": returns,
            "old_values": old_values,
            "old_per_token_logps": old,
            "num_items_in_batch": self.accelerator.reduce(mask.sum(), "sum"),
        }

    def _play(self, inputs: list[dict[str, Any]]) -> Rollout:
        items = [row["item"] for row in inputs[:: self._game.rows_per_episode]]
        iteration = self.state.global_step // self.args.steps_per_iteration
        rng = np.random.default_rng([self.args.seed, iteration, self.accelerator.process_index])
        return self._game.collect([self.questions[i] for i in items], self._recorder(), rng)

    @property
    def _game(self) -> SelfPlay:
        if self.self_play is None:
            raise RuntimeError("set trainer.self_play before training")
        return self.self_play

    def _recorder(self) -> RecordingPolicy:
        model = self.accelerator.unwrap_model(self.model)
        window = getattr(model.config, "max_position_embeddings", 2**31)
        return RecordingPolicy(
            self._tokenizer,
            lambda prompts: self._generate_single_turn(prompts, None, {}, 1)[0],
            end_ids(model, self._tokenizer),
            window - (self.args.max_completion_length or 0),
        )

    def _score(self, model: Any, batch: dict[str, Tensor]) -> Tensor:
        """Log-probabilities of the sampled tokens, (rows, T), in parts that fit in memory."""
        values, logps = [], []
        size = self.args.per_device_train_batch_size
        for begin in range(0, len(batch["prompt_ids"]), size):
            part = {key: value[begin : begin + size] for key, value in batch.items()}
            trimmed, width = trim(part), part["completion_ids"].shape[1]
            ids = torch.cat([trimmed["prompt_ids"], trimmed["completion_ids"]], 1)
            mask = torch.cat([trimmed["prompt_mask"], trimmed["completion_mask"]], 1)
            kept = trimmed["completion_ids"].shape[1]
            scored, _, _ = self._get_per_token_logps_and_entropies(model, ids, mask, kept)
            logps.append(torch.nn.functional.pad(scored, (0, width - kept)))
            if self._values is not None:
                values.append(torch.nn.functional.pad(self._values, (0, width - kept)))
        self._values = torch.cat(values) if values else None
        return torch.cat(logps)

    def _take_values(self, batch: dict[str, Tensor]) -> Tensor:
        assert self._values is not None
        return self._values.detach() * batch["completion_mask"]

    def _score_reference(self, batch: dict[str, Tensor]) -> Tensor:
        if self._reference is not None:
            self._reference.to(self.accelerator.device)
            return self._score(self._reference, batch)
        base = self.accelerator.unwrap_model(self.model)
        off: AbstractContextManager[Any] = base.disable_adapter()
        with off:
            return self._score(base, batch)

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: Tensor,
        attention_mask: Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        compute_entropy: bool = False,
        **_: Any,
    ) -> tuple[Tensor, Tensor | None, None]:
        """As TRL's, for text; the values of the same positions are left in `_values`.

        Only the completion's logits are computed, and positions are counted from the first real
        token, as in sampling.
        """
        with self.accelerator.autocast():
            output = model(
                input_ids=input_ids,
                attention_mask=attention_mask,
                position_ids=(attention_mask.cumsum(1) - 1).clamp(min=0),
                logits_to_keep=logits_to_keep + 1,
                use_cache=False,
            )
        logits = output.logits[:, :-1].float() / self.temperature
        logps = logits.log_softmax(-1)
        chosen = logps.gather(-1, input_ids[:, -logits_to_keep:].unsqueeze(-1)).squeeze(-1)
        entropy = -(logps.exp() * logps).sum(-1) if compute_entropy else None
        values = output.get("state_values")
        self._values = None if values is None else values[:, :-1][:, -logits_to_keep:]
        return chosen, entropy, None

    def _compute_loss(self, model: Any, inputs: dict[str, Tensor]) -> Tensor:
        inputs = trim(inputs)
        loss: Tensor = super()._compute_loss(model, inputs)
        assert self._values is not None
        mask = inputs["completion_mask"]
        value_loss = ppo.clipped_value_loss(
            self._values, inputs["old_values"], inputs["returns"], mask, self.args.value_clip
        )
        # The same normaliser as TRL's "dapo" loss, so that micro-batches add up exactly.
        tokens = inputs["num_items_in_batch"].clamp(min=1) / self.accelerator.num_processes
        share = self.current_gradient_accumulation_steps / self.args.steps_per_generation
        self._metrics["train"]["value/loss"].append(
            ppo.masked_mean(value_loss.detach(), mask).item()
        )
        loss = loss + self.args.vf_coef * value_loss.sum() / (tokens * share)
        return loss

    def _record(
        self,
        rollout: Rollout,
        kl: Tensor,
        values: Tensor,
        returns: Tensor,
        mask: Tensor,
        deviations: Tensor,
    ) -> None:
        sums = {
            **rollout_sums(rollout),
            "kl": (float(kl.sum()), float(mask.sum())),
            "policy/completion_length": (float(mask.sum()), float((mask.sum(1) > 0).sum())),
        }
        table = torch.tensor(list(sums.values()), dtype=torch.float64, device=mask.device)
        totals = self.accelerator.reduce(table, "sum").tolist()
        metrics = self._metrics["train"]
        for name, (total, count) in zip(sums, totals, strict=True):
            metrics[name].append(total / count if count else float("nan"))
        if metrics["outcome/failed"][-1] == 1.0:
            raise RuntimeError(f"every episode failed; the first one: {rollout.episodes[0].error}")
        metrics["value/explained_variance"].append(
            ppo.explained_variance(values, returns, mask).item()
        )
        for number, deviation in enumerate(deviations.tolist()):
            metrics[f"{self._game.protocol.seats[number]}/advantage_std"].append(deviation)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        base = self.accelerator.unwrap_model(self.model)
        weights = state_dict if state_dict is not None else base.state_dict()
        plain = {key: value for key, value in weights.items() if f"{NAME}." not in key}
        super()._save(output_dir, state_dict=plain)
        if self.args.should_save:
            save_value_head(self.value_head, Path(output_dir or self.args.output_dir or "."))

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Writes nothing: TRL's card would describe a GRPO run."""

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        super()._load_from_checkpoint(resume_from_checkpoint, model)
        load_value_head(self.value_head, Path(resume_from_checkpoint))


def _paid_by_the_game(**_: Any) -> list[float]:
    raise RuntimeError("rewards come from the game's judge, never from a reward function")
