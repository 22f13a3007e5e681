"""What fills a seat: a policy speaks, a judge decides. Both act on batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from debate_gym.envs.game import State
from debate_gym.envs.nouns import Observation, Utterance, Verdict


class Policy(Protocol):
    """Speaks for the seats whose observations it is handed.

    Attributes:
        name: model spec, as written into episodes.
        revision: identifies the weights; empty where there are none.
    """

    name: str
    revision: str

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        """One utterance per observation, in order. May raise: the episode is then recorded as
        failed and the others go on."""
        ...


class Judge(Protocol):
    """Decides finished games.

    Attributes:
        name: judge spec, as written into episodes.
    """

    name: str

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        """For each state, one verdict per answer order that the judge looked at."""
        ...
