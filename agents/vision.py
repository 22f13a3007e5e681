"""A policy that runs a vision-language model, many prompts with their pictures to a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from debate_gym.agents.chat_processor import ChatProcessor
from debate_gym.agents.local import LocalPolicy
from debate_gym.agents.models import load_vision
from debate_gym.envs.nouns import Observation, Utterance

Item = TypeVar("Item")
Result = TypeVar("Result")


class VisionPolicy(LocalPolicy):
    """Speaks with a vision-language model, on questions with or without pictures.

    All else is as in `LocalPolicy`. Prompts are measured with their pictures, which count for the
    context and for the tokens of a call.

    Args:
        processor: the model's, with a tokenizer that pads on the left.
        batch_size: as there, but pictures take more memory than their tokens tell.

    Raises:
        ValueError: as there; by `act`, on a picture that cannot be read.
        ModuleNotFoundError: by `act`, on pictures without Pillow.
    """

    def __init__(
        self, model: Any, processor: Any, name: str, *, batch_size: int = 8, **options: Any
    ) -> None:
        self._chat = ChatProcessor(processor)
        super().__init__(model, self._chat, name, batch_size=batch_size, **options)

    @classmethod
    def load(cls, spec: str, **options: Any) -> VisionPolicy:
        model, processor = load_vision(spec)
        return cls(model, processor, spec, **options)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return apart(observations, [bool(o.images) for o in observations], super().act)

    def _encode(self, observation: Observation) -> Any:
        return self._chat.encode(observation)

    def _inputs(self, prompts: list[Any]) -> Mapping[str, Any]:
        return self._chat.inputs(prompts, self.model.device)


def apart(
    items: Sequence[Item],
    pictured: Sequence[bool],
    call: Callable[[Sequence[Item]], list[Result]],
) -> list[Result]:
    """One call for the items with pictures and one for those without, whose inputs differ."""
    results: dict[int, Result] = {}
    for kind in (False, True):
        chosen = [i for i, one in enumerate(pictured) if one is kind]
        results.update(zip(chosen, call([items[i] for i in chosen]), strict=True))
    return [results[i] for i in range(len(items))]
