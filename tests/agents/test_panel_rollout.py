from __future__ import annotations

from collections.abc import Sequence

import pytest

from debate_gym.agents.panel_rollout import (
    PanelJob,
    at_temperature,
    play_panels,
    question_seed,
    seat_policies,
)
from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.panel import PanelRules

RULES = PanelRules(rounds=2)
QUESTIONS = [ChoiceQuestion(f"q{i}", "t", f"Which, {i}?", ("a", "b", "c"), 0) for i in range(5)]


class Panelist:
    """Says its temperature; fails on one question in round 1."""

    name, revision = "p", "1"

    def __init__(self, temperature: float = 0.5) -> None:
        self.temperature = temperature
        self.calls: list[int] = []

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        self.calls.append(len(observations))
        if any(seen.question == "Which, 3?" and seen.round == 1 for seen in observations):
            raise RuntimeError("no")
        return [Utterance(f"Final answer: A at {self.temperature}", 10, 2) for _ in observations]


def jobs() -> list[PanelJob]:
    return [PanelJob(q, RULES, question_seed(0, q)) for q in QUESTIONS]


def test_one_call_a_policy_and_round_and_failures_stay_with_their_panel() -> None:
    shared, other = Panelist(), Panelist(1.0)
    policies = {"panelist_0": shared, "panelist_1": shared, "panelist_2": other}
    games = list(play_panels(jobs(), policies, slots=8))
    assert [g.state.question.id for g in games] == ["q0", "q1", "q2", "q3", "q4"]
    assert [g.error is not None for g in games] == [False, False, False, True, False]
    assert shared.calls[:2] == [10, 10]
    assert other.calls[0] == 5
    assert len(games[3].state.texts) == 1
    assert "RuntimeError: no" in (games[3].error or "")
    assert games[0].state.texts[0][2] == "Final answer: A at 1.0"
    # 3 seats x 3 rounds.
    assert (games[0].spent.generations, games[0].spent.prompt_tokens) == (9, 90)


def test_batches_change_nothing() -> None:
    policies = seat_policies("scripted:random", RULES, ())
    whole = [g.state for g in play_panels(jobs(), policies, slots=8)]
    assert whole == [g.state for g in play_panels(jobs(), policies, slots=1)]
    assert len({state.letters for state in whole}) > 1


def test_arms_share_round_0() -> None:
    policies = seat_policies("scripted:random", RULES, ())
    (first,) = play_panels(jobs()[:1], policies)
    private = PanelRules(rounds=2, private=True)
    job = PanelJob(QUESTIONS[0], private, question_seed(0, QUESTIONS[0]), first.state)
    (second,) = play_panels([job], policies)
    assert second.state.texts[0] == first.state.texts[0]
    assert second.state.rules.private
    # Round 0 was paid for once.
    assert (first.spent.generations, second.spent.generations) == (9, 6)
    with pytest.raises(ValueError, match="cannot start from"):
        list(play_panels([PanelJob(QUESTIONS[1], private, 0, first.state)], policies))


def test_seats_share_weights_and_not_temperatures() -> None:
    first = Panelist()
    warmer = at_temperature(first, 1.0)
    assert (first.temperature, warmer.temperature) == (0.5, 1.0)  # type: ignore[attr-defined]
    assert warmer.calls is first.calls  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="one temperature for each of 3 seats"):
        seat_policies("smollm2-135m", RULES, (0.5, 1.0))
    with pytest.raises(ValueError, match="no policy for the seats"):
        list(play_panels(jobs(), {"panelist_0": first}))
