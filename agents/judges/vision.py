"""The log-probability judge for questions with pictures, which it sees as the debaters do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from debate_gym.agents.chat_processor import ChatProcessor
from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.vision import apart
from debate_gym.agents.weights import speaking
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Observation, Verdict


class VisionJudge(LogProbJudge):
    """Judges with a vision-language model, on questions with or without pictures.

    All else is as in `LogProbJudge`, but each order is read as a whole.

    Args:
        processor: the model's, with a tokenizer that pads on the left.

    Raises:
        ValueError: as there; by `judge`, on a picture that cannot be read.
        ModuleNotFoundError: by `judge`, on pictures without Pillow.
    """

    def __init__(self, model: Any, processor: Any, name: str, **options: Any) -> None:
        self._chat = ChatProcessor(processor)
        super().__init__(model, self._chat, name, **options)

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        return apart(states, [bool(state.question.images) for state in states], super().judge)

    def _encode(self, observation: Observation) -> Any:
        return self._chat.encode(observation, self.primed)

    def _score(self, prompts: list[list[Any]]) -> list[list[tuple[float, float]]]:
        flat = [prompt for group in prompts for prompt in group]
        logits = self._next_logits(flat)
        chances = logits.double().softmax(-1)[:, list(self.labels)].tolist()
        rows = iter([(one, two) for one, two in chances])
        return [[next(rows) for _ in group] for group in prompts]

    def _next_logits(self, prompts: list[Any]) -> Any:
        """The next token's logits (prompts, vocabulary).

        By `generate`, which knows each architecture's positions of pictures and of padding.
        """
        with speaking(self.model, adapter_off=self.adapter_off):
            output = self.model.generate(
                **self._chat.inputs(prompts, self.model.device),
                max_new_tokens=1,
                do_sample=False,
                output_logits=True,
                return_dict_in_generate=True,
                pad_token_id=self.tokenizer.pad_token_id,
            )
        return output.logits[0]
