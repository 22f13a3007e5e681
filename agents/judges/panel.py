"""A panel: several judges of one transcript, pooled."""

from __future__ import annotations

from collections.abc import Sequence

from debate_gym.agents.candidates import total
from debate_gym.agents.judges.ensembles import check_rule, pooled
from debate_gym.envs.asking import PartlyFailed, rule
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Outcome, Verdict
from debate_gym.envs.seats import Judge
from debate_gym.envs.verdict import average_orders, make_verdict

Ruling = tuple[Verdict, ...]


class PanelJudge:
    """Pools what different judges make of a game.

    Every member's answer orders are averaged before anything else, so that no position bias enters
    the rule; the panel gives one verdict, without an order, whose `reasoning` has a line for each
    member. A panel with a member whose verdict cannot be read is unreadable: leaving that member
    out would let a speech choose its judges.

    Args:
        rule: of `debate_gym.agents.judges.ensembles`: `mean`, `min` (an answer is worth what the
            least convinced member gives it), or one of P24's four.

    Raises:
        ValueError: on fewer than two members, two of one name, or an unknown rule.
        PartlyFailed: by `judge`, if a member failed on some games.
    """

    def __init__(
        self, members: Sequence[Judge], rule: str = "mean", name: str | None = None
    ) -> None:
        names = [member.name for member in members]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ValueError(f"a panel needs at least two judges, all different, got {names}")
        check_rule(rule)
        self.members = tuple(members)
        self.rule = rule
        self.name = name or f"panel({', '.join(names)}, rule={rule})"

    def judge(self, states: Sequence[State]) -> list[Ruling]:
        rulings = [rule(member, states) for member in self.members]
        results = [self._pooled(*case) for case in zip(states, *rulings, strict=True)]
        ruled = [result for result in results if isinstance(result, tuple)]
        if len(ruled) < len(results):
            raise PartlyFailed(self, results)
        return ruled

    def _pooled(self, state: State, *rulings: Ruling | Exception) -> Ruling | Exception:
        sound = [ruling for ruling in rulings if isinstance(ruling, tuple)]
        if len(sound) < len(rulings):
            return next(ruling for ruling in rulings if isinstance(ruling, Exception))
        correct = state.question.correct
        return (self._verdict(state, [average_orders(ruling, correct) for ruling in sound], sound),)

    def _verdict(
        self, state: State, averaged: Sequence[Verdict], rulings: Sequence[Ruling]
    ) -> Verdict:
        reasoning = "\n".join(map(_line, averaged, rulings))
        spent = total(verdict.spent for verdict in averaged)
        if any(verdict.outcome is Outcome.FAILED for verdict in averaged):
            return Verdict(self.name, None, None, None, Outcome.FAILED, reasoning, spent=spent)
        firsts = [verdict.p[0] for verdict in averaged if verdict.p is not None]
        p = None
        if len(firsts) == len(averaged):
            first = pooled(firsts, self.rule)
            p = (first, 1 - first)
        return make_verdict(self.name, None, p, state.question, reasoning=reasoning, spent=spent)


def _line(averaged: Verdict, ruling: Ruling) -> str:
    """A member's verdict, and its probability of answers[0] in each order that it saw."""
    shown = ", ".join("none" if v.p is None else f"{v.p[0]:.4f}" for v in ruling)
    return f"{averaged.judge}: {averaged.outcome.value} ({shown})"
