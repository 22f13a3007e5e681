from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from debate_gym.envs.game import State
from debate_gym.envs.nouns import Episode, Outcome, Verdict
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.scripted import scripted_judge
from debate_gym.eval.metrics import accuracy, outcome_counts
from debate_gym.eval.rejudge import rejudge

DEBATE = load_protocol("debate")


def test_a_second_judge_stands_beside_the_first(episodes: tuple[Episode, ...]) -> None:
    both = rejudge(episodes, DEBATE, scripted_judge("gold"))
    assert accuracy(both, "gold").value == 1
    assert accuracy(both, "evidence") == accuracy(episodes)
    assert all(a.turns == b.turns for a, b in zip(episodes, both, strict=True))


def test_a_judge_sees_the_game_as_it_was_played(episodes: tuple[Episode, ...]) -> None:
    class Again:
        name = "again"

        def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
            return scripted_judge("evidence").judge(states)

    played = [verdict for episode in episodes for verdict in episode.verdicts]
    both = rejudge(episodes, DEBATE, Again())
    assert [episode.verdicts[-1] for episode in both] == played


def test_one_failure_stays_one(episodes: tuple[Episode, ...]) -> None:
    class Brittle:
        name = "brittle"

        def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
            if any(state.id == episodes[1].id for state in states):
                raise RuntimeError("no")
            rulings = scripted_judge("gold").judge(states)
            return [tuple(replace(v, judge=self.name) for v in ruling) for ruling in rulings]

    found = rejudge(episodes, DEBATE, Brittle())
    failed = [e.id for e in found if e.verdicts[-1].outcome is Outcome.FAILED]
    assert failed == [episodes[1].id]
    assert outcome_counts(found, "brittle")[Outcome.FAILED] == 1


def test_refuses_another_protocol_and_the_same_judge(episodes: tuple[Episode, ...]) -> None:
    with pytest.raises(ValueError, match="was played by 'debate', not 'consultancy'"):
        rejudge(episodes, load_protocol("consultancy"), scripted_judge("gold"))
    with pytest.raises(ValueError, match="has verdicts of 'evidence' already"):
        rejudge(episodes, DEBATE, scripted_judge("evidence"))
