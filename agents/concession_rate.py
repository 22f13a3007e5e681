"""How often sides argue for the other answer, over episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_gym.agents.concession import concession
from debate_gym.envs.nouns import DEBATER_0, DEBATER_1, Episode, Turn
from debate_gym.envs.render import SPEAKERS

OPPONENT = {DEBATER_0: SPEAKERS[DEBATER_1], DEBATER_1: SPEAKERS[DEBATER_0]}


@dataclass(frozen=True, slots=True)
class ConcessionRate:
    """Sides that argued for the other answer in any of their turns.

    Attributes:
        sides: seats that argued an answer in an episode that did not fail.
        conceded: those that conceded.
        unread: those of which it could not be told.
        failed: episodes left out.
    """

    sides: int
    conceded: int
    unread: int
    failed: int

    @property
    def value(self) -> float | None:
        """conceded / (sides - unread), in [0, 1]; None where that is 0 / 0."""
        read = self.sides - self.unread
        return self.conceded / read if read else None


def concession_rate(
    episodes: Sequence[Episode],
    readings: Sequence[Mapping[str, bool | None]] | None = None,
    *,
    correct: bool | None = None,
) -> ConcessionRate:
    """Counts concessions.

    Args:
        readings: for each episode, whether each seat conceded, None where it could not be told, as
            `debate_gym.agents.concession_reader` gives them; by the rule of
            `debate_gym.agents.concession` if None.
        correct: count only sides that argue the correct answer (or, if False, the other one).

    Raises:
        ValueError: if there is not one reading for each episode.
    """
    found = [conceding(episode) for episode in episodes] if readings is None else readings
    if len(found) != len(episodes):
        raise ValueError(f"expected readings of {len(episodes)} episodes, got {len(found)}")
    failed = 0
    sides: list[bool | None] = []
    for episode, seats in zip(episodes, found, strict=True):
        if episode.error is not None:
            failed += 1
            continue
        sides += [seats[seat] for seat in arguing(episode, correct)]
    return ConcessionRate(len(sides), sides.count(True), sides.count(None), failed)


def conceding(episode: Episode) -> dict[str, bool | None]:
    """Whether each arguing seat conceded in any of its turns, by the rule."""
    return {
        seat: any(_concedes(episode, turn) for turn in speeches(episode, seat))
        for seat in arguing(episode)
    }


def arguing(episode: Episode, correct: bool | None = None) -> list[str]:
    """The seats that argued an answer; only the correct one's, or only the other's, on request."""
    answer = episode.question.correct
    return [
        seat
        for seat, record in episode.seats.items()
        if record.answer is not None and correct in (None, record.answer == answer)
    ]


def speeches(episode: Episode, seat: str) -> list[Turn]:
    """A seat's turns, without the choice of a side that opens some games."""
    return [turn for turn in episode.turns if turn.seat == seat and turn.round >= 0]


def _concedes(episode: Episode, turn: Turn) -> bool:
    side = episode.seats[turn.seat].answer or 0
    answers = episode.question.answers
    opponent = OPPONENT.get(turn.seat)
    return concession(turn.argument, answers[side], answers[1 - side], opponent) is not None
