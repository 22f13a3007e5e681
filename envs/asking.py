"""Batched calls of policies and judges, whose failures stay with the item that caused them.

Every face of the game and the rollout loop ask through this file, so that a seat that breaks has
the same consequence everywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from debate_gym.envs.game import State
from debate_gym.envs.nouns import Observation, Utterance, Verdict
from debate_gym.envs.seats import Judge, Policy

logger = logging.getLogger(__name__)
Item = TypeVar("Item")
Result = TypeVar("Result")


def ask(
    policy: Policy, observations: Sequence[Observation], who: str
) -> list[Utterance | Exception]:
    """One call of a policy on a batch.

    If the batched call raises, or gives anything but one `Utterance` per observation, its members
    are tried one by one.

    Args:
        who: names the policy in error texts.

    Returns:
        In order, what was said, or the exception of a member that failed alone, too.
    """

    def act(batch: Sequence[Observation]) -> Sequence[Utterance]:
        return [_utterance(reply, who) for reply in policy.act(batch)]

    return _isolated(act, observations, who)


def rule(judge: Judge, states: Sequence[State]) -> list[tuple[Verdict, ...] | Exception]:
    """One call of a judge on a batch of ended games; failures as in `ask`."""
    who = f"judge {judge.name!r}"

    def decide(batch: Sequence[State]) -> Sequence[tuple[Verdict, ...]]:
        return [_ruling(ruling, who) for ruling in judge.judge(batch)]

    return _isolated(decide, states, who)


def _utterance(reply: object, who: str) -> Utterance:
    if not isinstance(reply, Utterance):
        raise TypeError(f"{who} must give an Utterance per observation, got {reply!r:.80}")
    return reply


def _ruling(ruling: Sequence[Verdict], who: str) -> tuple[Verdict, ...]:
    verdicts = tuple(ruling)
    if not verdicts or not all(isinstance(verdict, Verdict) for verdict in verdicts):
        raise TypeError(f"{who} must give at least one Verdict per game, got {ruling!r:.80}")
    return verdicts


def _isolated(
    call: Callable[[Sequence[Item]], Sequence[Result]], items: Sequence[Item], who: str
) -> list[Result | Exception]:
    if not items:
        return []
    try:
        return list(_counted(call, items, who))
    except Exception as error:  # noqa: BLE001  whatever breaks a seat is that episode's data
        if len(items) == 1:
            logger.warning("%s failed: %s: %s", who, type(error).__name__, error)
            return [error]
    return [result for item in items for result in _isolated(call, [item], who)]


def _counted(
    call: Callable[[Sequence[Item]], Sequence[Result]], items: Sequence[Item], who: str
) -> Sequence[Result]:
    results = call(items)
    if len(results) != len(items):
        raise RuntimeError(f"{who} gave {len(results)} results for a batch of {len(items)}")
    return results
