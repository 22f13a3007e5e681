"""Critique-and-refine: the best draft of a turn is criticised and written again (P24 appendix D.3,
algorithm 1).

    draft      = best of N arguments
    critique   = most helpful of C critiques of the draft
    refinement = best of N arguments, each written with the draft and the critique at hand

With a selector that writes nothing this takes 2 N + C generations a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debate_gym.agents.best_of_n import BestOfN, where_argued
from debate_gym.agents.candidates import REFINE, charged, cost, derived_seed, events, read, shown
from debate_gym.agents.critics import Advice, Critic
from debate_gym.agents.refusals import mentions_critique, refuses
from debate_gym.agents.strength_prompts import fill, quoted, revision_of, sides
from debate_gym.agents.word_limits import argument_of
from debate_gym.envs.nouns import Observation, Overhead, Utterance


class CritiqueRefine:
    """Says the best refinement of the best draft.

    A refinement that mentions its critique, or refuses (see `debate_gym.agents.refusals`), is out,
    and the others are chosen from as `best` chooses; where none is left, the draft is said. The
    draft itself is no candidate beside a sound refinement, as in P24. A turn whose critiques are
    all empty is not written again. A seat that argues no answer speaks as the base does, once.

    Counted in the overhead, beside what `best` and `critic` count:
    `refinements_mentioning_critique`, `refinements_refused`, `drafts_kept`.

    Args:
        best: writes drafts and refinements, and chooses among them.

    Attributes:
        name: as written into episodes; a spec that gives this policy again if None.
    """

    def __init__(self, best: BestOfN, critic: Critic, *, name: str | None = None) -> None:
        self.best = best
        self.critic = critic
        self.name = name or f"critique-{critic.n}({best.name}, {critic.name})"
        self.revision = revision_of(best.revision, critic.revision)

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return where_argued(observations, self.best.base, self._refined)

    def _refined(self, observations: Sequence[Observation]) -> list[Utterance]:
        drafts = self.best.act(observations)
        pairs = zip(observations, drafts, strict=True)
        turns = [shown(o, read(o, draft)) for o, draft in pairs]
        advice = self.critic.advise(observations, turns)
        pools = self._write(observations, drafts, advice)
        said = self._choose(observations, drafts, pools)
        return [charged(u, a.spent) for u, a in zip(said, advice, strict=True)]

    def _write(
        self,
        observations: Sequence[Observation],
        drafts: Sequence[Utterance],
        advice: Sequence[Advice],
    ) -> list[list[Utterance]]:
        """The refinements of each draft; none where there was no advice."""
        told = zip(observations, drafts, advice, strict=True)
        asked = [_again(o, draft, a.text) for o, draft, a in told if a.text]
        written = iter(self.best.candidates(asked) if asked else [])
        return [next(written) if a.text else [] for a in advice]

    def _choose(
        self,
        observations: Sequence[Observation],
        drafts: Sequence[Utterance],
        pools: Sequence[Sequence[Utterance]],
    ) -> list[Utterance]:
        """The best sound refinement of each pool, or the draft, charged with all others."""
        sifted = [_sift(o, pool) for o, pool in zip(observations, pools, strict=True)]
        open_ = [(o, sound) for o, (sound, _) in zip(observations, sifted, strict=True) if sound]
        best = iter(self.best.choose([o for o, _ in open_], [sound for _, sound in open_]))
        said = []
        for draft, (sound, lost) in zip(drafts, sifted, strict=True):
            if sound:
                said.append(charged(next(best), cost(draft), lost))
            else:
                said.append(charged(draft, lost, events(drafts_kept=1)))
        return said


def _again(observation: Observation, draft: Utterance, critique: str) -> Observation:
    """The prompt of a refinement: the seat's own, then its draft as it wrote it, and the advice."""
    request = fill(
        "refine",
        draft=quoted(argument_of(draft)),
        critique=quoted(critique),
        own=sides(observation)["own"],
    )
    seed = derived_seed(observation.seed, REFINE)
    return replace(observation, user=f"{observation.user}\n{request}", seed=seed)


def _sift(observation: Observation, pool: Sequence[Utterance]) -> tuple[list[Utterance], Overhead]:
    """The sound refinements, and what the others cost and were turned down for."""
    sound: list[Utterance] = []
    lost = Overhead()
    for utterance in pool:
        argument = read(observation, utterance).argument
        if mentions_critique(argument):
            lost += cost(utterance) + events(refinements_mentioning_critique=1)
        elif refuses(argument):
            lost += cost(utterance) + events(refinements_refused=1)
        else:
            sound.append(utterance)
    return sound, lost
