"""Batched calls of policies and judges, whose failures stay with the item that caused them.

Every face of the game and the rollout loop ask through this file, so that a seat that breaks has
the same consequence everywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from debate_gym.envs.game import State
from debate_gym.envs.nouns import Observation, Utterance, Verdict
from debate_gym.envs.seats import Judge, Policy

logger = logging.getLogger(__name__)
Item = TypeVar("Item")
Result = TypeVar("Result")


class PartlyFailed(Exception):
    """A batched call whose members succeeded or failed one by one.

    A policy or a judge raises it to tell what became of each member, so that what succeeded is not
    asked for, and paid for, again, nor what failed for good.

    Args:
        source: the policy or judge itself. These are not the results of one that wraps it, so
            there the members are tried one by one, as after any other exception.
        results: one per member, in order; an exception for each that failed.
    """

    def __init__(self, source: object, results: Sequence[object]) -> None:
        failed = [result for result in results if isinstance(result, Exception)]
        super().__init__(f"{len(failed)} of {len(results)} failed: {failed[0] if failed else ''}")
        self.source = source
        self.results = tuple(results)


def ask(
    policy: Policy, observations: Sequence[Observation], who: str
) -> list[Utterance | Exception]:
    """One call of a policy on a batch.

    If the batched call raises, or gives anything but one `Utterance` per observation, its members
    are tried one by one; not so if it tells what became of each (`PartlyFailed`).

    Args:
        who: names the policy in error texts.

    Returns:
        In order, what was said, or the exception of a member that failed alone, too.
    """

    def check(reply: object) -> Utterance:
        return _utterance(reply, who)

    return _isolated(policy.act, observations, policy, check, who)


def rule(judge: Judge, states: Sequence[State]) -> list[tuple[Verdict, ...] | Exception]:
    """One call of a judge on a batch of ended games; failures as in `ask`."""
    who = f"judge {judge.name!r}"

    def check(ruling: Any) -> tuple[Verdict, ...]:
        return _ruling(ruling, who)

    return _isolated(judge.judge, states, judge, check, who)


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
    call: Callable[[Sequence[Item]], Sequence[Any]],
    items: Sequence[Item],
    source: object,
    check: Callable[[Any], Result],
    who: str,
) -> list[Result | Exception]:
    if not items:
        return []
    try:
        return [check(result) for result in _counted(call, items, who)]
    except Exception as error:  # noqa: BLE001  whatever breaks a seat is that episode's data
        told = _told(error, source, check, len(items))
        if told is None and len(items) == 1:
            alone: list[Result | Exception] = [error]
            told = alone
        if told is not None:
            for failed in (result for result in told if isinstance(result, Exception)):
                logger.warning("%s failed: %s: %s", who, type(failed).__name__, failed)
            return told
    return [result for item in items for result in _isolated(call, [item], source, check, who)]


def _told(
    error: Exception, source: object, check: Callable[[Any], Result], number: int
) -> list[Result | Exception] | None:
    """What became of each member, where the exception tells."""
    if not isinstance(error, PartlyFailed) or error.source is not source:
        return None
    if len(error.results) != number:
        return None
    return [_checked(result, check) for result in error.results]


def _checked(result: object, check: Callable[[Any], Result]) -> Result | Exception:
    if isinstance(result, Exception):
        return result
    try:
        return check(result)
    except TypeError as error:
        return error


def _counted(
    call: Callable[[Sequence[Item]], Sequence[Any]], items: Sequence[Item], who: str
) -> Sequence[Any]:
    results = call(items)
    if len(results) != len(items):
        raise RuntimeError(f"{who} gave {len(results)} results for a batch of {len(items)}")
    return results
