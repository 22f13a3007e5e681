"""How likely a model finds one label or another as the next word of its reply.

Preference models are read this way (P24 appendix D.3): nothing is generated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from debate_gym.envs.nouns import Observation

MISSING = -100.0
Labels = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model thought of two labels.

    Attributes:
        log_probabilities: natural logarithms, at most 0, among all tokens; None for a label that
            the model did not tell.
        prompt_tokens: that were read.
    """

    log_probabilities: tuple[float | None, float | None]
    prompt_tokens: int = 0


class Scorer(Protocol):
    """Reads prompts, writes nothing.

    Attributes:
        name: model spec.
        revision: identifies the weights.
    """

    name: str
    revision: str

    def log_probabilities(
        self, prompts: Sequence[Observation], primed: str, labels: Labels
    ) -> list[Reading]:
        """For each prompt (`system`, `user` and `images`), the labels' chances to come next after
        a reply that begins with `primed`."""
        ...


def score(log_probability: float | None) -> float:
    """A log-probability to choose by: a label that is missing counts -100, as in P24 appendix D.3.

    For choosing only: as a probability it would be a guess.
    """
    return MISSING if log_probability is None else max(MISSING, log_probability)
