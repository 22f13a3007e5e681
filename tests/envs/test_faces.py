"""What every face owes: the checkers of Gymnasium and PettingZoo, and the same game underneath."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from debate_gym.envs import consultancy_v0, debate_v0, load_task
from debate_gym.envs.scripted import scripted_judge, scripted_policy

IDS = ["debate_gym/Debate-v0", "debate_gym/Consultancy-v0", "debate_gym/DirectQA-v0"]


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_checker_finds_nothing(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("module", [debate_v0, consultancy_v0])
@pytest.mark.parametrize("turns", ["simultaneous", "sequential"])
def test_aec_api(module: Any, turns: str) -> None:
    api_test(module.env(turns=turns), num_cycles=50)
    seed_test(lambda: module.env(turns=turns), num_cycles=20)


@pytest.mark.parametrize("module", [debate_v0, consultancy_v0])
def test_parallel_api(module: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(module.parallel_env(), num_cycles=50)
    parallel_seed_test(module.parallel_env, num_cycles=20)


def test_parallel_env_refuses_sequential_turns() -> None:
    with pytest.raises(ValueError, match=r"use env\(\)"):
        debate_v0.parallel_env(turns="sequential")


def _quote(observation: dict[str, str], name: str) -> str:
    line = next(
        (x for x in observation["user"].splitlines() if f" {name} " in x and x[:3] == "To "), ""
    )
    return f"<passage>{line}</passage>"


def test_the_best_side_wins_against_silence() -> None:
    env = gym.make("debate_gym/Debate-v0", opponent="scripted:silent", seat="debater_1")
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        own = observation["user"].split("You argue for ")[1].split(".")[0]
        done, total = False, 0.0
        while not done:
            assert "correct" not in info
            observation, reward, done, _, info = env.step(_quote(observation, own))
            total += float(reward)
        assert total in (0.0, 1.0)
        assert total == (1.0 if info["verified"] else 0.0)


def test_vector_env_plays_the_same_games_as_single_ones() -> None:
    count = 4
    vector = gym.make_vec(IDS[0], num_envs=count, vectorization_mode="vector_entry_point")
    singles = [gym.make(IDS[0]) for _ in range(count)]
    batch, _ = vector.reset(seed=3)
    shown = [env.reset(seed=3 + i)[0] for i, env in enumerate(singles)]
    assert list(batch["user"]) == [observation["user"] for observation in shown]
    for _ in range(2):
        actions = [_quote(observation, "nobody") for observation in shown]
        batch, rewards, ended, _, infos = vector.step(actions)
        results = [env.step(action) for env, action in zip(singles, actions, strict=True)]
        shown = [result[0] for result in results]
        assert list(batch["user"]) == [observation["user"] for observation in shown]
        np.testing.assert_array_equal(rewards, [result[1] for result in results])
        np.testing.assert_array_equal(ended, [result[2] for result in results])
    assert ended.all()
    assert list(infos["outcome"]) == [result[4]["outcome"] for result in results]
    batch, rewards, ended, _, _ = vector.step([""] * count)
    assert not ended.any()
    assert not rewards.any()


def test_vector_env_calls_the_opponent_once_a_step() -> None:
    calls: list[int] = []

    class Counting:
        name, revision = "counting", ""

        def act(self, observations: Any) -> Any:
            calls.append(len(observations))
            return scripted_policy("random").act(observations)

    env = gym.make_vec(
        IDS[0], num_envs=5, vectorization_mode="vector_entry_point", opponent=Counting()
    )
    env.reset(seed=0)
    env.step([""] * 5)
    assert calls == [5]


class _Broken:
    name, revision = "broken", ""

    def act(self, observations: Any) -> Any:
        raise RuntimeError("no answer")

    def judge(self, states: Any) -> Any:
        raise RuntimeError("no verdict")


@pytest.mark.parametrize("part", ["opponent", "judge"])
def test_a_broken_seat_ends_the_game_as_failed(part: str) -> None:
    env = gym.make(IDS[0], **{part: _Broken()})
    env.reset(seed=0)
    ended, reward, info = False, 1.0, {}
    while not ended:
        _, reward, ended, _, info = env.step("")
    assert (info["outcome"], reward) == ("failed", 0.0)


def test_simultaneous_seats_do_not_see_each_other_in_a_round() -> None:
    env = debate_v0.env()
    env.reset(seed=0)
    env.step("first words of Alice")
    assert "first words" not in env.observe("debater_1")["user"]
    env.step("")
    assert "first words" in env.observe("debater_1")["user"]


def test_sequential_seats_do() -> None:
    env = debate_v0.env(turns="sequential")
    env.reset(seed=0)
    env.step("first words of Alice")
    assert "first words" in env.observe("debater_1")["user"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "boolk"}, "did you mean 'boolq'"),
        ({"judge": "evidense"}, "did you mean 'evidence'"),
        ({"opponent": "scripted:bets"}, "did you mean 'best'"),
        ({"reward": "wins"}, "did you mean 'win'"),
        ({"seat": "debater_2"}, "debater_0"),
        ({"rounds": 0}, "at least 1 round"),
        ({"turns": "serial"}, "simultaneous"),
    ],
)
def test_wrong_arguments_say_what_is_right(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gym.make(IDS[0], **arguments)


def test_an_action_that_is_no_text_is_refused() -> None:
    env = gym.make(IDS[0]).unwrapped
    env.reset(seed=0)
    with pytest.raises(ValueError, match="an action is a string"):
        env.step(3)


def test_a_question_can_be_chosen_and_direct_qa_pays_for_the_truth() -> None:
    question = load_task("evidence", "heldout", 1, seed=9)[0]
    env = gym.make(IDS[2], expert=True)
    observation, _ = env.reset(seed=0, options={"question": question})
    assert str(question.article) in observation["user"]
    assert env.step(question.correct)[1] == 1.0
    env.reset(seed=0, options={"question": question})
    assert env.step(1 - question.correct)[1] == -1.0


def test_environments_survive_pickling() -> None:
    env = gym.make(IDS[0], judge=scripted_judge("evidence")).unwrapped
    env.reset(seed=0)
    copy = pickle.loads(pickle.dumps(env))
    assert copy.step("")[0] == env.step("")[0]


def test_async_vector_env() -> None:
    env = gym.make_vec(
        IDS[0],
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"shared_memory": False},
    )
    observations, _ = env.reset(seed=0)
    assert len(observations["user"]) == 2
    env.step(("", ""))
    env.close()
