"""A policy whose model is on a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from debate_gym.agents.server.address import Address
from debate_gym.agents.server.answers import Answer
from debate_gym.agents.server.cache import AnswerCache, default_file
from debate_gym.agents.server.client import ChatClient, Request
from debate_gym.agents.server.messages import chat_messages
from debate_gym.agents.server.retries import ServerError
from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.nouns import Observation, Utterance

# What every server takes as a seed.
SEEDS = 2**31


class ServerPolicy:
    """Speaks with chat completions; one that fails is that seat's failure alone.

    The same seed gives the same words for as long as the cache holds them; beyond that it is in
    the server's hands.

    Args:
        temperature: at least 0; what the server calls so.
        top_p: as in `debate_gym.agents.local.LocalPolicy`; sent if below 1.
        max_new_tokens: reasoning included, where a server's model reasons.
        limit_name: the server's name for that number: `max_completion_tokens` at OpenAI and
            `max_tokens` elsewhere if None.
        send_seed: False for a server that does not take a seed; draws still differ by it.

    Raises:
        ValueError: on a number out of range.
        PartlyFailed: by `act`, if some seats got no answer.
    """

    def __init__(
        self,
        client: ChatClient,
        name: str,
        *,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 256,
        limit_name: str | None = None,
        send_seed: bool = True,
    ) -> None:
        for what, sound in (
            (f"temperature >= 0, got {temperature}", temperature >= 0),
            (f"0 < top_p <= 1, got {top_p}", 0 < top_p <= 1),
            (f"max_new_tokens >= 1, got {max_new_tokens}", max_new_tokens >= 1),
        ):
            if not sound:
                raise ValueError(f"expected {what}")
        self.client = client
        self.name = name
        self.revision = ""
        self.temperature = temperature
        self.options: dict[str, Any] = {
            limit_name or limit_field(client.address): max_new_tokens,
            **({} if top_p == 1 else {"top_p": top_p}),
        }
        self.send_seed = send_seed

    @classmethod
    def load(cls, spec: str, **options: Any) -> ServerPolicy:
        """The policy of `openai:MODEL@URL`, with the common cache; no request is made."""
        client = ChatClient(Address.of(spec), cache=AnswerCache(default_file()))
        return cls(client, spec, **options)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        answers = self.client.complete([self._request(each) for each in observations])
        results = [_result(answer, self.client.address) for answer in answers]
        said = [result for result in results if isinstance(result, Utterance)]
        if len(said) < len(results):
            raise PartlyFailed(self, results)
        return said

    def _request(self, observation: Observation) -> Request:
        seed = observation.seed % SEEDS
        body = {
            "messages": chat_messages(observation),
            "temperature": self.temperature,
            **self.options,
        }
        return Request({**body, "seed": seed} if self.send_seed else body, seed)


def limit_field(address: Address) -> str:
    """OpenAI's own server refuses the name that all others know."""
    official = urlsplit(address.url).hostname == "api.openai.com"
    return "max_completion_tokens" if official else "max_tokens"


def _result(answer: Answer | ServerError, address: Address) -> Utterance | ServerError:
    if isinstance(answer, ServerError):
        return answer
    if answer.finish == "error":
        return ServerError(f"{address}: the server's content filter kept the answer back")
    return Utterance(answer.text, answer.prompt_tokens, answer.completion_tokens, answer.finish)
