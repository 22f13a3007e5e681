"""What a judge reads: the game's own prompt, with another request at its end or solved cases
before it.

Other requests are files of `envs/prompts/judges`, the same for every prompt set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from debate_gym.agents.judges.shots import Shots
from debate_gym.envs.game import State, observe
from debate_gym.envs.nouns import JUDGE_0, Observation

# As seen from the folder of a prompt set.
REQUESTS = "../judges"


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """How a judge is asked.

    Attributes:
        request: a file of `envs/prompts/judges`; the game's own request for a verdict if None.
        shots: solved cases to show first; none if None.
    """

    request: str | None = None
    shots: Shots | None = None

    def __call__(self, state: State, order: tuple[int, int]) -> Observation:
        """The prompt for a verdict on an ended game, with the answers in an order.

        Raises:
            ValueError: if there are too few cases to show.
        """
        seen = observe(self._asked(state), JUDGE_0, order)
        if self.shots is None:
            return seen
        # In front, so that engines with prefix caching pay for them once.
        return replace(seen, user=f"{self.shots.show(state)}\n{seen.user}")

    def _asked(self, state: State) -> State:
        if self.request is None:
            return state
        texts = {**state.protocol.texts, "judge_ask": f"{REQUESTS}/{self.request}"}
        return replace(state, protocol=replace(state.protocol, texts=texts))
