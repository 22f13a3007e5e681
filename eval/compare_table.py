"""The comparison of two runs as people read it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from debate_gym.envs.nouns import Outcome
from debate_gym.eval.compare import COSTS, Comparison
from debate_gym.eval.metrics import Estimate


def lines(found: Sequence[Comparison], notes: Sequence[str]) -> Iterator[str]:
    """A block for each comparison, then what was not compared, then how to read many p values."""
    for one in found:
        yield from _block(one)
        yield ""
    for note in notes:
        yield f"not compared: {note}"
    if len(found) > 1:
        yield (
            f"{len(found)} comparisons: p values are not corrected; by Bonferroni one of them is "
            f"significant at 5 % below {0.05 / len(found):.2g}"
        )


def _block(one: Comparison) -> Iterator[str]:
    conditions = " -> ".join(dict.fromkeys((one.condition_a, one.condition_b)))
    yield " · ".join(filter(None, (one.task, one.protocol, f"judge {one.judge}", conditions)))
    yield f"  accuracy     {_told(one.a)} -> {_told(one.b)}, {one.difference.n} shared questions"
    yield f"  difference   {_told(one.difference, '+')}"
    if one.tests is not None:
        yield (
            f"  tests        permutation p {one.tests.permutation:.4f}, McNemar p "
            f"{one.tests.mcnemar:.4f} ({one.tests.only_a} questions right in A only, "
            f"{one.tests.only_b} in B only)"
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
