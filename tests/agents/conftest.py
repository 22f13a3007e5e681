"""Random small models whose tokenizers read bytes, for tests of what runs a model: a Llama, and two
that read pictures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from debate_gym.agents.scoring import Reading
from debate_gym.envs.game import observe, start
from debate_gym.envs.images import data_uri
from debate_gym.envs.nouns import Observation, Question, Utterance
from debate_gym.envs.protocol import load_protocol

torch.set_num_threads(1)
warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# As CHATML, with contents in parts.
PARTED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for c in m.content %}"
    "{% if c.type == 'image' %}<image>{% else %}{{ c.text }}{% endif %}{% endfor %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
VISION = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_tokenizer(template: str | None = CHATML, merge_labels: bool = False) -> Any:
    """One token a byte; with `merge_labels`, a digit takes the blank before it along."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", digit) for digit in "0123456789"] if merge_labels else []
    words = [*SPECIAL, *letters, *("".join(pair) for pair in merges)]
    inner = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
        padding_side="left",
    )
    tokenizer.chat_template = template
    return tokenizer


def random_llama(tokenizer: Any, seed: int = 0) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        initializer_range=0.3,
        bos_token_id=None,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return LlamaForCausalLM(config).eval()


def seeing_tokenizer(*marks: str) -> Any:
    tokenizer = byte_tokenizer(None, merge_labels=True)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", *marks]})
    return tokenizer


def random_llava() -> tuple[Any, Any]:
    """A model and its processor: four tokens a picture of 28 x 28."""
    from transformers import CLIPImageProcessor, CLIPVisionConfig, LlavaConfig, LlavaProcessor
    from transformers import LlavaForConditionalGeneration as Llava

    tokenizer = seeing_tokenizer("<image>")
    eye = CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    processor = LlavaProcessor(
        eye, tokenizer, 14, "default", chat_template=PARTED, num_additional_image_tokens=1
    )
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(
            **VISION, num_attention_heads=2, image_size=28, patch_size=14
        ),
        text_config=random_llama(tokenizer).config,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1,
    )
    return Llava(config).eval(), processor


def random_idefics3() -> tuple[Any, Any]:
    """A model and its processor: pictures within 32 x 32 in four tokens with their frame."""
    from transformers import Idefics3Config, Idefics3ImageProcessor, Idefics3Processor
    from transformers import Idefics3ForConditionalGeneration as Idefics3

    marks = ("<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>")
    tokenizer = seeing_tokenizer(*marks)
    edge = {"longest_edge": 32}
    eye = Idefics3ImageProcessor(size=edge, max_image_size=edge, do_image_splitting=False)
    config = Idefics3Config(
        vision_config={**VISION, "num_attention_heads": 2, "image_size": 32, "patch_size": 8},
        text_config=random_llama(tokenizer).config.to_dict(),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    model = Idefics3(config).eval()
    return model, Idefics3Processor(eye, tokenizer, image_seq_len=4, chat_template=PARTED)


@pytest.fixture(scope="session", params=[random_llava, random_idefics3])
def vision(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """A vision-language model and its processor, of two architectures in turn."""
    pytest.importorskip("PIL")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model, processor = request.param()
    return model, processor


@pytest.fixture(scope="session")
def vision_folder(vision: tuple[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vision")
    for part in vision:
        part.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def pictured() -> list[Question]:
    """Questions with no, one, two and three pictures of noise, one of them not named."""
    pillow = pytest.importorskip("PIL.Image")

    def picture(seed: int) -> str:
        noise = np.random.default_rng(seed).integers(0, 256, (20 + seed, 30, 3), dtype=np.uint8)
        buffer = BytesIO()
        pillow.fromarray(noise).save(buffer, "PNG")
        return data_uri(buffer.getvalue())

    texts = ("What is it?", "What is in <image 1>?", "Is it <image 2> or <image 1>?", "<image 1>?")
    answers = (("a", "b"), ("a", "b"), ("<image 1>", "<image 2>"), ("<image 2>", "both"))
    return [
        Question(
            f"q{i}", "mmmu", text, pair, 0, images=tuple(picture(10 * i + k) for k in range(i))
        )
        for i, (text, pair) in enumerate(zip(texts, answers, strict=True))
    ]


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return byte_tokenizer(merge_labels=True)


@pytest.fixture(scope="session")
def model(tokenizer: Any) -> Any:
    return random_llama(tokenizer)


@pytest.fixture
def make_tokenizer() -> Callable[..., Any]:
    return byte_tokenizer


@pytest.fixture
def make_model() -> Callable[..., Any]:
    return random_llama


@pytest.fixture(scope="session")
def model_folder(tokenizer: Any, model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("llama")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def lora(tokenizer: Any) -> Any:
    """The model with two adapters, `default` (active) and `other`, each unlike the base."""
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = get_peft_model(random_llama(tokenizer), config)
        model.add_adapter("other", config)
    return model


class Writer:
    """A policy that answers each prompt by a rule and remembers its calls. A prompt costs 10
    tokens, a reply one a word."""

    def __init__(self, reply: Callable[[Observation], str], name: str = "writer") -> None:
        self.name, self.revision = name, "w"
        self.reply = reply
        self.calls: list[list[Observation]] = []

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        self.calls.append(list(observations))
        said = [self.reply(observation) for observation in observations]
        return [Utterance(text, 10, len(text.split())) for text in said]


class Rater:
    """A scorer that rates each prompt by a rule, for 5 tokens, and remembers its calls."""

    name, revision = "rater", "s"

    def __init__(self, rate: Callable[[Observation], tuple[float | None, float | None]]) -> None:
        self.rate = rate
        self.calls: list[list[Observation]] = []

    def log_probabilities(
        self, prompts: Sequence[Observation], primed: str, labels: tuple[str, str]
    ) -> list[Reading]:
        self.calls.append(list(prompts))
        return [Reading(self.rate(prompt), 5) for prompt in prompts]


@pytest.fixture
def make_writer() -> Callable[..., Writer]:
    return Writer


@pytest.fixture
def make_rater() -> Callable[..., Rater]:
    return Rater


@pytest.fixture
def make_observation() -> Callable[..., Observation]:
    """A first turn of a debate, or of another game."""

    def make(protocol: str = "debate", seat: str = "debater_0", seed: int = 0) -> Observation:
        question = Question(
            "q", "evidence", "Who did it?", ("Anna", "Bert"), 0, "The tall man ran. The dog slept."
        )
        state = start(question, load_protocol(protocol), seed=seed, id=f"e{seed}")
        return observe(state, seat)

    return make
