"""The vector face plays the games of the single one, and asks the other seats in batches."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from debate_gym.envs import load_task
from debate_gym.envs.nouns import Utterance
from debate_gym.envs.scripted import scripted_policy

DEBATE = "debate_gym/Debate-v0"


def native(num_envs: int, name: str = DEBATE, **settings: Any) -> Any:
    return gym.make_vec(
        name, num_envs=num_envs, vectorization_mode="vector_entry_point", **settings
    )


class Fragile:
    """A policy that breaks on some of the games."""

    name, revision = "fragile", ""

    def act(self, observations: Any) -> Any:
        if any(observation.seed % 3 == 0 for observation in observations):
            raise RuntimeError("out of words")
        return scripted_policy("random").act(observations)


class Counting:
    name, revision = "counting", ""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def act(self, observations: Any) -> Any:
        self.calls.append(len(observations))
        return [Utterance("") for _ in observations]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (DEBATE, {}),
        (DEBATE, {"seat": "debater_1", "turns": "sequential", "rounds": 3}),
        (DEBATE, {"opponent": Fragile(), "reward": "probability"}),
        (DEBATE, {"opponent": Fragile(), "seat": "debater_1", "turns": "sequential"}),
        ("debate_gym/Consultancy-v0", {"reward": "margin"}),
        ("debate_gym/InteractiveDebate-v0", {"asker": Fragile(), "turns": "sequential"}),
        ("debate_gym/OpenDebate-v0", {}),
        ("debate_gym/OpenDebate-v0", {"seat": "debater_1", "opponent": "scripted:best"}),
        ("debate_gym/OpenConsultancy-v0", {}),
    ],
)
def test_it_plays_the_games_of_single_environments(name: str, settings: dict[str, Any]) -> None:
    """Sync mode wraps single environments; it is what Gymnasium means by autoreset."""
    count, outcomes = 6, set()
    one = native(count, name, **settings)
    other = gym.make_vec(name, num_envs=count, vectorization_mode="sync", **settings)
    assert one.metadata["autoreset_mode"] == other.metadata["autoreset_mode"]
    shown, infos = one.reset(seed=3)
    expected, expected_infos = other.reset(seed=3)
    for _ in range(12):
        assert shown == expected
        assert shown in one.observation_space
        assert infos.keys() == expected_infos.keys()
        for key, values in expected_infos.items():
            np.testing.assert_array_equal(infos[key], values)
        outcomes |= set(infos.get("outcome", ()))
        said = tuple(f"<passage>{text.splitlines()[1]}</passage>" for text in shown["user"])
        shown, *numbers, infos = one.step(said)
        expected, *expected_numbers, expected_infos = other.step(said)
        for got, wanted in zip(numbers, expected_numbers, strict=True):
            np.testing.assert_array_equal(got, wanted)
            assert got.dtype == wanted.dtype
    if Fragile in map(type, settings.values()):
        assert "failed" in outcomes
        assert outcomes & {"correct", "incorrect", "tie"}, "the others went on"


def test_an_ended_game_is_dealt_again_whatever_is_said_to_it() -> None:
    env = native(2, rounds=1)
    env.reset(seed=0)
    assert env.step(("", ""))[2].all()
    _, rewards, ended, _, infos = env.step((3, None))
    assert not rewards.any()
    assert not ended.any()
    assert list(infos["round"]) == [0, 0]


def test_it_calls_the_opponent_once_a_step() -> None:
    opponent = Counting()
    env = native(5, opponent=opponent)
    env.reset(seed=0)
    env.step([""] * 5)
    assert opponent.calls == [5]


def test_games_that_broke_before_the_first_turn_end_with_the_first_step() -> None:
    class Recovering(Counting):
        sound = False

        def act(self, observations: Any) -> Any:
            if not self.sound:
                raise RuntimeError("not yet")
            return super().act(observations)

    opponent = Recovering()
    env = native(2, opponent=opponent, seat="debater_1", turns="sequential")
    env.reset(seed=0)
    opponent.sound = True
    _, rewards, ended, _, infos = env.step(("", ""))
    assert ended.all()
    assert not rewards.any()
    assert list(infos["outcome"]) == ["failed"] * 2
    env.step(("", ""))
    assert not env.step(("", ""))[2].any()


def test_it_calls_a_judge_once_for_all_that_end() -> None:
    calls: list[int] = []

    class Judge:
        name = "counting"

        def judge(self, states: Any) -> Any:
            calls.append(len(states))
            raise RuntimeError("no verdict")

    env = native(3, judge=Judge(), rounds=1)
    env.reset(seed=0)
    infos = env.step([""] * 3)[4]
    assert calls == [3, 1, 1, 1], "together, and then one by one"
    assert list(infos["outcome"]) == ["failed"] * 3


def test_a_refused_action_changes_nothing() -> None:
    env = native(2, rounds=1)
    env.reset(seed=0)
    env.step(("", ""))
    env.step(("", ""))
    with pytest.raises(ValueError, match="an action is a string"):
        env.step(("", 3))
    with pytest.raises(ValueError, match="expected 2 actions, got 1"):
        env.step(("",))
    assert env.step(("", ""))[2].all()


def test_options_hold_for_the_games_that_they_open() -> None:
    question = load_task("evidence", "heldout", 1)[0]
    env = native(2, rounds=1)
    _, infos = env.reset(seed=0, options={"question": question})
    assert list(infos["question_id"]) == [question.id] * 2
    env.step(("", ""))
    assert question.id not in env.step(("", ""))[4]["question_id"]


def test_seeds_may_be_given_one_a_game() -> None:
    env = native(3)
    first = env.reset(seed=[5, 6, 5])[0]["user"]
    assert first[0] == first[2] != first[1]
    assert env.reset(seed=5)[0]["user"][:2] == first[:2]
    with pytest.raises(ValueError, match="expected 3 seeds, got 2"):
        env.reset(seed=[1, 2])


def test_it_can_be_read() -> None:
    env = native(2, render_mode="ansi")
    env.reset(seed=0)
    env.step(("mine", "mine"))
    assert all("Alice:\n> mine" in text for text in env.render())


def test_async_mode() -> None:
    env = gym.make_vec(
        DEBATE, num_envs=2, vectorization_mode="async", vector_kwargs={"shared_memory": False}
    )
    observations, _ = env.reset(seed=0)
    assert observations == native(2).reset(seed=0)[0]
    env.step(("", ""))
    env.close()


def test_direct_qa_in_a_vector() -> None:
    env = gym.make_vec("debate_gym/DirectQA-v0", num_envs=3)
    env.reset(seed=0)
    _, rewards, ended, _, infos = env.step(np.array([0, 1, 0]))
    assert ended.all()
    np.testing.assert_array_equal(rewards, np.where(infos["correct"] == [0, 1, 0], 1.0, -1.0))
