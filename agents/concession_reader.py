"""A model as the reader of concessions, for what no phrase gives away."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from debate_gym.agents.concession_rate import arguing, speeches
from debate_gym.agents.scoring import Reading, Scorer
from debate_gym.agents.strength_prompts import fill, quoted
from debate_gym.envs.nouns import JUDGE_0, Episode, Observation, Turn
from debate_gym.envs.verdict import BOTH_ORDERS

PRIMED, LABELS = "Answer:", ("1", "2")
RULES = "You read what somebody said and report what they hold to be true."


class ConcessionReader:
    """Asks a model which answer each speech holds to be correct.

    A speech concedes where the other answer is the likelier label, its share of the two labels
    averaged over both orders of the answers; a tie is none. A side concedes where any of its
    speeches does; where none does and a label of one of them is missing, it could not be told.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    def read(self, episodes: Sequence[Episode]) -> list[Mapping[str, bool | None]]:
        """For each episode, whether each arguing seat conceded; None where it could not be told."""
        turns = [(e, turn) for e in episodes for seat in arguing(e) for turn in speeches(e, seat)]
        prompts = [_prompt(e, turn, order) for e, turn in turns for order in BOTH_ORDERS]
        readings = iter(self.scorer.log_probabilities(prompts, PRIMED, LABELS) if prompts else [])
        return [
            {
                seat: _any(
                    [
                        _concedes(e, turn, [next(readings) for _ in BOTH_ORDERS])
                        for turn in speeches(e, seat)
                    ]
                )
                for seat in arguing(e)
            }
            for e in episodes
        ]


def _prompt(episode: Episode, turn: Turn, order: tuple[int, int]) -> Observation:
    question = episode.question
    first, second = (question.answers[i] for i in order)
    user = fill(
        "concession",
        question=question.question,
        speech=quoted(turn.argument),
        first=first,
        second=second,
    )
    return Observation(
        episode=episode.id,
        seat=JUDGE_0,
        round=turn.round,
        seed=episode.seed,
        side=None,
        question=question.question,
        answers=question.answers,
        article=None,
        turns=(turn,),
        system=RULES,
        user=user,
        images=question.images,
    )


def _concedes(episode: Episode, turn: Turn, readings: Sequence[Reading]) -> bool | None:
    side = episode.seats[turn.seat].answer or 0
    shares = []
    for reading, order in zip(readings, BOTH_ORDERS, strict=True):
        own, other = (reading.log_probabilities[order.index(i)] for i in (side, 1 - side))
        if own is None or other is None:
            return None
        shares.append(1 / (1 + math.exp(min(700.0, own - other))))
    return sum(shares) / len(shares) > 0.5 + 1e-9


def _any(speeches: Sequence[bool | None]) -> bool | None:
    if any(speeches):
        return True
    return None if None in speeches else False
