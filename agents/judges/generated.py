"""Judges whose verdict is read from what a model writes.

A verdict that cannot be read is unreadable, never guessed. Nor is a reply read that was cut off at
its limit: its end may have said something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from debate_gym.agents.candidates import cost, derived_seed, events, total
from debate_gym.agents.judges.ensembles import check_rule, pooled
from debate_gym.agents.judges.prompts import JudgePrompt
from debate_gym.agents.judges.shots import Shots
from debate_gym.envs.asking import PartlyFailed, ask
from debate_gym.envs.game import State
from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Observation, Utterance, Verdict
from debate_gym.envs.probability import read_probability
from debate_gym.envs.reading import read_verdict
from debate_gym.envs.seats import Policy
from debate_gym.envs.verdict import BOTH_ORDERS, make_verdict

# What the seeds of votes are drawn for, beside those in `debate_gym.agents.candidates`.
VOTE = 5


@dataclass(frozen=True, slots=True)
class Form:
    """What a judge is asked for.

    Attributes:
        request: as in `JudgePrompt`.
        read: the probability of the answer shown first that a reply stands for, None if it cannot
            be read.
        rule: how votes are pooled unless told otherwise.
        tokens: room for the reply unless told otherwise.
    """

    request: str | None
    read: Callable[[str], float | None]
    rule: str
    tokens: int


def read_label(text: str) -> float | None:
    """1 for the answer shown first, 0 for the second; None if neither can be read."""
    choice = read_verdict(text).choice
    return None if choice is None else 1.0 - choice


FORMS = {
    "generated": Form(None, read_label, "majority", 64),
    "cot": Form("cot", read_label, "majority", 512),
    "stated": Form("stated", read_probability, "mean", 64),
    "stated-cot": Form("stated_cot", read_probability, "mean", 512),
}


class GeneratedJudge:
    """Decides by what a policy writes.

    Each order of the answers gets v votes, which differ in their seed, and gives one verdict: the
    readable votes, pooled by a rule. With `majority` its p is the share of the votes. An order
    without a readable vote is unreadable. The replies are the verdict's `reasoning`.

    Counted, in `Verdict.spent`: `cut_replies`, and `unreadable_votes` (cut ones included).

    Args:
        policy: any that writes; at a temperature above 0 for more than one vote (P24 appendix A.5:
            3 votes at 0.8).
        form: a key of `FORMS`: the answer alone (`generated`), after reasoning (`cot`, the chain
            of thought of K24 section 4.1), a probability (`stated`, `stated-cot`).
        rule: of `debate_gym.agents.judges.ensembles`; the form's own if None.
        orders: `both`, or `first` for the order of the question only.
        shots: solved cases to show first. They end with the answer alone, whatever the form.

    Raises:
        ValueError: on a value that is not known or out of range.
        PartlyFailed: by `judge`, if the policy failed on some games.
    """

    def __init__(
        self,
        policy: Policy,
        name: str,
        form: str = "cot",
        *,
        votes: int = 1,
        rule: str | None = None,
        orders: Literal["both", "first"] = "both",
        shots: Shots | None = None,
    ) -> None:
        _check(policy, form, votes, orders)
        self.policy = policy
        self.name = name
        self.form = FORMS[form]
        self.votes = votes
        self.rule = rule or self.form.rule
        check_rule(self.rule)
        self.orders = BOTH_ORDERS if orders == "both" else BOTH_ORDERS[:1]
        self.prompt = JudgePrompt(self.form.request, shots)

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        prompts = [prompt for state in states for prompt in self._prompts(state)]
        said = iter(ask(self.policy, prompts, f"judge {self.name!r}"))
        results = [self._ruling(state, said) for state in states]
        ruled = [result for result in results if isinstance(result, tuple)]
        if len(ruled) < len(results):
            raise PartlyFailed(self, results)
        return ruled

    def _prompts(self, state: State) -> Iterator[Observation]:
        for place, order in enumerate(self.orders):
            seen = self.prompt(state, order)
            for vote in range(self.votes):
                yield replace(seen, seed=derived_seed(seen.seed, VOTE, place, vote))

    def _ruling(
        self, state: State, said: Iterator[Utterance | Exception]
    ) -> tuple[Verdict, ...] | Exception:
        replies = [[next(said) for _ in range(self.votes)] for _ in self.orders]
        verdicts = []
        for order, votes in zip(self.orders, replies, strict=True):
            read = [vote for vote in votes if isinstance(vote, Utterance)]
            if len(read) < len(votes):
                return next(vote for vote in votes if isinstance(vote, Exception))
            verdicts.append(self._verdict(state, order, read))
        return tuple(verdicts)

    def _verdict(self, state: State, order: tuple[int, int], votes: Sequence[Utterance]) -> Verdict:
        firsts = [self._read(vote) for vote in votes]
        read = [first for first in firsts if first is not None]
        counts = events(
            cut_replies=sum(vote.finish == "length" for vote in votes),
            unreadable_votes=len(firsts) - len(read),
        )
        p = None
        if read:
            first = pooled(read, self.rule)
            p = (first, 1 - first) if order[0] == 0 else (1 - first, first)
        spent = total([counts, *map(cost, votes)])
        return make_verdict(
            self.name, order, p, state.question, reasoning=_written(votes), spent=spent
        )

    def _read(self, vote: Utterance) -> float | None:
        return self.form.read(vote.text) if vote.finish == "stop" else None


def _written(votes: Sequence[Utterance]) -> str:
    if len(votes) == 1:
        return votes[0].text
    return "\n".join(f"[vote {n}]\n{vote.text}" for n, vote in enumerate(votes, 1))


def _check(policy: Policy, form: str, votes: int, orders: str) -> None:
    if form not in FORMS:
        raise ValueError(unknown("form of a judge", form, FORMS))
    if votes < 1:
        raise ValueError(f"votes must be at least 1, got {votes}")
    if votes > 1 and getattr(policy, "temperature", None) == 0:
        raise ValueError(
            f"{votes} votes at temperature 0 would all be the same: give a temperature above 0, "
            "such as 0.8, or one vote"
        )
    if orders not in ("both", "first"):
        raise ValueError(f"orders must be 'both' or 'first', got {orders!r}")
