"""What the episodes of one iteration say, as sums that can be added over processes."""

from __future__ import annotations

from collections.abc import Sequence

from debate_gym.envs.nouns import JUDGE_0, Episode, Outcome, Verdict
from debate_gym.envs.verdict import average_orders, order_dependent
from debate_gym.train.self_play import Rollout

Sum = tuple[float, float]


def rollout_sums(rollout: Rollout) -> dict[str, Sum]:
    """Metric name -> (total, count), with the same names in every process.

    `judge/accuracy` and the seats' `win_rate` count a tie as one half and leave unreadable and
    failed episodes out; the `outcome/` shares are of all episodes. `reward/mean` is 0 by
    construction in self-play: read progress from `judge/accuracy`.
    """
    episodes = rollout.episodes
    verdicts = [average_orders(e.verdicts, e.question.correct) for e in episodes]
    speeches = [turn for episode in episodes for turn in episode.turns if turn.speech]
    passages = [passage for turn in speeches for passage in turn.passages]
    rewards = [row.reward for row in rollout.rows if row.last]
    sums: dict[str, Sum] = {
        "judge/accuracy": _won(verdicts, [episode.question.correct for episode in episodes]),
        "judge/order_dependent": (
            sum(order_dependent(e.verdicts) for e in episodes),
            len(episodes),
        ),
        "judge/order_gap": _order_gap(episodes),
        "reward/mean": (sum(rewards), len(rewards)),
        "reward/absolute": (sum(map(abs, rewards)), len(rewards)),
        "passages/verified_share": (sum(p.verified for p in passages), len(passages)),
        "passages/per_turn": (len(passages), len(speeches)),
    }
    for seat in (seat for seat in episodes[0].seats if seat != JUDGE_0):
        sums[f"{seat}/win_rate"] = _won(verdicts, [e.seats[seat].answer for e in episodes])
    for outcome in Outcome:
        count = sum(verdict.outcome is outcome for verdict in verdicts)
        sums[f"outcome/{outcome.value}"] = (count, len(verdicts))
    return sums


def _won(verdicts: Sequence[Verdict], answers: Sequence[int | None]) -> Sum:
    shares = [
        0.5 if verdict.choice is None else float(verdict.choice == answer)
        for verdict, answer in zip(verdicts, answers, strict=True)
        if verdict.p is not None
    ]
    return sum(shares), len(shares)


def _order_gap(episodes: Sequence[Episode]) -> Sum:
    """How far the probability of an answer moves with the order in which it was shown."""
    spans = []
    for episode in episodes:
        first = [verdict.p[0] for verdict in episode.verdicts if verdict.p is not None]
        if len(first) > 1:
            spans.append(max(first) - min(first))
    return sum(spans), len(spans)
