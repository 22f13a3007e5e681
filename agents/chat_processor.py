"""From a rendered prompt and its pictures to the inputs of a vision-language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from debate_gym.agents.encoding import encode_prompt, neutralise, render_chat
from debate_gym.envs.images import content_parts, open_images
from debate_gym.envs.nouns import Observation


@dataclass(frozen=True)
class PicturedPrompt:
    """A prompt as the processor takes it.

    Attributes:
        text: with the model's own mark for each picture.
        images: as many as there are marks, in their order.
        tokens: what it takes up in the context, pictures included; also its `len`.
    """

    text: str
    images: list[Any] = field(repr=False)
    tokens: int

    def __len__(self) -> int:
        return self.tokens


class ChatProcessor:
    """A processor with its chat template in the part of a tokenizer.

    Whatever it does not know itself it asks the processor's tokenizer, so that
    `debate_gym.agents.encoding` reads it as one.

    Raises:
        ValueError: if the processor's tokenizer is missing; by `encode`, see `encode_prompt`, and
            on pictures that cannot be read or are named but not there.
    """

    def __init__(self, processor: Any) -> None:
        if getattr(processor, "tokenizer", None) is None:
            raise ValueError(f"expected a processor with a tokenizer, got {type(processor)}")
        self.processor = processor
        self.tokenizer = processor.tokenizer

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("processor", "tokenizer"):
            raise AttributeError(name)  # copying asks for these before there is a tokenizer
        return getattr(self.tokenizer, name)

    def __call__(self, text: str, **options: Any) -> Any:
        return self.tokenizer(text, **options)

    @property
    def chat_template(self) -> str | None:
        template = self.processor.chat_template or self.tokenizer.chat_template
        return template.get("default") if isinstance(template, dict) else template

    @property
    def all_special_tokens(self) -> list[str]:
        """The tokenizer's, and the mark of a picture, which a text must not forge either."""
        return [*self.tokenizer.all_special_tokens, *self._marks]

    @property
    def all_special_ids(self) -> list[int]:
        marks = self.tokenizer.convert_tokens_to_ids(self._marks)
        return [*self.tokenizer.all_special_ids, *marks]

    @property
    def _marks(self) -> list[str]:
        mark = getattr(self.processor, "image_token", None)
        return [] if mark is None else [str(mark)]

    def apply_chat_template(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> Any:
        """The processor's own; templates of vision-language models want contents in parts."""
        parted = [{**message, "content": _parts(message["content"])} for message in messages]
        return self.processor.apply_chat_template(
            parted, chat_template=self.chat_template, **options
        )

    def encode(self, observation: Observation, primed: str = "") -> PicturedPrompt:
        """The prompt of a seat with its pictures; `primed` is as in `encode_prompt`."""
        system, user = (neutralise(self, text) for text in (observation.system, observation.user))
        encode_prompt(self, observation.system, observation.user, primed)  # refuses forged tokens
        images = open_images(observation)
        parts = content_parts(user, images) if images else _parts(user)
        text = render_chat(self, system, parts) + primed
        shown = [part["image"] for part in parts if part["type"] == "image"]
        ids = self._processed([text], [shown])["input_ids"]
        return PicturedPrompt(text, shown, len(ids[0]))

    def inputs(self, prompts: Sequence[PicturedPrompt], device: Any) -> Mapping[str, Any]:
        """The model's inputs, padded on the left; either all prompts have pictures, or none."""
        texts = [prompt.text for prompt in prompts]
        batch = self._processed(texts, [prompt.images for prompt in prompts])
        inputs: Mapping[str, Any] = batch.to(device)
        return inputs

    def _processed(self, texts: list[str], images: list[list[Any]]) -> Any:
        return self.processor(
            text=texts,
            images=images if any(images) else None,
            padding=True,
            # The template has put in what begins a text.
            add_special_tokens=False,
            return_tensors="pt",
        )


def _parts(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
