"""Debates whose speakers are on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from debate_gym.agents.rollout import Job, play
from debate_gym.agents.server.address import Address
from debate_gym.agents.server.client import ChatClient
from debate_gym.agents.server.policy import ServerPolicy, limit_field
from debate_gym.agents.specs import make_policy
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import observe, start
from debate_gym.envs.nouns import Episode, Outcome, Utterance
from debate_gym.envs.scripted import scripted_judge
from tests.agents.server.conftest import FaultServer, completion

DEBATE = load_protocol("debate")
QUESTIONS = load_task("evidence", "heldout", 4, seed=5)
SEEN = [observe(start(q, DEBATE, seed=i), "debater_0") for i, q in enumerate(QUESTIONS)]
Make = Callable[..., ChatClient]


def debates(policy: ServerPolicy) -> list[Episode]:
    seats = {"debater_0": "p", "debater_1": "p"}
    jobs = [Job(q, DEBATE, seats, seed=i) for i, q in enumerate(QUESTIONS)]
    return list(play(jobs, {"p": policy}, scripted_judge("gold")))


def test_a_debate_is_played(server: FaultServer, make_client: Make) -> None:
    policy = ServerPolicy(make_client(), "openai:m", temperature=0.5, top_p=0.9, max_new_tokens=7)
    episodes = debates(policy)
    assert [e.error for e in episodes] == [None] * 4
    turn = episodes[0].turns[0]
    assert (turn.argument, turn.prompt_tokens, turn.completion_tokens) == ("because", 10, 3)
    sent = server.bodies[0]
    assert {k: sent[k] for k in ("model", "temperature", "top_p", "max_tokens")} == {
        "model": "m",
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 7,
    }
    assert len({body["seed"] for body in server.bodies}) == len(server.bodies) == 16
    assert all(0 <= body["seed"] < 2**31 for body in server.bodies)
    again = debates(ServerPolicy(make_client(), "openai:m", temperature=0.5, top_p=0.9,
                                 max_new_tokens=7))  # fmt: skip
    assert again == episodes
    assert len(server.bodies) == 16, "nothing is paid twice"


def test_a_failed_call_is_one_failed_episode_and_no_seat_is_asked_twice(
    server: FaultServer, make_client: Make
) -> None:
    wanted = QUESTIONS[2].question

    def behave(number: int, body: Any) -> Any:
        return (400, {}, "too long") if wanted in str(body["messages"]) else completion()

    server.behave = behave
    episodes = debates(ServerPolicy(make_client(cached=False), "openai:m"))
    assert [e.error is None for e in episodes] == [True, True, False, True]
    assert "(p): ServerError: m at http" in str(episodes[2].error)
    assert episodes[2].verdicts[0].outcome is Outcome.FAILED
    assert len(server.bodies) == 3 * 4 + 2


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({}, Utterance("a", 10, 3, "stop")),
        ({"finish_reason": "length"}, Utterance("a", 10, 3, "length")),
        ({"finish_reason": None}, Utterance("a", 10, 3, "stop")),
        ({"message": {"content": None, "reasoning_content": "x"}}, Utterance("", 10, 3, "stop")),
    ],
)
def test_what_an_answer_becomes(
    server: FaultServer, make_client: Make, choice: dict[str, Any], said: Utterance
) -> None:
    server.behave = lambda number, body: completion("a", **choice)
    assert ServerPolicy(make_client(), "m").act(SEEN[:1]) == [said]


def test_a_filtered_answer_is_a_failure(server: FaultServer, make_client: Make) -> None:
    server.behave = lambda number, body: completion("", finish_reason="content_filter")
    episodes = debates(ServerPolicy(make_client(), "m"))
    assert all("content filter" in str(e.error) for e in episodes)
    assert len(server.bodies) == 8


def test_without_a_seed_draws_still_differ(server: FaultServer, make_client: Make) -> None:
    server.behave = lambda number, body: completion(str(number))
    policy = ServerPolicy(make_client(), "m", send_seed=False)
    first, second = (observe(start(QUESTIONS[0], DEBATE, seed=i), "debater_0") for i in (0, 1))
    one, two = policy.act([first, second])
    assert one.text != two.text
    assert policy.act([first]) == [one]
    assert "seed" not in server.bodies[0]


def test_openai_has_a_name_of_its_own_for_the_limit(make_client: Make) -> None:
    assert limit_field(Address("m", "https://api.openai.com/v1")) == "max_completion_tokens"
    assert limit_field(Address("m", "http://localhost/v1")) == "max_tokens"
    policy = ServerPolicy(make_client(), "m", limit_name="max_output", max_new_tokens=9)
    assert policy.options == {"max_output": 9}


@pytest.mark.parametrize("options", [{"temperature": -1}, {"top_p": 0}, {"max_new_tokens": 0}])
def test_numbers_out_of_range(make_client: Make, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        ServerPolicy(make_client(), "m", **options)


def test_the_spec_makes_no_request(server: FaultServer) -> None:
    policy = make_policy(f"openai:m@{server.url}", temperature=0.0, max_new_tokens=5)
    assert isinstance(policy, ServerPolicy)
    assert policy.name == f"openai:m@{server.url}"
    assert policy.client.cache is not None
    assert server.bodies == []
    with pytest.raises(ValueError, match="expected openai:MODEL@URL"):
        make_policy("openai:m")
