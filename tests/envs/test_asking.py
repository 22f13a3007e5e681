from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from debate_gym.envs import load_protocol, load_task, observe, start
from debate_gym.envs.asking import PartlyFailed, ask, rule
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.scripted import scripted_judge

STATES = [
    start(question, load_protocol("debate"), id=str(i))
    for i, question in enumerate(load_task("evidence", "train", 5))
]
SEEN = [observe(state, "debater_0") for state in STATES]


class Seat:
    """Does to a batch whatever it is told to."""

    name, revision = "seat", ""

    def __init__(self, do: Callable[[Any], Any]) -> None:
        self.do = do
        self.calls: list[int] = []

    def act(self, observations: Sequence[Observation]) -> Any:
        self.calls.append(len(observations))
        return self.do(observations)

    def judge(self, states: Any) -> Any:
        return self.do(states)


def test_a_sound_batch_is_one_call() -> None:
    seat = Seat(lambda batch: [Utterance(o.episode) for o in batch])
    assert ask(seat, SEEN, "s") == [Utterance(str(i)) for i in range(5)]
    assert seat.calls == [5]
    assert ask(seat, [], "s") == []
    assert seat.calls == [5], "an empty batch is no call"


def test_only_what_fails_alone_too_fails() -> None:
    def do(batch: Any) -> Any:
        if any(o.episode == "3" for o in batch):
            raise RuntimeError("three")
        return [Utterance(o.episode) for o in batch]

    results = ask(Seat(do), SEEN, "s")
    assert [isinstance(r, Exception) for r in results] == [False, False, False, True, False]
    assert [r for r in results if isinstance(r, Utterance)] == [Utterance(x) for x in "0124"]


def test_a_seat_that_tells_what_failed_is_asked_once() -> None:
    def do(batch: Any) -> Any:
        told = [Utterance(o.episode) for o in batch[:3]]
        raise PartlyFailed(seat, [*told, RuntimeError("four"), "words"])

    seat = Seat(do)
    *said, fourth, fifth = ask(seat, SEEN, "s")
    assert said == [Utterance(x) for x in "012"]
    assert str(fourth) == "four"
    assert "must give an Utterance" in str(fifth)
    assert seat.calls == [5]


def test_what_a_wrapped_seat_tells_is_not_the_wrappers_own() -> None:
    def inner(batch: Any) -> Any:
        if len(batch) > 1:
            raise PartlyFailed(wrapped, [Utterance("raw") for _ in batch])
        return [Utterance(o.episode) for o in batch]

    wrapped = Seat(inner)
    wrapper = Seat(lambda batch: [Utterance(f"better {u.text}") for u in wrapped.act(batch)])
    assert [u.text for u in ask(wrapper, SEEN, "s") if isinstance(u, Utterance)] == [
        f"better {i}" for i in range(5)
    ]


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda batch: [], "gave 0 results for a batch of 1"),
        (lambda batch: ["words"] * len(batch), "must give an Utterance"),
        (lambda batch: [None] * len(batch), "must give an Utterance"),
    ],
)
def test_replies_that_are_none_are_failures(do: Any, message: str) -> None:
    results = ask(Seat(do), SEEN[:2], "policy 'p'")
    assert len(results) == 2
    for result in results:
        with pytest.raises((RuntimeError, TypeError), match=message):
            raise result  # type: ignore[misc]


@pytest.mark.parametrize("ruling", [(), ("1",), (None,)])
def test_rulings_that_are_none_are_failures(ruling: Any) -> None:
    (result,) = rule(Seat(lambda batch: [ruling] * len(batch)), STATES[:1])
    with pytest.raises(TypeError, match="judge 'seat' must give at least one Verdict"):
        raise result  # type: ignore[misc]


def test_a_list_of_verdicts_is_a_ruling() -> None:
    gold = scripted_judge("gold")
    seat = Seat(lambda batch: [list(ruling) for ruling in gold.judge(batch)])
    assert rule(seat, STATES) == gold.judge(STATES)


def test_being_interrupted_is_no_failure_of_a_seat() -> None:
    def do(batch: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(Seat(do), SEEN, "s")
