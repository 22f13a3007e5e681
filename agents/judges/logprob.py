"""The log-probability judge: a verdict is one forward pass, not a text.

The reply is primed with `Answer:` and the verdict is the share of the two label tokens in the
next token's distribution, for both orders of the answers (P24 section 3.2 reads judges the same
way; averaging the orders takes out the position bias, which in small models is larger than the
signal).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.local import pad_left
from debate_gym.envs.game import State, observe
from debate_gym.envs.nouns import JUDGE_0, Verdict
from debate_gym.envs.verdict import BOTH_ORDERS, make_verdict

PRIMED = "Answer:"


class LogProbJudge:
    """Judges with a causal language model.

    Args:
        adapter_off: judge with the base of a LoRA model, so that a policy and its judge can share
            weights.

    Raises:
        ValueError: if the tokenizer has no single, distinct token for each label after the
            primed text.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        batch_size: int = 8,
        adapter_off: bool = False,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.batch_size = batch_size
        self.adapter_off = adapter_off
        self.suffix, self.labels = label_tokens(tokenizer)

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        cases = [(state, order) for state in states for order in BOTH_ORDERS]
        prompts = [self._prompt(state, order) for state, order in cases]
        by_length = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        shares: dict[int, tuple[float, float]] = {}
        for begin in range(0, len(by_length), self.batch_size):
            chosen = by_length[begin : begin + self.batch_size]
            shares.update(zip(chosen, self._score([prompts[i] for i in chosen]), strict=True))
        verdicts = [self._verdict(*case, shares[i]) for i, case in enumerate(cases)]
        return [(verdicts[i], verdicts[i + 1]) for i in range(0, len(verdicts), 2)]

    def _prompt(self, state: State, order: tuple[int, int]) -> list[int]:
        observation = observe(state, JUDGE_0, order)
        return encode_prompt(self.tokenizer, observation.system, observation.user, self.suffix)

    def _score(self, prompts: list[list[int]]) -> list[tuple[float, float]]:
        ids, mask = pad_left(prompts, self.tokenizer.pad_token_id, self.model.device)
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        training = self.model.training
        self.model.eval()
        with self._adapter(), torch.no_grad():
            logits = self.model(
                input_ids=ids, attention_mask=mask, position_ids=positions, logits_to_keep=1
            ).logits[:, -1]
        self.model.train(training)
        chances = logits.double().softmax(-1)[:, list(self.labels)]
        return [(float(row[0]), float(row[1])) for row in chances]

    def _verdict(
        self, state: State, order: tuple[int, int], shares: tuple[float, float]
    ) -> Verdict:
        mass = shares[0] + shares[1]
        p = None
        if mass > 0:  # false for NaN too: then the verdict is unreadable
            first = shares[order.index(0)] / mass
            p = (first, 1 - first)
        return make_verdict(self.name, order, p, state.question, label_mass=mass if p else None)

    def _adapter(self) -> AbstractContextManager[Any]:
        return self.model.disable_adapter() if self.adapter_off else nullcontext()


def label_tokens(tokenizer: Any) -> tuple[str, tuple[int, int]]:
    """The primed text, and the ids of the labels 1 and 2 right after it.

    Tokenizers differ in whether a label takes the blank before it along, so both are tried: the
    label must add exactly one token to the primed text, and leave the tokens before it alone.
    """
    for primed, blank in ((PRIMED, " "), (PRIMED + " ", "")):
        head = tokenizer(primed, add_special_tokens=False)["input_ids"]
        tails = [
            tokenizer(f"{primed}{blank}{label}", add_special_tokens=False)["input_ids"]
            for label in (1, 2)
        ]
        if all(tail[:-1] == head for tail in tails) and tails[0] != tails[1]:
            return primed, (tails[0][-1], tails[1][-1])
    raise ValueError(
        f"tokenizer {tokenizer.name_or_path!r}: the labels 1 and 2 are not single, distinct tokens "
        f"after {PRIMED!r}; this judge needs that"
    )
