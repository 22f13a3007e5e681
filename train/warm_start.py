"""Makes the tiny policy that the package ships: a weak debater of the `evidence` game.

    python -m debate_gym.train.warm_start --out agents/tiny

A small model of convolutions and attention learns, from random weights, to quote whole sentences
of the article, chosen almost at random: its own side only a little more often than chance, and
strength not at all. That is a start from which PPO has everything to gain. Short lists of
sentences with many requests come first, because neither copying nor telling the sides forms in
minutes on whole articles; then longer ones, then the two-round game, first by a demonstrator that
always speaks for its side, and at last by the weak one.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from tqdm import trange
from transformers import Lfm2Config, Lfm2ForCausalLM, PreTrainedTokenizerFast

from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import CONSULTANT_0, JUDGE_0, Observation, Question, Utterance
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.render import FOLDER, SPEAKERS, prompt_files
from debate_gym.envs.tasks import evidence

PIECE = r"</?[a-z_]+>|<\|[a-z]+\|>| ?[A-Za-z_]+| ?[0-9]| ?[^\sA-Za-z0-9<]|<|\n| "
SPECIAL = ("<|pad|>", "<|unk|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' }}"
    "{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
CONTEXT = 512
# Lower than the game's own: more sentences of either side, so more to learn from each article.
NEUTRAL = 0.6


def build_tokenizer() -> PreTrainedTokenizerFast:
    """A word-level tokenizer over all that debate and consultancy print in the `brief` prompts.

    A token carries its leading blank, so that decoding is plain joining and a quotation stays
    verbatim.
    """
    names = ("passage", "v_passage", "u_passage")
    tags = [f"<{slash}{name}>" for name in names for slash in ("", "/")]
    protocols = [load_protocol(name) for name in ("debate", "consultancy")]
    plain = {name for protocol in protocols for name in prompt_files("brief", protocol, styles=())}
    prompts = [(FOLDER / "brief" / name).read_text("utf-8") for name in sorted(plain)]
    seats = {JUDGE_0, *(seat for protocol in protocols for seat in protocol.seats)}
    speakers = [name for seat, name in SPEAKERS.items() if seat in seats]
    games = [evidence.generate(seed) for seed in range(200)]
    split = pre_tokenizers.Split(Regex(PIECE), behavior="isolated")
    texts = [f"{game.question}\n{game.article}" for game in games]
    corpus = "\n".join([*prompts, *speakers, *texts])
    words = {piece.strip(" ") for piece, _ in split.pre_tokenize_str(f"{corpus} > : ‹›0123456789")}
    pieces = {form for word in words for form in (word, f" {word}") if form.strip(" ") != "\n"}
    vocabulary = [*SPECIAL, *tags, "\n", " ", *sorted(pieces - {*tags, " ", ""})]
    core = Tokenizer(
        models.WordLevel({piece: i for i, piece in enumerate(vocabulary)}, unk_token=SPECIAL[1])
    )
    core.pre_tokenizer = split
    core.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=SPECIAL[0],
        unk_token=SPECIAL[1],
        eos_token=SPECIAL[2],
        additional_special_tokens=list(SPECIAL[3:]),
        padding_side="left",
        chat_template=TEMPLATE,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )


def build_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> Lfm2ForCausalLM:
    """The untrained model; its weights are drawn from `seed`.

    Short convolutions hand every token its neighbours, so one attention layer is enough to copy,
    and with one wide head and a large initial scale copying forms within a minute.
    """
    config = Lfm2Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        block_auto_adjust_ff_dim=False,
        num_hidden_layers=4,
        layer_types=["conv", "full_attention", "conv", "full_attention"],
        conv_L_cache=8,
        num_attention_heads=1,
        num_key_value_heads=1,
        max_position_embeddings=CONTEXT,
        initializer_range=0.2,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Lfm2ForCausalLM(config)


def _article(rng: np.random.Generator, sentences: int = evidence.SENTENCES) -> Question:
    seed = 2 * int(rng.integers(2**40)) + evidence.SEED_SPACE["train"]
    return evidence.generate(seed, sentences, NEUTRAL)


def demonstrate(
    rounds: int, own: float, rng: np.random.Generator, *, fresh: bool = False
) -> tuple[Observation, str]:
    """A game of random quoting up to some seat's turn, and what the demonstrator says there.

    With probability `own` the demonstrator quotes any sentence of its own side, else any sentence
    at all; a `fresh` one quotes none that its own seat has quoted.
    """
    question = _article(rng)
    name = "consultancy" if rng.random() < 1 / 3 else "debate"
    protocol = load_protocol(name, rounds=rounds)
    sides = {CONSULTANT_0: int(rng.integers(2))} if name == "consultancy" else None
    state = start(question, protocol, sides=sides)
    for _ in range(int(rng.integers(rounds)) if rounds == 2 else rounds - 1):
        state = advance(state, {seat: _quote(state, seat, 0.0, rng) for seat in due(state)})
    seats = due(state)
    seat = seats[int(rng.integers(len(seats)))]
    return observe(state, seat), _quote(state, seat, own, rng, fresh=fresh).text


def _quote(
    state: State, seat: str, own: float, rng: np.random.Generator, *, fresh: bool = False
) -> Utterance:
    lines = (state.question.article or "").splitlines()
    if fresh:
        said = {p.text for turn in state.turns if turn.seat == seat for p in turn.passages}
        lines = [line for line in lines if line not in said]
    name = state.question.answers[state.sides[seat]]
    favourable = [line for line in lines if f" {name} " in line]
    pool = favourable if favourable and rng.random() < own else lines
    return Utterance(f"<passage>{pool[int(rng.integers(len(pool)))]}</passage>")


def game_batch(
    tokenizer: PreTrainedTokenizerFast,
    rounds: int,
    own: float,
    size: int,
    rng: np.random.Generator,
    *,
    fresh: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and labels (-100 where nothing is learnt), both (size, tokens).

    Everything after the article is learnt: the quotations of earlier turns are copies too.
    """
    rows = []
    for _ in range(size):
        observation, reply = demonstrate(rounds, own, rng, fresh=fresh)
        messages = [
            {"role": "system", "content": observation.system},
            {"role": "user", "content": observation.user},
        ]
        text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        cut = text.rindex("Question:") if rounds > 2 else len(text)
        prompt, rest = text[:cut], f"{text[cut:]}{reply}{tokenizer.eos_token}"
        head = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        tail = tokenizer(rest, add_special_tokens=False)["input_ids"]
        rows.append((head + tail, [-100] * len(head) + tail))
    return _left_padded(rows, tokenizer.pad_token_id)


