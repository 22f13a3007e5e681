"""95 % intervals of ledgers and replays, by a bootstrap over questions."""

from __future__ import annotations

import numpy as np

from debate_gym.eval.ledger.clusters import question_intervals, ratio
from debate_gym.eval.ledger.panels import Bools, Floats
from debate_gym.eval.ledger.replay import Weights
from debate_gym.eval.ledger.transitions import Scored

Intervals = dict[str, list[float | None]]
LEDGER = (
    "initial_accuracy",
    "final_accuracy",
    "conditional_collapse",
    "conditional_correction",
    "net",
)
REPLAY = ("prevented", "lost", "net", "utility", "accuracy_change", "break_even")


def ledger_intervals(scored: Scored, draws: int, seed: int) -> Intervals:
    """Low and high of `LEDGER`; None where a figure is undefined in every draw."""
    cells, question = scored.cells(), scored.panels.question
    return _named(LEDGER, question_intervals(cells, question, _ledger, draws, seed))


def replay_intervals(
    scored: Scored, fires: Bools, weights: Weights, draws: int, seed: int
) -> Intervals:
    """Low and high of `REPLAY`, where the gate fires at `fires` (n,) in every draw.

    A gate's training is not repeated.
    """
    moved = scored.cells()[:, 1:3] * fires[:, None]
    values = np.concatenate([moved, np.ones((len(moved), 1))], axis=1)

    def statistics(sums: Floats) -> Floats:
        prevented, lost, n = sums.T
        net = prevented - lost
        utility = float(weights.collapse) * prevented - float(weights.correction) * lost
        return np.stack([prevented, lost, net, utility, net / n, ratio(lost, prevented)], axis=1)

    question = scored.panels.question
    return _named(REPLAY, question_intervals(values, question, statistics, draws, seed))


def _ledger(sums: Floats) -> Floats:
    kept, collapsed, corrected, wrong = sums.T
    known = sums.sum(axis=1)
    figures = (
        ratio(kept + collapsed, known),
        ratio(kept + corrected, known),
        ratio(collapsed, kept + collapsed),
        ratio(corrected, corrected + wrong),
        corrected - collapsed,
    )
    return np.stack(figures, axis=1)


def _named(names: tuple[str, ...], bounds: Floats) -> Intervals:
    return {
        name: [None if np.isnan(end) else float(end) for end in ends]
        for name, ends in zip(names, bounds, strict=True)
    }
