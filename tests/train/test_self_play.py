from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.agents.models import load_tokenizer
from debate_gym.envs import State, Verdict, load_protocol, load_task, make_verdict
from debate_gym.envs.scripted import scripted_judge, scripted_policy
from debate_gym.train.rollout_metrics import rollout_sums
from debate_gym.train.self_play import RecordingPolicy, Rollout, SelfPlay, baselines

QUESTIONS = load_task("evidence", "train", 8, seed=0)
DEBATE = load_protocol("debate", rounds=2)


class SideJudge:
    """Gives answers[0] a probability that tells episodes apart."""

    name = "side"

    def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
        return [(self._decide(state),) for state in states]

    def _decide(self, state: State) -> Verdict:
        p = 0.5 + int(state.id.partition(":")[0]) / 20
        return make_verdict(self.name, (0, 1), (p, 1 - p), state.question)


class BrokenJudge(SideJudge):
    def _decide(self, state: State) -> Verdict:
        if state.id.startswith("1:"):
            raise RuntimeError("no verdict today")
        return super()._decide(state)


@pytest.fixture(scope="module")
def tokenizer(toy: Path) -> Any:
    return load_tokenizer(str(toy))


def learner(tokenizer: Any, text: str = "<passage>To Ben go 3") -> RecordingPolicy:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id, 7, 7]
    return RecordingPolicy(
        tokenizer, lambda prompts: [list(ids) for _ in prompts], {tokenizer.eos_token_id}, 400
    )


def play(tokenizer: Any, seed: int = 0, number: int = 8, **changes: Any) -> Rollout:
    fields = {"protocol": DEBATE, "judge": SideJudge(), "opponent": None, "reward": "probability"}
    game = SelfPlay(**{**fields, "shuffle": False, **changes})  # type: ignore[arg-type]
    return game.collect(QUESTIONS[:number], learner(tokenizer), np.random.default_rng(seed))


def test_rows_stand_by_episode_seat_and_round(tokenizer: Any) -> None:
    rollout = play(tokenizer, number=2)
    assert [row.seat for row in rollout.rows] == [0, 0, 1, 1] * 2
    assert [row.last for row in rollout.rows] == [False, True] * 4
    assert rollout.chains == [[0, 1], [2, 3], [4, 5], [6, 7]]
    # A second round has read the first one.
    assert len(rollout.rows[1].prompt) > len(rollout.rows[0].prompt)


