"""Best-of-N: a policy that writes several speeches for each turn and says one of them.

K24 section 4.1 and P24 appendix D.3; how one is chosen is in `debate_gym.agents.selectors`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from debate_gym.agents.candidates import Slate, act, sample
from debate_gym.agents.selectors import Choice, Selector
from debate_gym.agents.strength_prompts import revision_of
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.seats import Policy


class BestOfN:
    """Samples n utterances for each turn, in one call of the base for all turns, and says the one
    that the selector chooses.

    Arguments that read the same as the judge will see them are shown to the selector once, and it
    is not asked where only one is left. The losing candidates' generations and tokens, and the
    selector's, are the `overhead` of what is said. A seat that argues no answer (one that chooses
    its side, or a judge who asks) has nothing to persuade of: the base speaks, once.

    With n = 1 this says what the base says. Candidates are drawn at the base's temperature; P24's
    are in `debate_gym.agents.temperatures`.

    Args:
        selector: needed where n is above 1.
        name: as written into episodes; a spec that gives this policy again if None.

    Raises:
        ValueError: on n below 1, or n above 1 without a selector.
    """

    def __init__(
        self, base: Policy, n: int, selector: Selector | None = None, *, name: str | None = None
    ) -> None:
        if n < 1:
            raise ValueError(f"best-of-N needs N of at least 1, got {n}")
        if n > 1 and selector is None:
            raise ValueError(f"best-of-{n} needs a selector to choose with, got none")
        self.base = base
        self.n = n
        self.selector = selector
        options = f", {selector.name}" if selector is not None else ""
        self.name = name or f"best-of-{n}({base.name}{options})"
        self.revision = revision_of(base.revision, selector.revision if selector else "")

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return where_argued(observations, self.base, self._best)

    def candidates(self, observations: Sequence[Observation]) -> list[list[Utterance]]:
        """n utterances for each observation."""
        return sample(self.base, observations, self.n)

    def choose(
        self, observations: Sequence[Observation], candidates: Sequence[Sequence[Utterance]]
    ) -> list[Utterance]:
        """For each observation, the chosen one of its candidates (at least one, at most n), charged
        with the others and with the choice."""
        slates = [Slate.of(o, said) for o, said in zip(observations, candidates, strict=True)]
        choices = iter(self._select([slate for slate in slates if len(slate.turns) > 1]))
        chosen = [next(choices) if len(slate.turns) > 1 else Choice(0) for slate in slates]
        return [s.settle(c.chosen, c.spent) for s, c in zip(slates, chosen, strict=True)]

    def _best(self, observations: Sequence[Observation]) -> list[Utterance]:
        return self.choose(observations, self.candidates(observations))

    def _select(self, slates: Sequence[Slate]) -> list[Choice]:
        if self.selector is None or not slates:
            return []
        return self.selector.select(slates)


def where_argued(
    observations: Sequence[Observation],
    base: Policy,
    argue: Callable[[Sequence[Observation]], list[Utterance]],
) -> list[Utterance]:
    """What `argue` says for the seats that argue an answer, and the base for the others."""
    arguing = [o for o in observations if o.side is not None]
    said = iter(argue(arguing)) if arguing else iter(())
    plain = iter(act(base, [o for o in observations if o.side is None]))
    return [next(plain if o.side is None else said) for o in observations]
