"""The comparison of two runs as people read it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from debate_gym.envs.nouns import Outcome
from debate_gym.eval.compare import COSTS, Comparison
from debate_gym.eval.metrics import Estimate
from debate_gym.eval.paired import Family, holm


def lines(found: Sequence[Comparison], notes: Sequence[str]) -> Iterator[str]:
    """A block for each comparison, then what was not compared, then how to read many p values."""
    for one in found:
        yield from _block(one)
        yield ""
    for note in notes:
        yield f"not compared: {note}"
    if len(found) > 1:
        yield family(found).note


def family(found: Sequence[Comparison]) -> Family:
    """The permutation tests of all comparisons, corrected for their number."""
    return holm({str(place): one.paired.p for place, one in enumerate(found)})


def _block(one: Comparison) -> Iterator[str]:
    conditions = " -> ".join(dict.fromkeys((one.condition_a, one.condition_b)))
    yield " · ".join(filter(None, (one.task, one.protocol, f"judge {one.judge}", conditions)))
    shared = one.paired.difference.n
    yield f"  accuracy     {_told(one.a)} -> {_told(one.b)}, {shared} shared questions"
    yield f"  difference   {_told(one.paired.difference, '+')}"
    test = one.paired.mcnemar
    yield (
        f"  tests        permutation p {one.paired.p:.4f}, McNemar p {test.p:.4f} ({test.only_b} "
        f"questions right in A only, {test.only_a} in B only, {test.left_out} partly right)"
    )
    yield f"  outcomes A   {_counts(one.outcomes_a)}"
    yield f"  outcomes B   {_counts(one.outcomes_b)}"
    yield f"  changed      {_changed(one) or 'none'}"
    if one.cost_a:
        yield f"  cost         {_cost(one)}"
    if one.unpaired_a or one.unpaired_b:
        yield (
            f"  left out     {one.unpaired_a} episodes of A and {one.unpaired_b} of B, which have "
            "no partner"
        )


def _told(estimate: Estimate, sign: str = "") -> str:
    if math.isnan(estimate.value):
        return "undefined"
    value = f"{estimate.value:{sign}.3f}"
    if math.isnan(estimate.low):
        return value
    return f"{value} [{estimate.low:{sign}.3f}, {estimate.high:{sign}.3f}]"


def _counts(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in outcomes.items())


def _changed(one: Comparison) -> str:
    return ", ".join(
        f"{before} to {after} {one.changes[before][after]}"
        for before in Outcome
        for after in Outcome
        if before != after and one.changes[before][after]
    )


def _cost(one: Comparison) -> str:
    return (
        ", ".join(
            f"{name.replace('_', ' ')} {one.cost_a[name]:.1f} -> {one.cost_b[name]:.1f}"
            for name in COSTS
        )
        + " an episode"
    )