def test_a_completion_ends_with_its_end_token(tokenizer: Any) -> None:
    row = play(tokenizer, number=1).rows[0]
    assert row.completion[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(row.completion[:-1]) == "<passage>To Ben go 3"


def test_the_two_seats_are_paid_opposite_amounts(tokenizer: Any) -> None:
    rewards = [row.reward for row in play(tokenizer).rows]
    for episode in range(8):
        first, second = rewards[4 * episode], rewards[4 * episode + 2]
        assert first == -second == pytest.approx(episode / 10)


def test_an_episode_that_fails_pays_nothing_and_keeps_its_rows(tokenizer: Any) -> None:
    rollout = play(tokenizer, judge=BrokenJudge(), number=3)
    assert len(rollout.rows) == 12
    assert all(not row.completion and row.reward == 0 for row in rollout.rows[4:8])
    assert all(row.completion for row in rollout.rows[:4] + rollout.rows[8:])
    sums = rollout_sums(rollout)
    assert sums["outcome/failed"] == (1, 3)
    assert sums["judge/accuracy"][1] == 2


def test_a_prompt_beyond_the_context_fails_its_episode(tokenizer: Any) -> None:
    short = learner(tokenizer)
    short._context = 10
    game = SelfPlay(DEBATE, SideJudge(), None, "win", False)
    rollout = game.collect(QUESTIONS[:2], short, np.random.default_rng(0))
    assert "max_article_words" in (rollout.episodes[0].error or "")


def test_shuffled_rewards_are_the_same_ones_on_other_episodes(tokenizer: Any) -> None:
    plain = [row.reward for row in play(tokenizer).rows]
    mixed = [row.reward for row in play(tokenizer, shuffle=True).rows]
    again = [row.reward for row in play(tokenizer, shuffle=True).rows]
    other = [row.reward for row in play(tokenizer, shuffle=True, seed=1).rows]
    assert mixed != plain
    assert mixed == again
    assert mixed != other
    assert sorted(mixed) == pytest.approx(sorted(plain))
    assert all(mixed[i] == -mixed[i + 2] for i in range(0, len(mixed), 4))


def test_against_an_opponent_one_seat_an_episode_learns(tokenizer: Any) -> None:
    rollout = play(tokenizer, opponent=scripted_policy("random"))
    seats = [row.seat for row in rollout.rows]
    assert len(rollout.rows) == 16
    assert seats[::2] == seats[1::2]
    assert set(seats) == {0, 1}
    for number, episode in enumerate(rollout.episodes):
        learning = DEBATE.seats[seats[2 * number]]
        assert [s for s, record in episode.seats.items() if record.model == "learner"] == [learning]


def test_a_consultant_argues_both_answers_equally_often(tokenizer: Any) -> None:
    rollout = play(tokenizer, protocol=load_protocol("consultancy", rounds=2))
    sides = [episode.seats["consultant_0"].answer for episode in rollout.episodes]
    assert sides == [0, 1] * 4
    assert len(rollout.rows) == 16


@pytest.mark.parametrize("name", ["interactive-debate", "double-consultancy", "evidence-only"])
def test_other_protocols_of_two_seats_are_learnt_like_a_debate(tokenizer: Any, name: str) -> None:
    protocol = load_protocol(name, rounds=2)
    rollout = play(tokenizer, number=4, protocol=protocol)
    assert len(rollout.rows) == 4 * 2 * 2
    assert all(row.prompt and row.completion for row in rollout.rows)
    assert sum(row.reward for row in rollout.rows) == pytest.approx(0)
    sums = rollout_sums(rollout)
    assert {key for key in sums if "win_rate" in key} == {f"{s}/win_rate" for s in protocol.seats}
    assert sums["passages/per_turn"] == (16, 16)


def test_the_accuracy_of_a_rollout_counts_ties_as_half(tokenizer: Any) -> None:
    # Nothing is quoted in full, so the evidence judge ties everywhere.
    sums = rollout_sums(play(tokenizer, judge=scripted_judge("evidence")))
    assert sums["judge/accuracy"] == (4.0, 8)
    assert sums["debater_0/win_rate"] == (4.0, 8)
    assert sums["outcome/tie"] == (8, 8)
    assert (
        sum(sums[f"outcome/{o}"][0] for o in ("correct", "incorrect", "unreadable", "failed")) == 0
    )


def test_an_episode_is_measured_against_the_others_of_its_question(tokenizer: Any) -> None:
    # Rewards of debater_0 are 0, .1, .2, .3 (SideJudge); the first three share a question.
    game = SelfPlay(DEBATE, SideJudge(), None, "probability", False)
    questions = [QUESTIONS[0]] * 3 + [QUESTIONS[1]]
    rollout = game.collect(questions, learner(tokenizer), np.random.default_rng(0))
    first, second = rollout.rows[::4], rollout.rows[2::4]
    assert [row.baseline for row in first] == pytest.approx([0.15, 0.1, 0.05, 0.0])
    assert [row.baseline for row in second] == pytest.approx([-0.15, -0.1, -0.05, 0.0])


def test_an_episode_without_a_verdict_has_no_baseline_and_is_in_none(tokenizer: Any) -> None:
    # Episode 1 of the question failed: of 0 and .2, each is measured against the other.
    game = SelfPlay(DEBATE, BrokenJudge(), None, "probability", False)
    rollout = game.collect([QUESTIONS[0]] * 3, learner(tokenizer), np.random.default_rng(0))
    assert [row.baseline for row in rollout.rows[::4]] == pytest.approx([0.2, 0.0, 0.0])


def test_a_consultant_is_measured_against_the_same_side(tokenizer: Any) -> None:
    game = SelfPlay(load_protocol("consultancy"), SideJudge(), None, "probability", False)
    rollout = game.collect([QUESTIONS[0]] * 4, learner(tokenizer), np.random.default_rng(0))
    pay = [{"consultant_0": reward} for reward in (1.0, 2.0, 3.0, 4.0)]
    expected = [row["consultant_0"] for row in baselines(rollout.episodes, pay)]
    assert expected == [3.0, 4.0, 1.0, 2.0]
