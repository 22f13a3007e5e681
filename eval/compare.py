"""Two runs on the questions that they share: accuracy, tests for pairs, outcomes, cost.

What is compared has the same task, protocol and judge in both runs, and the same condition; where
a condition names its player (`PLAYER:self-play`) and the players differ, their only conditions of
the same kind are compared. Questions are the same if task, id, both answers and the correct one
are, in whatever order the answers stand.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from debate_gym.envs.nouns import Outcome
from debate_gym.eval import metrics, paired
from debate_gym.eval.metrics import Estimate
from debate_gym.eval.pairing import (
    Place,
    by_place,
    condition_pairs,
    paired_rows,
    same_question,
)
from debate_gym.eval.report.rows import Row

ALL = "all tasks"
COSTS = ("generations", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One task, protocol and judge in two runs.

    Attributes:
        a, b: accuracy on the shared questions.
        paired: b minus a on them, and the tests; its first condition is b.
        outcomes_a, outcomes_b: of all paired episodes.
        changes: outcome in `a` -> outcome in `b` -> paired episodes.
        cost_a, cost_b: means of a paired episode.
        unpaired_a, unpaired_b: episodes without a partner.
    """

    task: str
    protocol: str
    judge: str
    condition_a: str
    condition_b: str
    a: Estimate
    b: Estimate
    paired: paired.Comparison
    outcomes_a: Mapping[str, int]
    outcomes_b: Mapping[str, int]
    changes: Mapping[str, Mapping[str, int]]
    cost_a: Mapping[str, float]
    cost_b: Mapping[str, float]
    unpaired_a: int
    unpaired_b: int

    def to_json(self) -> dict[str, Any]:
        """All of it; null where a number is undefined."""
        return {
            "task": self.task,
            "protocol": self.protocol,
            "judge": self.judge,
            "condition_a": self.condition_a,
            "condition_b": self.condition_b,
            "questions": self.paired.difference.n,
            "accuracy_a": _numbers(self.a),
            "accuracy_b": _numbers(self.b),
            "difference": _numbers(self.paired.difference),
            "permutation_p": None if math.isnan(self.paired.p) else self.paired.p,
            "mcnemar_p": self.paired.mcnemar.p,
            "only_a_right": self.paired.mcnemar.only_b,
            "only_b_right": self.paired.mcnemar.only_a,
            "partly_right": self.paired.mcnemar.left_out,
            "outcomes_a": dict(self.outcomes_a),
            "outcomes_b": dict(self.outcomes_b),
            "changes": {before: dict(after) for before, after in self.changes.items()},
            "cost_a": dict(self.cost_a),
            "cost_b": dict(self.cost_b),
            "unpaired_a": self.unpaired_a,
            "unpaired_b": self.unpaired_b,
        }


def compare(
    rows_a: Iterable[Row],
    rows_b: Iterable[Row],
    *,
    condition_a: str | None = None,
    condition_b: str | None = None,
    seed: int = 0,
) -> tuple[list[Comparison], list[str]]:
    """Compares two runs.

    Args:
        condition_a, condition_b: compare these conditions only; both or none.
        seed: of the bootstrap, and of the permutation test where not all flips can be tried.

    Returns:
        One comparison for each task, protocol, judge and pair of conditions, and over all tasks
        where there are several; and lines on what has no partner, unless conditions are named.

    Raises:
        ValueError: on one condition without the other, or one that a run does not have.
    """
    if (condition_a is None) != (condition_b is None):
        raise ValueError("name the condition of both runs, or of none")
    runs = [by_place(rows_a, condition_a, "A"), by_place(rows_b, condition_b, "B")]
    found, notes = [], []
    for place in sorted(runs[0].keys() | runs[1].keys()):
        a, b = (run.get(place, {}) for run in runs)
        pairs = list(condition_pairs(a, b))
        if condition_a is not None and condition_b is not None:
            pairs = [(condition_a, condition_b)] if condition_a in a and condition_b in b else []
        else:
            notes += _left(place, "A", set(a) - {first for first, _ in pairs})
            notes += _left(place, "B", set(b) - {second for _, second in pairs})
        found += [_compared(place, pair, a[pair[0]], b[pair[1]], seed) for pair in pairs]
    return found + list(_over_tasks(found, runs, seed)), notes


def _left(place: Place, run: str, conditions: Set[str]) -> list[str]:
    if not conditions:
        return []
    names = ", ".join(repr(name) for name in sorted(conditions))
    return [
        f"of run {run} {place[0]} · {place[1]} · judge {place[2]}, whose conditions are {names}"
    ]


def _over_tasks(
    found: Sequence[Comparison], runs: Sequence[Mapping[Place, Mapping[str, list[Row]]]], seed: int
) -> Iterator[Comparison]:
    grouped: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for one in found:
        key = (one.protocol, one.judge, one.condition_a, one.condition_b)
        grouped[key].append(one.task)
    for (protocol, judge, first, second), tasks in sorted(grouped.items()):
        if len(tasks) > 1:
            places = [(task, protocol, judge) for task in tasks]
            a = [row for place in places for row in runs[0][place][first]]
            b = [row for place in places for row in runs[1][place][second]]
            whole = _compared((ALL, protocol, judge), (first, second), a, b, seed)
            yield replace(whole, task=ALL)


def _compared(
    place: Place, conditions: tuple[str, str], a: Sequence[Row], b: Sequence[Row], seed: int
) -> Comparison:
    task, protocol, judge = place
    scores = [_scores(a), _scores(b)]
    shared = scores[0].keys() & scores[1].keys()
    pairs = list(paired_rows(a, b))
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    return Comparison(
        task=task,
        protocol=protocol,
        judge=judge,
        condition_a=conditions[0],
        condition_b=conditions[1],
        a=metrics.mean_over_questions((q, scores[0][q]) for q in sorted(shared)),
        b=metrics.mean_over_questions((q, scores[1][q]) for q in sorted(shared)),
        paired=paired.compare(scores[1], scores[0], seed=seed),
        outcomes_a=_outcomes(first),
        outcomes_b=_outcomes(second),
        changes=_changes(pairs),
        cost_a=_cost(first),
        cost_b=_cost(second),
        unpaired_a=len(a) - len(pairs),
        unpaired_b=len(b) - len(pairs),
    )


def _scores(rows: Iterable[Row]) -> dict[str, float]:
    """Mean accuracy of each question with a readable verdict."""
    worth = ((same_question(row), metrics.credit(row.verdict, row.truth)) for row in rows)
    return metrics.question_means(
        (question, value) for question, value in worth if value is not None
    )


def _outcomes(rows: Iterable[Row]) -> dict[str, int]:
    counted = Counter(row.verdict.outcome for row in rows)
    return {outcome.value: counted[outcome] for outcome in Outcome}


def _changes(pairs: Sequence[tuple[Row, Row]]) -> dict[str, dict[str, int]]:
    counted = Counter((a.verdict.outcome, b.verdict.outcome) for a, b in pairs)
    return {
        before.value: {after.value: counted[before, after] for after in Outcome}
        for before in Outcome
    }


def _cost(rows: Sequence[Row]) -> dict[str, float]:
    if not rows:
        return {}
    return {name: sum(row.cost[name] for row in rows) / len(rows) for name in COSTS}


def _numbers(estimate: Estimate) -> dict[str, float | None]:
    found = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: None if math.isnan(value) else value for name, value in found.items()}
