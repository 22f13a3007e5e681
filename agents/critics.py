"""Critics: what a speaker is told about a draft (P24 appendix D.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from debate_gym.agents.candidates import CRITIQUE, cost, derived_seed, events, sample, total
from debate_gym.agents.scoring import Scorer, score
from debate_gym.agents.selectors import likeliest, reading_cost, split
from debate_gym.agents.strength_prompts import blind, fill, quoted, revision_of, sides, spoken
from debate_gym.agents.word_limits import argument_of, truncate
from debate_gym.envs.nouns import Observation, Overhead, Turn, Utterance
from debate_gym.envs.passages import check_passages
from debate_gym.envs.seats import Policy

PRIMED, LABELS = "Helpful:", ("Y", "N")
# Role -> (words, points) of a critique. P24 doubles both for a consultant.
ROOM = {"debater": (150, 2), "consultant": (300, 4)}
Case = tuple[Observation, Turn, list[str]]
POINT = re.compile(r"^[ \t]*(?:[-*•–]|\d+[.)])[ \t]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Advice:
    """The chosen critique, empty if there was none, and what all of them cost."""

    text: str
    spent: Overhead


class Critic:
    """Writes n critiques of each draft and gives the most helpful one.

    The critic sees the article and the draft with its passages checked. A critique is cut after
    two points and 150 words (a consultant's after four and 300). The scorer, who cannot see the
    article, is asked of each different critique whether it is helpful: the score is the
    log-probability of `Y`, -100 where that is missing. The highest wins, the earliest of equals;
    the seed draws where all are missing. Empty critiques are left out.

    Counted: `critiques_cut`, `critiques_empty`, `readings`, `unscored_picks`.

    Raises:
        ValueError: on n below 1.
    """

    def __init__(self, policy: Policy, n: int, scorer: Scorer) -> None:
        if n < 1:
            raise ValueError(
                f"a critic writes at least 1 critique, got {n}; without critiques use best-of-N"
            )
        self.policy = policy
        self.n = n
        self.scorer = scorer
        self.name = f"critic={policy.name}, judge={scorer.name}"
        self.revision = revision_of(policy.revision, scorer.revision)

    def advise(self, observations: Sequence[Observation], drafts: Sequence[Turn]) -> list[Advice]:
        """For each draft the most helpful critique."""
        pairs = list(zip(observations, drafts, strict=True))
        asked = [_asked(observation, draft) for observation, draft in pairs]
        written = sample(self.policy, asked, self.n)
        groups = [_texts(o, said) for o, said in zip(observations, written, strict=True)]
        choices = iter(self._choose([(*p, g) for p, g in zip(pairs, groups, strict=True) if g[1:]]))
        advice = []
        for said, observation, texts in zip(written, observations, groups, strict=True):
            place, spent = next(choices) if texts[1:] else (0, Overhead())
            paid = total([spent, _counted(observation, said), *map(cost, said)])
            advice.append(Advice(texts[place] if texts else "", paid))
        return advice

    def _choose(self, cases: Sequence[Case]) -> list[tuple[int, Overhead]]:
        """The place of the most helpful text of each case, and what it took to find it."""
        if not cases:
            return []
        prompts = [_helpful(o, draft, text) for o, draft, texts in cases for text in texts]
        readings = self.scorer.log_probabilities(prompts, PRIMED, LABELS)
        parts = split(readings, [len(texts) for _, _, texts in cases])
        choices = []
        for (observation, _, _), part in zip(cases, parts, strict=True):
            scores = [score(reading.log_probabilities[0]) for reading in part]
            place, unscored = likeliest(scores, observation)
            choices.append((place, reading_cost(part) + unscored))
        return choices


def within(critique: str, seat: str) -> str:
    """A critique cut to the points and words of a seat's critiques."""
    words, points = ROOM[seat.rpartition("_")[0]]
    begins = [match.start() for match in POINT.finditer(critique)]
    kept = critique[: begins[points]].rstrip() if len(begins) > points else critique
    return truncate(kept, words)


def _asked(observation: Observation, draft: Turn) -> Observation:
    words, points = ROOM[observation.seat.rpartition("_")[0]]
    fields = sides(observation) | _shown(observation, draft)
    user = fill("critic", **fields, words=words, points=points)
    if observation.article is not None:
        user = f"{fill('article', article=observation.article)}\n{user}"
    return replace(observation, user=user, seed=derived_seed(observation.seed, CRITIQUE))


def _helpful(observation: Observation, draft: Turn, critique: str) -> Observation:
    # Its passages are checked, so that advice to quote what is not there shows as such.
    checked, _, _ = check_passages(critique, observation.article)
    fields = {key: value for key, value in sides(observation).items() if key != "other"}
    shown = _shown(observation, draft)
    return blind(observation, fill("helpful", **fields, **shown, critique=quoted(checked)))


def _shown(observation: Observation, draft: Turn) -> dict[str, str]:
    return {"transcript": spoken(observation.turns), "draft": quoted(draft.argument)}


def _texts(observation: Observation, said: Sequence[Utterance]) -> list[str]:
    """The critiques that differ, in order, without empty ones."""
    texts = [within(argument_of(utterance), observation.seat) for utterance in said]
    return list(dict.fromkeys(text for text in texts if text))


def _counted(observation: Observation, said: Sequence[Utterance]) -> Overhead:
    texts = [argument_of(utterance) for utterance in said]
    cut = sum(within(text, observation.seat) != text for text in texts)
    return events(critiques_cut=cut, critiques_empty=texts.count(""))
