"""Several judges of one transcript, pooled."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from debate_gym.agents.judges.panel import PanelJudge
from debate_gym.agents.rollout import Job, play
from debate_gym.envs import load_protocol
from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.game import State, start
from debate_gym.envs.nouns import Outcome, Overhead, Question, Verdict
from debate_gym.envs.scripted import scripted_judge, scripted_policy
from debate_gym.envs.verdict import BOTH_ORDERS, failed_verdict, make_verdict

STATES = [
    start(Question(f"q{i}", "t", f"Who did {i}?", ("a", "b"), 0), load_protocol("direct-qa"))
    for i in range(3)
]


class Sure:
    """Gives answers[0] these probabilities, one for each order; None is unreadable."""

    def __init__(self, name: str, *firsts: float | None, breaks: int | None = None) -> None:
        self.name, self.firsts, self.breaks = name, firsts, breaks

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        return [self._decide(state) for state in states]

    def _decide(self, state: State) -> tuple[Verdict, ...]:
        if state is STATES[0] and self.breaks == 0:
            raise RuntimeError("broken")
        spent = Overhead(1, 10, 2)
        return tuple(
            make_verdict(
                self.name, order, None if p is None else (p, 1 - p), state.question, spent=spent
            )
            for order, p in zip(BOTH_ORDERS, self.firsts, strict=False)
        )


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("mean", (0.6 + 0.8 + 0.4) / 3),
        ("min", 0.4 / (0.4 + 0.2)),
        ("majority", 2 / 3),
        ("weighted", 1.4 / 2.0),
        ("squared", (0.36 + 0.64) / (0.36 + 0.64 + 0.36)),
        ("confident", 0.8),
    ],
)
def test_members_are_pooled_after_their_orders(rule: str, first: float) -> None:
    # 0.9 and 0.3 are 0.6: the position that a member prefers does not count.
    panel = PanelJudge([Sure("a", 0.9, 0.3), Sure("b", 0.8), Sure("c", 0.4, 0.4)], rule)
    ((verdict,),) = panel.judge(STATES[:1])
    assert verdict.p == pytest.approx((first, 1 - first))
    assert (verdict.judge, verdict.order) == (f"panel(a, b, c, rule={rule})", None)
    assert verdict.spent == Overhead(5, 50, 10)
    assert verdict.reasoning.splitlines() == [
        "a: correct (0.9000, 0.3000)",
        "b: correct (0.8000)",
        "c: incorrect (0.4000, 0.4000)",
    ]


def test_a_member_that_cannot_be_read_is_not_left_out() -> None:
    panel = PanelJudge([Sure("a", 0.9, None), Sure("b", 0.8, 0.8)], "mean")
    ((verdict,),) = panel.judge(STATES[:1])
    assert (verdict.outcome, verdict.p) == (Outcome.UNREADABLE, None)
    assert verdict.reasoning.startswith("a: unreadable (0.9000, none)\nb: correct")
    assert verdict.spent.generations == 4


def test_a_failed_member_fails_the_panel() -> None:
    class Fails(Sure):
        def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
            return [(failed_verdict(self.name),) for _ in states]

    ((verdict,),) = PanelJudge([Fails("a"), Sure("b", 0.8)]).judge(STATES[:1])
    assert (verdict.outcome, verdict.p) == (Outcome.FAILED, None)


def test_a_member_that_breaks_breaks_that_game_alone() -> None:
    panel = PanelJudge([Sure("a", 0.9), Sure("b", 0.8, breaks=0)])
    with pytest.raises(PartlyFailed, match="1 of 3 failed: broken") as caught:
        panel.judge(STATES)
    assert isinstance(caught.value.results[0], RuntimeError)
    assert [type(result) for result in caught.value.results[1:]] == [tuple, tuple]


def test_a_panel_plays() -> None:
    panel = PanelJudge([scripted_judge("gold"), scripted_judge("first")], "min")
    jobs = [Job(state.question, state.protocol, {}) for state in STATES]
    for episode in play(jobs, {"p": scripted_policy("silent")}, panel):
        assert episode.to_json()["verdicts"][0]["judge"] == "panel(gold, first, rule=min)"
        assert episode.verdicts[0].outcome is Outcome.CORRECT


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "a"]])
def test_a_panel_has_at_least_two_different_judges(names: list[str]) -> None:
    with pytest.raises(ValueError, match="at least two judges, all different"):
        PanelJudge([Sure(name, 0.5) for name in names])
    with pytest.raises(ValueError, match="unknown rule 'max'"):
        PanelJudge([Sure("a", 0.5), Sure("b", 0.5)], "max")
