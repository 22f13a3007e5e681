"""Makes the tiny policy that the package ships: a weak debater of the `evidence` game.

    python -m debate_gym.train.warm_start --out agents/tiny

A small Llama learns, from random weights, to quote whole sentences of the article, chosen almost
at random: its own side only a little more often than chance, and strength not at all. That is a
start from which PPO has everything to gain. Two kinds of batch are mixed until copying has
formed, because articles alone do not form it in minutes: random sequences that repeat, and games
of many rounds. The last phase trains on exactly the prompts of the two-round game.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from tqdm import trange
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import CONSULTANT_0, Observation, Utterance
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.render import FOLDER, SPEAKERS
from debate_gym.envs.tasks import evidence

PIECE = r"</?[a-z_]+>|<\|[a-z]+\|>| ?[A-Za-z_]+| ?[0-9]| ?[^\sA-Za-z0-9<]|<|\n| "
SPECIAL = ("<|pad|>", "<|unk|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' }}"
    "{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
OWN_SIDE = 0.2
COPY_ROUNDS = 6
CONTEXT = 512


def build_tokenizer() -> PreTrainedTokenizerFast:
    """A word-level tokenizer over all that the game can print in the `brief` prompts.

    A token carries its leading blank, so that decoding is plain joining and a quotation stays
    verbatim.
    """
    tags = [f"<{slash}{tag}>" for tag in ("passage", "v_passage", "u_passage") for slash in ("", "/")]
    prompts = [path.read_text("utf-8") for path in sorted((FOLDER / "brief").glob("*.md"))]
    games = [evidence.generate(seed) for seed in range(200)]
    split = pre_tokenizers.Split(Regex(PIECE), behavior="isolated")
    corpus = "\n".join([*prompts, *SPEAKERS.values(), *(f"{g.question}\n{g.article}" for g in games)])
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


def build_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """The untrained model; its weights are drawn from `seed`."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(tokenizer),
                hidden_size=96,
                intermediate_size=192,
                num_hidden_layers=3,
                num_attention_heads=4,
                num_key_value_heads=4,
                max_position_embeddings=CONTEXT,
                initializer_range=0.08,
                tie_word_embeddings=True,
                pad_token_id=tokenizer.pad_token_id,
                bos_token_id=None,
                eos_token_id=tokenizer.eos_token_id,
            )
        )


def play_random(rounds: int, rng: np.random.Generator) -> tuple[Observation, str]:
    """A game of random quoting up to some seat's last turn, and what the demonstrator says there.

    With probability `OWN_SIDE` the demonstrator quotes any sentence of its own side, else any
    sentence at all.
    """
    question = evidence.generate(2 * int(rng.integers(2**40)) + evidence.SEED_SPACE["train"])
    name = "consultancy" if rng.random() < 1 / 3 else "debate"
    protocol = load_protocol(name, rounds=rounds)
    sides = {CONSULTANT_0: int(rng.integers(2))} if name == "consultancy" else None
    state = start(question, protocol, sides=sides)
    for _ in range(int(rng.integers(rounds)) if rounds == 2 else rounds - 1):
        state = advance(state, {seat: _quote(state, seat, rng) for seat in due(state)})
    seats = due(state)
    seat = seats[int(rng.integers(len(seats)))]
    return observe(state, seat), _quote(state, seat, rng).text


def _quote(state: State, seat: str, rng: np.random.Generator) -> Utterance:
    lines = (state.question.article or "").splitlines()
    own = [line for line in lines if f" {state.question.answers[state.sides[seat]]} " in line]
    pool = own if own and rng.random() < OWN_SIDE else lines
    return Utterance(f"<passage>{pool[int(rng.integers(len(pool)))]}</passage>")


def game_batch(
    tokenizer: PreTrainedTokenizerFast, rounds: int, size: int, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and labels (-100 where nothing is learnt), both (size, tokens).

    Everything after the article is learnt: the quotations of earlier turns are copies too.
    """
    rows = []
    for _ in range(size):
        observation, reply = play_random(rounds, rng)
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
    width = max(len(ids) for ids, _ in rows)
    ids = [[tokenizer.pad_token_id] * (width - len(row)) + row for row, _ in rows]
    labels = [[-100] * (width - len(row)) + row for _, row in rows]
    return torch.tensor(ids), torch.tensor(labels)


def repeat_batch(
    vocabulary: int, size: int, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Random sequences of 96 tokens, of which pieces of 8 are repeated afterwards."""
    head = rng.integers(len(SPECIAL), vocabulary, size=(size, 96))
    starts = rng.integers(0, 12, size=(size, 8)) * 8
    columns = (starts[:, :, None] + np.arange(8)).reshape(size, -1)
    tail = np.take_along_axis(head, columns, axis=1)
    labels = tail.reshape(size, 8, 8).copy()
    labels[:, :, 0] = -100
    ids = np.concatenate([head, tail], axis=1)
    targets = np.concatenate([np.full_like(head, -100), labels.reshape(size, -1)], axis=1)
    return torch.tensor(ids), torch.tensor(targets)


def train(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    *,
    steps: int,
    final_steps: int,
    batch: int,
    rate: float,
    rng: np.random.Generator,
) -> None:
    """Trains in place: `steps` of mixed batches, then `final_steps` on the real prompts."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
    total = steps + final_steps
    bar = trange(total, desc="warm start", mininterval=2)
    averages: dict[str, float] = {}
    model.train()
    for step in bar:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * (
                0.05 + 0.95 * (1 + math.cos(math.pi * step / total)) / 2
            )
        if step >= steps:
            kind, (ids, labels) = "game", game_batch(tokenizer, 2, batch, rng)
        elif step % 8 == 7:
            kind, (ids, labels) = "repeat", repeat_batch(len(tokenizer), batch, rng)
        else:
            kind, (ids, labels) = "copy", game_batch(tokenizer, COPY_ROUNDS, batch, rng)
        loss = model(
            input_ids=ids, attention_mask=(ids != tokenizer.pad_token_id).long(), labels=labels
        ).loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        value = float(loss.detach())
        averages[kind] = 0.95 * averages.get(kind, value) + 0.05 * value
        bar.set_postfix({name: f"{value:.3f}" for name, value in averages.items()})
    model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m debate_gym.train.warm_start",
        description=(__doc__ or "").partition("\n")[0],
        epilog="example: python -m debate_gym.train.warm_start --out /tmp/tiny --steps 2400",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for model and tokenizer")
    parser.add_argument("--steps", type=int, default=2400, help="mixed batches (default 2400)")
    parser.add_argument("--final-steps", type=int, default=400, help="real prompts (default 400)")
    parser.add_argument("--batch", type=int, default=48, help="rows a batch (default 48)")
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate (default 3e-3)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and games (default 0)")
    args = parser.parse_args()
    tokenizer = build_tokenizer()
    model = build_model(tokenizer, args.seed)
    train(
        model,
        tokenizer,
        steps=args.steps,
        final_steps=args.final_steps,
        batch=args.batch,
        rate=args.rate,
        rng=np.random.default_rng(args.seed),
    )
    model.save_pretrained(args.out)
    tokenizer.save_pretrained(args.out)


if __name__ == "__main__":
    main()
