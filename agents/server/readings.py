"""The chances of a judge's two labels, read from the tokens of a completion.

A chat server lets nobody begin the model's reply, so the reply is written (greedily, a few tokens)
and the labels are read in the place where it names one: right after the words that the reply is to
begin with, or where it is the whole reply. A reply that names none has nothing to read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from debate_gym.agents.scoring import Labels, Reading
from debate_gym.agents.server.answers import Answer, TokenChances
from debate_gym.agents.server.client import ChatClient, Request
from debate_gym.agents.server.messages import chat_messages
from debate_gym.agents.server.policy import limit_field
from debate_gym.agents.server.retries import ServerError
from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.nouns import Observation

TOP = 20
REPLY_TOKENS = 16
# The most by which a probability may be off since a label was too unlikely to be listed.
SLACK = 0.01
MARKUP = re.compile(r"[\s*_\"'`#(]+")


class ServerScorer:
    """Reads labels' chances from `top_logprobs`, as `debate_gym.agents.scoring.Scorer`.

    Args:
        top: how many tokens the server is asked to list in each place (OpenAI and vLLM give up
            to 20, some servers 5).
        reply_tokens: most tokens of the reply.

    Raises:
        ValueError: on a number out of range.
        PartlyFailed: by `log_probabilities`, if some prompts got no answer.
    """

    def __init__(
        self,
        client: ChatClient,
        name: str,
        *,
        top: int = TOP,
        reply_tokens: int = REPLY_TOKENS,
    ) -> None:
        if top < 2 or reply_tokens < 1:
            raise ValueError(f"expected top >= 2 and reply_tokens >= 1, got {top}, {reply_tokens}")
        self.client = client
        self.name = name
        self.revision = ""
        self.options: dict[str, Any] = {
            "temperature": 0,
            limit_field(client.address): reply_tokens,
            "logprobs": True,
            "top_logprobs": top,
        }

    def log_probabilities(
        self, prompts: Sequence[Observation], primed: str, labels: Labels
    ) -> list[Reading]:
        """As in `Scorer`; a label that was not listed, or not reached, is None."""
        answers = self.complete(prompts)
        results = [_reading(answer, primed, labels) for answer in answers]
        read = [result for result in results if isinstance(result, Reading)]
        if len(read) < len(results):
            raise PartlyFailed(self, results)
        return read

    def complete(self, prompts: Sequence[Observation]) -> list[Answer | ServerError]:
        """The replies with their tokens' chances."""
        requests = [Request({"messages": chat_messages(p), **self.options}) for p in prompts]
        return self.client.complete(requests)


def label_place(tokens: Sequence[TokenChances], primed: str, labels: Labels) -> TokenChances | None:
    """The token where a reply names a label; None if it does not."""
    before = ""
    for token in tokens:
        named = MARKUP.sub("", before).lower() == MARKUP.sub("", primed).lower()
        if token.text.strip() in labels and (named or _alone(tokens, token)):
            return token
        before += token.text
    return None


def _alone(tokens: Sequence[TokenChances], token: TokenChances) -> bool:
    """Whether a reply is nothing but this token; `1. First, ...` names no label."""
    reply = "".join(each.text for each in tokens)
    return MARKUP.sub("", reply).rstrip(".)") == token.text.strip()


def label_chances(place: TokenChances, labels: Labels) -> tuple[float | None, float | None]:
    """The probabilities of two labels, each over all tokens that spell it (`1`, ` 1`); None for a
    label that is not listed."""
    first, second = (
        [chance for text, chance in place.chances if text.strip() == label] for label in labels
    )
    return (sum(first) if first else None), (sum(second) if second else None)


def label_share(place: TokenChances, labels: Labels) -> tuple[float, float] | None:
    """The first label's share of both labels' probability, and that sum.

    A label that is not listed has at most the smallest listed probability, and at most what all
    listed ones leave over. It counts as 0 if the share is off by no more than `SLACK` for it; else
    there is no share.
    """
    chances = label_chances(place, labels)
    listed = [chance for _, chance in place.chances]
    unlisted = max(0.0, min([*listed, 1 - sum(listed)]))
    known = sum(chance for chance in chances if chance is not None)
    if known <= 0 or (None in chances and unlisted > SLACK * (known + unlisted)):
        return None
    return (chances[0] or 0.0) / known, min(known, 1.0)


def _reading(answer: Answer | ServerError, primed: str, labels: Labels) -> Reading | ServerError:
    if isinstance(answer, ServerError):
        return answer
    place = label_place(answer.tokens, primed, labels)
    chances = (None, None) if place is None else label_chances(place, labels)
    first, second = (math.log(c) if c else None for c in chances)
    return Reading((first, second), answer.prompt_tokens)
