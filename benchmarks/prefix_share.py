"""How much of the prompts of one debate a prefix cache can save.

python benchmarks/prefix_share.py [--protocol debate] [--rounds 3] [--words 4000]

Plays a debate on a long article with speeches of the protocol's word limit, encodes the prompt of
every call in playing order (the judge's in both answer orders), and prints for each the number of
tokens and the share that some earlier prompt of the debate begins with too. No model runs: only its
tokenizer is read. Articles and speeches are drawn from a seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.models import load_tokenizer, resolve
from debate_gym.envs import advance, due, load_protocol, observe, start
from debate_gym.envs.game import State
from debate_gym.envs.nouns import JUDGE_0, Observation, Question, Utterance
from debate_gym.envs.tasks import evidence
from debate_gym.envs.verdict import BOTH_ORDERS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--protocol", default="debate")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--words", type=int, default=4000, help="of the article")
    parser.add_argument("--prompts", default="standard")
    parser.add_argument("--model", default="smollm2-135m")
    args = parser.parse_args()
    tokenizer = load_tokenizer(resolve(args.model))
    protocol = load_protocol(args.protocol, rounds=args.rounds, prompts=args.prompts)
    seen: list[list[int]] = []
    sums = {"speakers": [0, 0], "judge": [0, 0]}
    print("| call | tokens | shared with an earlier call |\n|---|---|---|")
    for name, call in _calls(start(_question(args.words), protocol)):
        ids = encode_prompt(tokenizer, call.system, call.user)
        shared = max((_common(ids, other) for other in seen), default=0)
        seen.append(ids)
        kind = sums["judge" if call.seat == JUDGE_0 else "speakers"]
        kind[0] += shared
        kind[1] += len(ids)
        print(f"| {name} | {len(ids)} | {shared / len(ids):.1%} |")
    sums["all"] = [sum(column) for column in zip(*sums.values(), strict=True)]
    for name, (shared, total) in sums.items():
        print(f"| {name} | {total} | {shared / max(1, total):.1%} |")


def _calls(state: State) -> Iterator[tuple[str, Observation]]:
    rng = np.random.default_rng(0)
    while seats := due(state):
        for seat in seats:
            call = observe(state, seat)
            yield f"{seat}, {'choice' if call.choosing else f'round {call.round + 1}'}", call
        said = {seat: _said(observe(state, seat), state.protocol.words, rng) for seat in seats}
        state = advance(state, said)
    for order in BOTH_ORDERS:
        yield f"verdict, answers {order}", observe(state, JUDGE_0, order)


def _said(call: Observation, words: int, rng: np.random.Generator) -> Utterance:
    if call.choosing:
        return Utterance("Answer: 1")
    if call.seat == JUDGE_0:
        return Utterance("Which of these sentences settles the question, and why?")
    lines = (call.article or "").splitlines()
    drawn = [lines[i] for i in rng.integers(len(lines), size=words // 8)]
    return Utterance(" ".join(f"<passage>{line}</passage>" for line in drawn))


def _question(words: int) -> Question:
    """An article of sentences of the evidence game, eight words each."""
    first = evidence.generate(0)
    games = (evidence.generate(seed) for seed in range(words // 96 + 1))
    lines = [line for game in games for line in str(game.article).splitlines()][: words // 8]
    return Question("long", "evidence", first.question, first.answers, 0, "\n".join(lines))


def _common(one: list[int], other: list[int]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


if __name__ == "__main__":
    main()
