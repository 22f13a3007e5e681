"""Lets another judge decide games that have been played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debate_gym.envs.asking import rule
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Episode, Verdict
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.seats import Judge
from debate_gym.envs.verdict import failed_verdict


def rejudge(episodes: Sequence[Episode], protocol: Protocol, judge: Judge) -> list[Episode]:
    """The episodes with the verdicts of one more judge behind those that they hold.

    A game that failed stays failed, and one for which this judge raises fails with it alone.

    Args:
        protocol: by which all of them were played.

    Raises:
        ValueError: on an episode of another protocol, or one that this judge has decided already.
    """
    for episode in episodes:
        if episode.protocol != protocol.name:
            raise ValueError(
                f"episode {episode.id!r} was played by {episode.protocol!r}, not {protocol.name!r}"
            )
        if any(verdict.judge == judge.name for verdict in episode.verdicts):
            raise ValueError(f"episode {episode.id!r} has verdicts of {judge.name!r} already")
    sound = [episode for episode in episodes if episode.error is None]
    rulings = iter(rule(judge, [_ended(episode, protocol) for episode in sound]))
    return [
        replace(episode, verdicts=(*episode.verdicts, *_verdicts(next(rulings), judge)))
        if episode.error is None
        else replace(episode, verdicts=(*episode.verdicts, failed_verdict(judge.name)))
        for episode in episodes
    ]


def _ended(episode: Episode, protocol: Protocol) -> State:
    sides = {
        seat: record.answer for seat, record in episode.seats.items() if record.answer is not None
    }
    return State(episode.question, protocol, sides, episode.turns, episode.id, episode.seed)


def _verdicts(ruling: tuple[Verdict, ...] | Exception, judge: Judge) -> tuple[Verdict, ...]:
    return (failed_verdict(judge.name),) if isinstance(ruling, Exception) else ruling
