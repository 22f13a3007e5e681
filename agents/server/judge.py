"""The log-probability judge whose model is on a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from debate_gym.agents.judges.prompts import JudgePrompt
from debate_gym.agents.judges.shots import Shots
from debate_gym.agents.server.address import Address
from debate_gym.agents.server.answers import Answer
from debate_gym.agents.server.cache import AnswerCache, default_file
from debate_gym.agents.server.client import ChatClient
from debate_gym.agents.server.readings import ServerScorer, label_place, label_share
from debate_gym.agents.server.retries import ServerError
from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Overhead, Verdict
from debate_gym.envs.verdict import BOTH_ORDERS, make_verdict

PRIMED = "Answer:"
LABELS = ("1", "2")


class ServerJudge:
    """Judges by the chances of `1` and `2` where the model's reply names one of them.

    Unlike `debate_gym.agents.judges.logprob.LogProbJudge` it cannot make the reply begin with
    `Answer:`. A reply without a verdict, and one from a server that gives no chances, is
    unreadable: the text alone is never taken for a probability.

    Args:
        orders: `both`, or `first` for the order of the question only.
        shots: solved cases to show first.
        options: go to `ServerScorer`.

    Raises:
        ValueError: on a value out of range.
        PartlyFailed: by `judge`, if some games got no answer in some order.
    """

    def __init__(
        self,
        client: ChatClient,
        name: str,
        *,
        orders: Literal["both", "first"] = "both",
        shots: Shots | None = None,
        **options: Any,
    ) -> None:
        if orders not in ("both", "first"):
            raise ValueError(f"orders must be 'both' or 'first', got {orders!r}")
        self.name = name
        self.orders = BOTH_ORDERS if orders == "both" else BOTH_ORDERS[:1]
        self.prompt = JudgePrompt(shots=shots)
        self.scorer = ServerScorer(client, name, **options)

    @classmethod
    def load(cls, spec: str, name: str, **options: Any) -> ServerJudge:
        """The judge of a model `openai:MODEL@URL`, with the common cache."""
        client = ChatClient(Address.of(spec), cache=AnswerCache(default_file()))
        return cls(client, name, **options)

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        prompts = [self.prompt(state, order) for state in states for order in self.orders]
        answers = iter(self.scorer.complete(prompts))
        results = [self._ruling(state, [next(answers) for _ in self.orders]) for state in states]
        ruled = [result for result in results if isinstance(result, tuple)]
        if len(ruled) < len(results):
            raise PartlyFailed(self, results)
        return ruled

    def _ruling(
        self, state: State, answers: Sequence[Answer | ServerError]
    ) -> tuple[Verdict, ...] | ServerError:
        for answer in answers:
            if isinstance(answer, ServerError):
                return answer
        pairs = zip(self.orders, answers, strict=True)
        return tuple(
            self._verdict(state, order, answer)
            for order, answer in pairs
            if isinstance(answer, Answer)
        )

    def _verdict(self, state: State, order: tuple[int, int], answer: Answer) -> Verdict:
        place = label_place(answer.tokens, PRIMED, LABELS)
        share = label_share(place, LABELS) if place else None
        p = mass = None
        if share is not None:
            first, mass = share
            p = (first, 1 - first) if order[0] == 0 else (1 - first, first)
        spent = Overhead(1, answer.prompt_tokens, answer.completion_tokens)
        return make_verdict(
            self.name,
            order,
            p,
            state.question,
            reasoning=answer.text,
            label_mass=mass,
            spent=spent,
        )
