"""The judge on a server: chances where they are told, no verdict where they are not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from debate_gym.agents.rollout import Job, play
from debate_gym.agents.server.client import ChatClient
from debate_gym.agents.server.judge import ServerJudge
from debate_gym.agents.server.readings import ServerScorer
from debate_gym.agents.specs import make_judge
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.game import observe, start
from debate_gym.envs.nouns import JUDGE_0, Outcome, Overhead, Verdict
from debate_gym.envs.scripted import scripted_policy
from debate_gym.envs.verdict import average_orders
from tests.agents.server.conftest import FaultServer, completion

Make = Callable[..., ChatClient]
STATES = [
    start(question, load_protocol("direct-qa"))
    for question in load_task("evidence", "heldout", 3, seed=5)
]


def token(text: str, chances: Mapping[str, float]) -> dict[str, Any]:
    top = [{"token": t, "logprob": math.log(p)} for t, p in chances.items()]
    return {"token": text, "logprob": -0.1, "top_logprobs": top}


def reply(*tokens: dict[str, Any]) -> dict[str, Any]:
    text = "".join(each["token"] for each in tokens)
    return completion(text, logprobs={"content": list(tokens)})


ANSWER = token("Answer", {"Answer": 0.9, "1": 0.1})
COLON = token(":", {":": 1.0})
ONE = token(" 1", {" 1": 0.5, "1": 0.1, " 2": 0.15, " the": 0.2})


def verdicts(server: FaultServer, make_client: Make, answer: Any) -> tuple[Verdict, ...]:
    server.behave = lambda number, body: answer
    return ServerJudge(make_client(cached=False), "j").judge(STATES[:1])[0]


def test_a_verdict_is_the_share_of_the_labels(server: FaultServer, make_client: Make) -> None:
    first, second = verdicts(server, make_client, reply(ANSWER, COLON, ONE))
    assert (first.order, second.order) == ((0, 1), (1, 0))
    assert first.p == pytest.approx((0.8, 0.2))
    assert second.p == pytest.approx((0.2, 0.8)), "the label is of the answer shown first"
    assert first.label_mass == pytest.approx(0.75)
    assert first.reasoning == "Answer: 1"
    body = server.bodies[0]
    assert (body["logprobs"], body["top_logprobs"], body["temperature"]) == (True, 20, 0)
    seen = observe(STATES[0], JUDGE_0, (0, 1))
    sent = [message for each in server.bodies for message in each["messages"]]
    assert {"role": "user", "content": seen.user} in sent, "the orders are asked for at once"


@pytest.mark.parametrize(
    "tokens",
    [
        (token("1", {"1": 0.6, "2": 0.2}),),
        (token("**", {"**": 1.0}), ANSWER, COLON, token("**", {"**": 1.0}), ONE),
        (ANSWER, COLON, token(" ", {" ": 1.0}), token("1", {"1": 0.6, "2": 0.2}), COLON),
    ],
)
def test_ways_to_name_a_label(server: FaultServer, make_client: Make, tokens: Any) -> None:
    verdict = verdicts(server, make_client, reply(*tokens))[0]
    assert verdict.p is not None
    assert verdict.choice == 0


@pytest.mark.parametrize(
    "answer",
    [
        completion("Answer: 1"),  # the server gives no chances
        completion("Answer: 1", logprobs=None),
        completion("Answer: 1", logprobs={"content": None}),
        completion("Answer: 1", logprobs={"content": []}),
        reply(token("I", {"I": 1.0}), token(" pass", {" pass": 1.0})),
        reply(ANSWER, COLON, token(" neither", {" neither": 0.9, " 1": 0.1})),
        reply(token("1", {"1": 0.6, "2": 0.2}), token(". First", {". First": 1.0})),
        # 2 may be as likely as the least likely listed: too much is open.
        reply(ANSWER, COLON, token(" 1", {" 1": 0.5, " the": 0.2})),
        reply(ANSWER, COLON, {"token": " 1", "logprob": -9999.0, "top_logprobs": []}),
    ],
)
def test_what_cannot_be_read_is_never_guessed(
    server: FaultServer, make_client: Make, answer: Any
) -> None:
    for verdict in verdicts(server, make_client, answer):
        assert (verdict.outcome, verdict.p) == (Outcome.UNREADABLE, None)


def test_a_label_too_unlikely_to_be_listed_counts_nothing(
    server: FaultServer, make_client: Make
) -> None:
    sure = token(" 1", {" 1": 0.99, " the": 0.005})
    verdict = verdicts(server, make_client, reply(ANSWER, COLON, sure))[0]
    assert verdict.p == (1.0, 0.0)
    assert verdict.label_mass == pytest.approx(0.99)
    whole = token(" 2", {" 2": 1.0})
    verdict = verdicts(server, make_client, reply(ANSWER, COLON, whole))[0]
    assert verdict.p == (0.0, 1.0)


@pytest.mark.parametrize("spec", ["logprob", "cot", "stated"])
@pytest.mark.parametrize("knows", [False, True])
def test_positions_and_labels(server: FaultServer, spec: str, knows: bool) -> None:
    """A served model that always names what is shown first ties; one that knows is right."""
    asked = {frozenset(s.question.answers): s.question for s in STATES}
    assert len(asked) == len(STATES)

    def behave(number: int, body: Any) -> Any:
        text = body["messages"][-1]["content"]
        shown = re.findall(r"\b1: (\w+)\b\W+(?:Answer )?2: (\w+)\b", text)[-1]
        question = asked[frozenset(shown)]
        one = not knows or shown[0] == question.answers[question.correct]
        if "Probability" in text:
            return completion(f"Probability: {80 if one else 20}")
        chances = {" 1": 0.8, " 2": 0.1} if one else {" 2": 0.8, " 1": 0.1}
        return reply(ANSWER, COLON, token(next(iter(chances)), chances))

    server.behave = behave
    judge = make_judge(f"{spec}(openai:m@{server.url})")
    for ruling, state in zip(judge.judge(STATES), STATES, strict=True):
        verdict = average_orders(ruling, state.question.correct)
        assert verdict.outcome is (Outcome.CORRECT if knows else Outcome.TIE)
        assert verdict.spent == Overhead(2, 20, 6)


def test_a_failed_call_fails_that_game_alone(server: FaultServer, make_client: Make) -> None:
    wanted = STATES[1].question.question

    def behave(number: int, body: Any) -> Any:
        bad = wanted in str(body["messages"])
        return (422, {}, "unsupported: top_logprobs") if bad else reply(ANSWER, COLON, ONE)

    server.behave = behave
    judge = ServerJudge(make_client(cached=False), "j")
    jobs = [Job(s.question, s.protocol, {}, seed=0) for s in STATES]
    episodes = list(play(jobs, {"p": scripted_policy("silent")}, judge))
    assert [e.verdicts[0].outcome is Outcome.FAILED for e in episodes] == [False, True, False]
    assert "unsupported: top_logprobs" in str(episodes[1].error)
    assert len(server.bodies) == 6


def test_a_scorer_gives_logarithms(server: FaultServer, make_client: Make) -> None:
    server.behave = lambda number, body: reply(ANSWER, COLON, token(" Y", {" Y": 0.6}))
    prompts = [observe(state, JUDGE_0) for state in STATES[:1]]
    (reading,) = ServerScorer(make_client(), "s").log_probabilities(prompts, "Answer:", ("Y", "N"))
    assert reading.log_probabilities == (pytest.approx(math.log(0.6)), None)
    assert reading.prompt_tokens == 10
    server.behave = lambda number, body: (400, {}, "no")
    with pytest.raises(PartlyFailed, match="1 of 1 failed"):
        ServerScorer(make_client(cached=False), "s").log_probabilities(prompts, "A:", ("Y", "N"))


def test_the_spec(server: FaultServer) -> None:
    judge = make_judge(f"logprob:openai:m@{server.url}", orders="first")
    assert isinstance(judge, ServerJudge)
    assert judge.name == f"logprob:openai:m@{server.url}"
    assert judge.orders == ((0, 1),)
    with pytest.raises(ValueError, match="judges as 'logprob:openai:m@http://h/v1'"):
        make_judge("openai:m@http://h/v1")
    with pytest.raises(ValueError, match="orders must be"):
        make_judge(f"logprob:openai:m@{server.url}", orders="second")
