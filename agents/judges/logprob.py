"""The log-probability judge: a verdict is one forward pass, not a text.

The reply is primed with `Answer:` and the verdict is the share of the two label tokens in the
next token's distribution, for both orders of the answers (P24 section 3.2 reads judges the same
way; averaging the orders takes out the position bias, which in small models is larger than the
signal).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.judges.prefix import label_chances
from debate_gym.agents.judges.prompts import JudgePrompt
from debate_gym.agents.judges.shots import Shots
from debate_gym.agents.local import check_no_images, context_length
from debate_gym.agents.weights import check_adapter, speaking
from debate_gym.envs.game import State
from debate_gym.envs.nouns import JUDGE_0, Observation, Overhead, Verdict
from debate_gym.envs.verdict import BOTH_ORDERS, make_verdict

PRIMED = "Answer:"


class LogProbJudge:
    """Judges with a causal language model.

    Args:
        orders: `both`, or `first` for the order of the question only (half the cost, with the
            position bias left in).
        batch_size: games to one forward pass.
        adapter_off: judge with the base of a LoRA model, so that a policy and its judge can share
            weights.
        shots: solved cases to show first.

    The tokens that are read are in `Verdict.spent`, without what a shared beginning saves, with
    one of `readings` for each order.

    Raises:
        ValueError: on a tokenizer without a single, distinct token for each label after the
            primed text, and on `adapter_off` without an adapter; by `judge`, on a transcript
            beyond the model's context, and on a question with pictures, which
            `debate_gym.agents.judges.vision.VisionJudge` reads.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        orders: Literal["both", "first"] = "both",
        batch_size: int = 4,
        adapter_off: bool = False,
        shots: Shots | None = None,
    ) -> None:
        check_adapter(model, None, adapter_off)
        if orders not in ("both", "first"):
            raise ValueError(f"orders must be 'both' or 'first', got {orders!r}")
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.orders = BOTH_ORDERS if orders == "both" else BOTH_ORDERS[:1]
        self.batch_size = batch_size
        self.adapter_off = adapter_off
        self.prompt = JudgePrompt(shots=shots)
        self.primed, self.labels = label_tokens(tokenizer)

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        prompts = [[self._prompt(state, order) for order in self.orders] for state in states]
        by_length = sorted(range(len(states)), key=lambda i: len(prompts[i][0]))
        verdicts: dict[int, tuple[Verdict, ...]] = {}
        for begin in range(0, len(by_length), self.batch_size):
            chosen = by_length[begin : begin + self.batch_size]
            chances = self._score([prompts[i] for i in chosen])
            for i, rows in zip(chosen, chances, strict=True):
                verdicts[i] = self._verdicts(states[i], rows, [len(p) for p in prompts[i]])
        return [verdicts[i] for i in range(len(states))]

    def _encode(self, observation: Observation) -> Any:
        check_no_images(self.name, observation)
        return encode_prompt(self.tokenizer, observation.system, observation.user, self.primed)

    def _prompt(self, state: State, order: tuple[int, int]) -> Any:
        prompt = self._encode(self.prompt(state, order))
        limit = context_length(self.model)
        if limit is not None and len(prompt) > limit:
            raise ValueError(
                f"{state.id}, {JUDGE_0}: a transcript of {len(prompt)} tokens exceeds the context "
                f"of {limit}; play fewer rounds or shorter speeches, or take another judge"
            )
        return prompt

    def _score(self, prompts: list[list[Any]]) -> list[list[tuple[float, float]]]:
        """For each game and order, the chances of the two labels among all tokens."""
        with speaking(self.model, adapter_off=self.adapter_off):
            return label_chances(self.model, prompts, self.labels, self.tokenizer.pad_token_id)

    def _verdicts(
        self, state: State, rows: list[tuple[float, float]], lengths: list[int]
    ) -> tuple[Verdict, ...]:
        cases = zip(self.orders, rows, lengths, strict=True)
        return tuple(self._verdict(state, *case) for case in cases)

    def _verdict(
        self, state: State, order: tuple[int, int], chances: tuple[float, float], tokens: int
    ) -> Verdict:
        mass = chances[0] + chances[1]
        p = None
        if math.isfinite(mass) and mass > 0:  # else there is nothing to read, and no guess
            first = chances[order.index(0)] / mass
            p = (first, 1 - first)
        spent = Overhead(prompt_tokens=tokens, events=(("readings", 1),))
        return make_verdict(
            self.name, order, p, state.question, label_mass=mass if p else None, spent=spent
        )


def label_tokens(
    tokenizer: Any, primed: str = PRIMED, labels: tuple[str, str] = ("1", "2")
) -> tuple[str, tuple[int, int]]:
    """The primed text, and the ids of two labels right after it.

    Tokenizers differ in whether a label takes the blank before it along, so both are tried on a
    whole prompt: the label must add exactly one token to it, and leave the tokens before it alone.

    Raises:
        ValueError: if neither way gives two distinct tokens.
    """
    unknown = tokenizer.unk_token_id
    for start, blank in ((primed, " "), (primed + " ", "")):
        head = encode_prompt(tokenizer, "x", "x", start)
        tails = [encode_prompt(tokenizer, "x", "x", f"{start}{blank}{n}") for n in labels]
        one, two = (tail[-1] for tail in tails)
        if all(tail[:-1] == head for tail in tails) and one != two and unknown not in (one, two):
            return start, (one, two)
    raise ValueError(
        f"tokenizer {tokenizer.name_or_path!r}: the labels {labels[0]} and {labels[1]} are not "
        f"single, distinct tokens after {primed!r}; reading their chances needs that"
    )
