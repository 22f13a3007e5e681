"""What every face owes: the checkers of Gymnasium and PettingZoo, and the same game underneath."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from debate_gym.agents.rollout import Job, play
from debate_gym.envs import consultancy_v0, debate_v0, load_protocol, load_task
from debate_gym.envs.nouns import Utterance
from debate_gym.envs.scripted import JUDGES, scripted_judge

IDS = ["debate_gym/Debate-v0", "debate_gym/Consultancy-v0", "debate_gym/DirectQA-v0"]
INTERACTIVE = "debate_gym/InteractiveDebate-v0"
OPEN = "debate_gym/OpenDebate-v0"
OPEN_CONSULTANCY = "debate_gym/OpenConsultancy-v0"
SETTINGS: list[dict[str, Any]] = [
    {"turns": "simultaneous"},
    {"turns": "sequential"},
    {"judge_asks": True, "rounds": 3},
]


@pytest.mark.parametrize("name", [*IDS, INTERACTIVE, OPEN, OPEN_CONSULTANCY])
def test_gymnasium_checker_finds_nothing(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("name", [INTERACTIVE, OPEN])
def test_the_second_seat_passes_the_checker_too(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name, seat="debater_1").unwrapped)


@pytest.mark.parametrize("module", [debate_v0, consultancy_v0])
@pytest.mark.parametrize("settings", [*SETTINGS, {"chooser": "first"}])
def test_aec_api(module: Any, settings: dict[str, Any]) -> None:
    first = "debater_0" if module is debate_v0 else "consultant_0"
    given = settings | ({"chooser": first} if "chooser" in settings else {})
    api_test(module.env(**given), num_cycles=50)
    seed_test(lambda: module.env(**given), num_cycles=20)


@pytest.mark.parametrize("module", [debate_v0, consultancy_v0])
@pytest.mark.parametrize("settings", [SETTINGS[0], SETTINGS[2]])
def test_parallel_api(module: Any, settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(module.parallel_env(**settings), num_cycles=50)
    parallel_seed_test(lambda: module.parallel_env(**settings), num_cycles=20)


@pytest.mark.parametrize("settings", [{"turns": "sequential"}, {"chooser": "debater_0"}])
def test_parallel_env_refuses_what_is_not_at_once(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"use env\(\)"):
        debate_v0.parallel_env(**settings)


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


class Script:
    """Says its lines, one a round."""

    name, revision = "script", ""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def act(self, observations: Any) -> Any:
        return [Utterance(self.lines[observation.round]) for observation in observations]


class _Broken:
    name, revision = "broken", ""

    def act(self, observations: Any) -> Any:
        raise RuntimeError("no answer")

    def judge(self, states: Any) -> Any:
        raise RuntimeError("no verdict")


class Recovering(_Broken):
    sound = False

    def act(self, observations: Any) -> Any:
        return [Utterance("") for _ in observations] if self.sound else super().act(observations)


@pytest.mark.parametrize("part", ["opponent", "judge"])
def test_a_broken_seat_ends_the_game_as_failed(part: str) -> None:
    env = gym.make(IDS[0], **{part: _Broken()})
    env.reset(seed=0)
    ended, reward, info = False, 1.0, {}
    while not ended:
        _, reward, ended, _, info = env.step("")
    assert (info["outcome"], reward) == ("failed", 0.0)


def test_a_game_that_broke_before_the_first_turn_ends_with_the_first_step() -> None:
    opponent = Recovering()
    env = gym.make(IDS[0], opponent=opponent, seat="debater_1", turns="sequential")
    env.reset(seed=0)
    opponent.sound = True
    _, reward, ended, _, info = env.step("")
    assert (ended, info["outcome"], reward) == (True, "failed", 0.0)
    env.reset(seed=0)
    assert not env.step("")[2]


@pytest.mark.parametrize("face", ["env", "parallel_env"])
def test_a_broken_judge_pays_nobody(face: str) -> None:
    env = getattr(debate_v0, face)(judge=_Broken(), rounds=1)
    env.reset(seed=0)
    if face == "env":
        env.step("")
        env.step("")
        rewards, infos = env.rewards, env.infos
    else:
        _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, ""))
    assert rewards == {"debater_0": 0.0, "debater_1": 0.0}
    assert {info["outcome"] for info in infos.values()} == {"failed"}


@pytest.mark.parametrize("name", IDS)
def test_an_ended_game_takes_no_step_and_pays_once(name: str) -> None:
    direct = name == IDS[2]
    env = gym.make(name, **({} if direct else {"opponent": _Broken()})).unwrapped
    action: Any = 0 if direct else ""
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(action)
    env.reset(seed=0)
    while not env.step(action)[2]:
        pass
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(action)


@pytest.mark.parametrize("seat", ["debater_0", "debater_1"])
@pytest.mark.parametrize("turns", ["simultaneous", "sequential"])
def test_every_seat_and_order_of_turns_passes_the_checker(seat: str, turns: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(IDS[0], seat=seat, turns=turns).unwrapped)


def test_infos_are_plain_and_tell_the_answer_only_at_the_end() -> None:
    env = gym.make(IDS[0], rounds=3)
    infos = [env.reset(seed=0)[1]] + [env.step("")[4] for _ in range(3)]
    for info in infos:
        assert json.loads(json.dumps(info)) == info
    for info in infos[:-1]:
        assert not info.keys() & {"correct", "outcome", "p"}
    assert [info["round"] for info in infos] == [0, 1, 2, 3]
    question = {q.id: q for q in load_task("evidence", "train")}[infos[-1]["question_id"]]
    assert infos[-1]["correct"] == question.correct
    assert infos[-1]["outcome"] in {"correct", "incorrect", "tie"}


def test_a_game_can_be_read() -> None:
    env = gym.make(IDS[0], render_mode="ansi")
    env.reset(seed=0)
    env.step("<thinking>my plan</thinking>my words")
    text = env.render()
    assert isinstance(text, str)
    assert "Alice:\n> my words" in text
    assert "Bob:\n> <v_passage>" in text
    assert "my plan" not in text


def test_all_faces_and_the_rollout_loop_play_the_same_game() -> None:
    question = load_task("evidence", "heldout", 1, seed=4)[0]
    words = [f"<passage>{line}</passage>" for line in str(question.article).splitlines()[:4]]
    single = gym.make(IDS[0], opponent=Script(words[2:]), reward="probability")
    single.reset(seed=0, options={"question": question})
    single.step(words[0])
    last, reward, *_, info = single.step(words[1])
    parallel = debate_v0.parallel_env(reward="probability")
    parallel.reset(seed=0, options={"question": question})
    for i in range(2):
        seen, rewards, *_, infos = parallel.step({"debater_0": words[i], "debater_1": words[2 + i]})
    aec = debate_v0.env(reward="probability")
    aec.reset(seed=0, options={"question": question})
    for i in (0, 2, 1, 3):
        aec.step(words[i])
    policies = {"a": Script(words[:2]), "b": Script(words[2:])}
    job = Job(question, load_protocol("debate"), {"debater_0": "a", "debater_1": "b"})
    (episode,) = play([job], policies, scripted_judge("evidence"))
    assert last == seen["debater_0"] == aec.observe("debater_0")
    assert reward == rewards["debater_0"] == aec.rewards["debater_0"] != 0
    assert info["p"] == infos["debater_1"]["p"] == aec.infos["debater_1"]["p"]
    assert info["p"] == list(episode.verdicts[0].p or ())


def test_every_seat_is_an_agent_where_all_are() -> None:
    for build in (debate_v0.env, debate_v0.raw_env, debate_v0.parallel_env):
        with pytest.raises(ValueError, match="every seat is an agent"):
            build(opponent="scripted:best")
        assert set(build().observation_space("debater_0").keys()) == {"system", "user"}


def test_the_judges_questions_are_read_by_all() -> None:
    lines = ["Where was he?", "Who saw it?"]
    single = gym.make(INTERACTIVE, asker=Script(lines))
    single.reset(seed=0)
    seen, *_ = single.step("")
    assert "Judge:\n> Where was he?" in seen["user"]
    seen, *_ = single.step("")
    assert "Judge:\n> Who saw it?" in seen["user"]
    env = debate_v0.env(judge_asks=True, asker=Script(lines), turns="sequential")
    env.reset(seed=0)
    for said in ("one", "two"):
        assert "Where was he?" not in env.observe("debater_1")["user"], "nobody has spoken"
        env.step(said)
    assert env.agent_selection == "debater_0"
    for seat in ("debater_0", "debater_1"):
        assert "Judge:\n> Where was he?" in env.observe(seat)["user"]


@pytest.mark.parametrize("face", ["env", "parallel_env"])
def test_a_judge_who_breaks_while_asking_ends_the_game_as_failed(face: str) -> None:
    env = getattr(debate_v0, face)(judge_asks=True, asker=_Broken())
    env.reset(seed=0)
    if face == "env":
        env.step("")
        env.step("")
        infos, ended = env.infos, env.terminations
    else:
        _, _, ended, _, infos = env.step(dict.fromkeys(env.agents, ""))
    assert {info["outcome"] for info in infos.values()} == {"failed"}
    assert all(ended.values())


def test_the_learner_chooses_its_side_first() -> None:
    env = gym.make(OPEN_CONSULTANCY, judge="gold")
    seen, info = env.reset(seed=0)
    assert (info["round"], info["side"]) == (-1, -1)
    assert "You argue for" not in seen["user"]
    seen, reward, ended, _, info = env.step("Answer: 2")
    assert (info["round"], info["side"], reward, ended) == (0, 1, 0.0, False)
    assert "You argue for" in seen["user"]
    env.step("")
    _, reward, ended, _, info = env.step("")
    assert ended
    assert reward == (1.0 if info["correct"] == 1 else -1.0)


@pytest.mark.parametrize("said", ["", "I take the second", "Answer: 1 or Answer: 2"])
def test_a_choice_that_cannot_be_read_ends_the_game_as_failed(said: str) -> None:
    env = gym.make(OPEN)
    env.reset(seed=0)
    _, reward, ended, _, info = env.step(said)
    assert (ended, reward, info["outcome"]) == (True, 0.0, "failed")
    env.reset(seed=0)
    assert not env.step("Answer: 1")[2]


def test_an_opponent_that_chooses_unreadably_fails_the_game_with_the_first_step() -> None:
    env = gym.make(OPEN, seat="debater_1", opponent="scripted:best")
    _, info = env.reset(seed=0)
    assert info["round"] == 0
    assert info["side"] in (0, 1)
    env = gym.make(OPEN, seat="debater_1", opponent=Script([""] * 3))
    env.reset(seed=0)
    _, reward, ended, _, info = env.step("")
    assert (ended, reward, info["outcome"]) == (True, 0.0, "failed")


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
        ({"opponent": "hf:some/model"}, "passed as an object"),
        ({"judge": "logprob:some/model"}, "passed as an object"),
        ({"opponent": None}, r"a `name` and `act\(\)`, got None"),
        ({"judge": 3}, r"a `name` and `judge\(\)`, got 3"),
        ({"questions": []}, "pool of questions is empty"),
        ({"reward": "wins"}, "did you mean 'win'"),
        ({"seat": "debater_2"}, "debater_0"),
        ({"rounds": 0}, "at least 1 round"),
        ({"turns": "serial"}, "simultaneous"),
        ({"asker": "scripted:asking"}, "asker means nothing here"),
        ({"judge_asks": True, "asker": 3}, r"asker must be .*got 3"),
        ({"judge_asks": True, "rounds": 1}, "at least 2 rounds"),
    ],
)
def test_wrong_arguments_say_what_is_right(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gym.make(IDS[0], **arguments)


@pytest.mark.parametrize("setting", ["judge", "opponent", "turns"])
def test_direct_qa_refuses_what_it_would_ignore(setting: str) -> None:
    with pytest.raises(ValueError, match=f"{setting} means nothing here"):
        gym.make(IDS[2], **{setting: "gold"})


def test_an_action_that_is_no_text_is_refused() -> None:
    env = gym.make(IDS[0]).unwrapped
    env.reset(seed=0)
    with pytest.raises(ValueError, match="an action is a string"):
        env.step(3)


def test_direct_qa_has_one_seat_and_two_answers() -> None:
    env = gym.make(IDS[2], seat="judge_0").unwrapped
    observation, _ = env.reset(seed=0)
    assert "Record:" not in observation["user"]
    with pytest.raises(ValueError, match="0 or 1, got 2"):
        env.step(2)
    with pytest.raises(ValueError, match="only seat is 'judge_0'"):
        gym.make(IDS[2], seat="debater_0")


def test_a_question_can_be_chosen_and_direct_qa_pays_for_the_truth() -> None:
    question = load_task("evidence", "heldout", 1, seed=9)[0]
    env = gym.make(IDS[2], expert=True)
    observation, _ = env.reset(seed=0, options={"question": question})
    assert str(question.article) in observation["user"]
    assert env.step(question.correct)[1] == 1.0
    env.reset(seed=0, options={"question": question})
    assert env.step(1 - question.correct)[1] == -1.0


@pytest.mark.parametrize("judge", sorted(JUDGES))
def test_environments_survive_pickling(judge: str) -> None:
    env = gym.make(IDS[0], judge=judge).unwrapped
    env.reset(seed=0)
    copy = pickle.loads(pickle.dumps(env))
    assert copy.step("")[0] == env.step("")[0]