def list_batch(
    tokenizer: PreTrainedTokenizerFast, sentences: int, size: int, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Short articles, each with many requests for a sentence of one side; the replies are learnt.

    A reply quotes any sentence of the side that was asked for.
    """
    rows = []
    for _ in range(size):
        question = _article(rng, sentences)
        lines = (question.article or "").splitlines()
        pools = {
            name: [line for line in lines if f" {name} " in line]
            for name in (*question.answers, evidence.NOBODY)
        }
        names = [name for name in pools if pools[name]]
        texts = ["\n".join(lines) + "\n"]
        for _ in range(2 * sentences):
            name = names[int(rng.integers(len(names)))]
            line = pools[name][int(rng.integers(len(pools[name])))]
            texts += [
                f"Quote one sentence for {name}.{tokenizer.eos_token}<|assistant|>",
                f"<passage>{line}</passage>{tokenizer.eos_token}",
            ]
        parts = tokenizer(texts, add_special_tokens=False)["input_ids"]
        ids = [token for part in parts for token in part]
        learnt = [i % 2 == 0 and i > 0 for i in range(len(parts))]
        labels = [
            token if keep else -100
            for part, keep in zip(parts, learnt, strict=True)
            for token in part
        ]
        rows.append((ids, labels))
    return _left_padded(rows, tokenizer.pad_token_id)


def _left_padded(
    rows: list[tuple[list[int], list[int]]], pad: int
) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(len(ids) for ids, _ in rows)
    ids = [[pad] * (width - len(row)) + row for row, _ in rows]
    labels = [[-100] * (width - len(row)) + row for _, row in rows]
    return torch.tensor(ids), torch.tensor(labels)


@dataclass(frozen=True)
class Phase:
    """Some steps on one kind of batch; `sentences` grows evenly from the first to the last, and
    `own` is how often the demonstrator means to speak for its side, who does not repeat itself if
    `fresh`."""

    name: str
    steps: int
    sentences: tuple[int, int] = (evidence.SENTENCES, evidence.SENTENCES)
    rounds: int = 0
    own: float = 0.0
    fresh: bool = False


@dataclass(frozen=True)
class Stage:
    """Phases under one cosine of the learning rate."""

    rate: float
    phases: tuple[Phase, ...]


STAGES = (
    Stage(
        5e-3,
        (
            Phase("short lists", 700, sentences=(4, 4)),
            Phase("longer lists", 400, sentences=(4, evidence.SENTENCES)),
            Phase("one-sided games", 250, rounds=2, own=1.0),
            Phase("weak games", 300, rounds=2, own=0.2),
        ),
    ),
    Stage(
        2e-3,
        (
            Phase("full lists", 300),
            Phase("weak games", 600, rounds=2, own=0.2),
        ),
    ),
    Stage(2e-3, (Phase("weaker games", 600, rounds=2, own=0.05),)),
    Stage(
        3e-3,
        (
            Phase("full lists", 500),
            Phase("fresh games", 900, rounds=2, own=0.05, fresh=True),
        ),
    ),
)


def train(
    model: Lfm2ForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    *,
    batch: int,
    rng: np.random.Generator,
    stage: Stage,
) -> None:
    """Trains in place, phase after phase; the rate warms up once and falls by a cosine."""
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=stage.rate, betas=(0.9, 0.98), weight_decay=0.01
    )
    total, done = sum(phase.steps for phase in stage.phases), 0
    model.train()
    for phase in stage.phases:
        bar = trange(phase.steps, desc=phase.name, mininterval=5)
        average = None
        for step in bar:
            optimiser.param_groups[0]["lr"] = _rate(stage.rate, done, total)
            ids, labels = _batch(phase, step, tokenizer, batch, rng)
            mask = (ids != tokenizer.pad_token_id).long()
            loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            done += 1
            value = float(loss.detach())
            average = value if average is None else 0.97 * average + 0.03 * value
            bar.set_postfix(loss=f"{average:.3f}")
    model.eval()


def _batch(
    phase: Phase, step: int, tokenizer: PreTrainedTokenizerFast, size: int, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    if phase.rounds:
        return game_batch(tokenizer, phase.rounds, phase.own, size, rng, fresh=phase.fresh)
    first, last = phase.sentences
    sentences = first + (last + 1 - first) * step // phase.steps
    return list_batch(tokenizer, sentences, size, rng)


def _rate(peak: float, step: int, total: int) -> float:
    warm = min(1.0, (step + 1) / 100)
    return peak * warm * (0.02 + 0.98 * (1 + math.cos(math.pi * step / total)) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m debate_gym.train.warm_start",
        description=(__doc__ or "").partition("\n")[0],
        epilog="example: python -m debate_gym.train.warm_start --out /tmp/tiny",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for model and tokenizer")
    parser.add_argument("--batch", type=int, default=16, help="rows a batch (default 16)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and games (default 0)")
    args = parser.parse_args()
    tokenizer = build_tokenizer()
    model = build_model(tokenizer, args.seed)
    for number, stage in enumerate(STAGES):
        rng = np.random.default_rng(args.seed + number)
        train(model, tokenizer, batch=args.batch, rng=rng, stage=stage)
    model.save_pretrained(args.out)
    tokenizer.save_pretrained(args.out)


if __name__ == "__main__":
    main()
