"""Judges that write: what they are asked, how votes are read and pooled, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from debate_gym.agents.judges.generated import FORMS, GeneratedJudge
from debate_gym.agents.judges.shots import Case, Shots
from debate_gym.agents.rollout import Job, play
from debate_gym.envs import advance, load_protocol
from debate_gym.envs.asking import PartlyFailed
from debate_gym.envs.game import State, due, observe, start
from debate_gym.envs.nouns import JUDGE_0, Observation, Outcome, Overhead, Question, Utterance
from debate_gym.envs.render import STYLES
from debate_gym.envs.scripted import scripted_policy
from debate_gym.envs.verdict import average_orders, order_dependent

QUESTIONS = [Question(f"q{i}", "t", f"Who did {i}?", ("Anna", "Bert"), 0) for i in range(3)]


def played(question: Question = QUESTIONS[0], protocol: str = "debate", **options: Any) -> State:
    state = start(question, load_protocol(protocol, **options))
    while seats := due(state):
        state = advance(state, {seat: Utterance(f"{seat} speaks.") for seat in seats})
    return state


class Scribe:
    """Writes the same replies again and again, one a prompt, and remembers the prompts."""

    name, revision = "scribe", ""

    def __init__(self, *replies: str, finish: Any = "stop") -> None:
        self.replies, self.finish = replies, finish
        self.seen: list[Observation] = []

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        said = []
        for observation in observations:
            text = self.replies[len(self.seen) % len(self.replies)]
            self.seen.append(observation)
            said.append(Utterance(text, 10, len(text.split()), self.finish))
        return said


@pytest.mark.parametrize(
    ("form", "reply", "first"),
    [
        ("generated", "Answer: 1", 1.0),
        ("generated", "Answer: 2", 0.0),
        ("cot", "Alice quotes the source.\nAnswer: 1", 1.0),
        ("stated", "Probability: 70", 0.7),
        ("stated-cot", "Bob is vague.\nProbability: 85%", 0.85),
    ],
)
def test_a_verdict_of_each_order(form: str, reply: str, first: float) -> None:
    one, two = GeneratedJudge(Scribe(reply), "j", form).judge([played()])[0]
    assert (one.order, two.order) == ((0, 1), (1, 0))
    assert one.p == pytest.approx((first, 1 - first))
    assert two.p == pytest.approx((1 - first, first)), "the reply is about the answer shown first"
    assert (one.reasoning, one.judge, one.label_mass) == (reply, "j", None)
    assert one.outcome is (Outcome.CORRECT if first > 0.5 else Outcome.INCORRECT)
    assert one.spent == Overhead(1, 10, len(reply.split()))


def test_one_order_alone() -> None:
    scribe = Scribe("Answer: 2")
    (verdict,) = GeneratedJudge(scribe, "j", "cot", orders="first").judge([played()])[0]
    assert (verdict.order, verdict.choice, len(scribe.seen)) == ((0, 1), 1, 1)


@pytest.mark.parametrize("reply", ["", "I cannot say.", "Answer: 1 or 2", "Answer: 3", "Probably"])
@pytest.mark.parametrize("form", sorted(FORMS))
def test_what_cannot_be_read_is_unreadable(form: str, reply: str) -> None:
    for verdict in GeneratedJudge(Scribe(reply), "j", form).judge([played()])[0]:
        assert (verdict.outcome, verdict.p, verdict.choice) == (Outcome.UNREADABLE, None, None)
        assert verdict.reasoning == reply
        assert verdict.spent.events == (("unreadable_votes", 1),)


def test_a_reply_that_was_cut_off_is_not_read() -> None:
    judge = GeneratedJudge(Scribe("Answer: 1", finish="length"), "j", "generated")
    for verdict in judge.judge([played()])[0]:
        assert verdict.outcome is Outcome.UNREADABLE
        assert verdict.spent.events == (("cut_replies", 1), ("unreadable_votes", 1))


def test_votes_are_counted_in_each_order() -> None:
    # Three votes for each order: 1, 1, 2 and then 2, 2, nothing.
    judge = GeneratedJudge(
        Scribe("Answer: 1", "Answer: 1", "Answer: 2", "Answer: 2", "Answer: 2", "?"), "j", votes=3
    )
    one, two = judge.judge([played()])[0]
    assert one.p == pytest.approx((2 / 3, 1 / 3))
    assert two.p == (1.0, 0.0), "both readable votes are for the answer shown second"
    assert one.reasoning == "[vote 1]\nAnswer: 1\n[vote 2]\nAnswer: 1\n[vote 3]\nAnswer: 2"
    assert one.spent == Overhead(3, 30, 6)
    assert two.spent == Overhead(3, 30, 5, (("unreadable_votes", 1),))
    assert average_orders((one, two), 0).outcome is Outcome.CORRECT


def test_as_many_votes_for_each_answer_are_a_tie() -> None:
    judge = GeneratedJudge(Scribe("Answer: 1", "Answer: 2"), "j", votes=4, orders="first")
    (verdict,) = judge.judge([played()])[0]
    assert (verdict.outcome, verdict.p, verdict.choice) == (Outcome.TIE, (0.5, 0.5), None)


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        (None, (0.9 + 0.4 + 0.35) / 3),
        ("majority", 1 / 3),
        ("weighted", 0.9 / (0.9 + 0.6 + 0.65)),
        ("confident", 0.9),
    ],
)
def test_stated_probabilities_are_pooled_by_a_rule(rule: str | None, first: float) -> None:
    scribe = Scribe("Probability: 90", "Probability: 40", "Probability: 35")
    judge = GeneratedJudge(scribe, "j", "stated", votes=3, rule=rule)
    one, two = judge.judge([played()])[0]
    assert one.p == pytest.approx((first, 1 - first))
    assert two.p == pytest.approx((1 - first, first))


def test_every_vote_has_its_own_seed_and_nothing_else() -> None:
    scribe = Scribe("Answer: 1")
    judge = GeneratedJudge(scribe, "j", votes=3)
    judge.judge([played()])
    assert len({seen.seed for seen in scribe.seen}) == 6
    assert len({seen.user for seen in scribe.seen}) == 2, "one prompt for each order"
    before = [seen.seed for seen in scribe.seen]
    scribe.seen.clear()
    judge.judge([played(QUESTIONS[1]), played()])
    assert [seen.seed for seen in scribe.seen[6:]] == before, "whatever else is in the batch"


@pytest.mark.parametrize("protocol", ["debate", "consultancy", "direct-qa", "interactive-debate"])
@pytest.mark.parametrize("prompts", ["standard", "brief"])
def test_what_is_asked_for_stands_last(protocol: str, prompts: str) -> None:
    rounds = None if protocol == "direct-qa" else 2
    state = played(protocol=protocol, prompts=prompts, rounds=rounds)
    own = observe(state, JUDGE_0, (1, 0))
    ends = {
        "cot": '"Answer: 1" or "Answer: 2".',
        "stated": "(it is surely answer 1).",
        "stated-cot": "(it is surely answer 1).",
    }
    for form, end in ends.items():
        scribe = Scribe("Answer: 1")
        GeneratedJudge(scribe, "j", form).judge([state])
        asked = scribe.seen[1]
        assert "The two answers are:\n1: Bert\n2: Anna\n" in asked.user
        assert asked.user.endswith(end)
        assert "$" not in asked.user
        assert asked.system == own.system
        head = asked.user.partition("The two answers are:")[0]
        assert own.user.startswith(head), "all before the request is the game's own"
    scribe = Scribe("Answer: 1")
    GeneratedJudge(scribe, "j", "generated").judge([state])
    assert scribe.seen[1].user == own.user


def test_the_requests_have_no_style_of_their_own() -> None:
    from debate_gym.envs.render import FOLDER

    names = {path.stem for path in (FOLDER / "judges").glob("*.md")}
    assert names == {"cot", "stated", "stated_cot", "examples", "example"}
    assert not any(name.endswith(style) for name in names for style in STYLES)


def test_solved_cases_come_first() -> None:
    shots = Shots([Case(Question(f"s{i}", "t", f"Why {i}?", ("a", "b"), 1)) for i in range(3)], 2)
    scribe = Scribe("Answer: 1")
    GeneratedJudge(scribe, "j", "cot", shots=shots).judge([played()])
    for seen in scribe.seen:
        assert seen.user.startswith(shots.show(played()))
        assert seen.user.count("Example ") == 2


def test_a_game_that_fails_fails_alone(make_writer: Callable[..., Any]) -> None:
    def reply(observation: Observation) -> str:
        if "Who did 1?" in observation.user:
            raise RuntimeError("no answer")
        return "Answer: 1"

    judge = GeneratedJudge(make_writer(reply), "j", votes=2)
    with pytest.raises(PartlyFailed, match="1 of 3 failed: no answer"):
        judge.judge([played(question) for question in QUESTIONS])
    protocol = load_protocol("direct-qa")
    jobs = [Job(question, protocol, {}) for question in QUESTIONS]
    episodes = list(play(jobs, {"p": scripted_policy("silent")}, judge))
    assert [e.verdicts[0].outcome is Outcome.FAILED for e in episodes] == [False, True, False]
    assert "RuntimeError: no answer" in str(episodes[1].error)
    assert episodes[0].to_json()["cost"] == {
        "generations": 4,
        "prompt_tokens": 40,
        "completion_tokens": 8,
    }


def test_order_dependence_is_seen_in_what_is_recorded() -> None:
    always_first, always_anna = Scribe("Answer: 1"), Scribe("Answer: 1", "Answer: 2")
    assert order_dependent(GeneratedJudge(always_first, "j").judge([played()])[0])
    assert not order_dependent(GeneratedJudge(always_anna, "j").judge([played()])[0])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"form": "coot"}, "unknown form of a judge 'coot'.*did you mean 'cot'"),
        ({"votes": 0}, "votes must be at least 1, got 0"),
        ({"rule": "men"}, "unknown rule 'men'"),
        ({"orders": "second"}, "orders must be 'both' or 'first'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        GeneratedJudge(Scribe("x"), "j", **options)


def test_equal_votes_are_refused() -> None:
    scribe: Any = Scribe("Answer: 1")
    scribe.temperature = 0
    GeneratedJudge(scribe, "j", votes=1)
    with pytest.raises(ValueError, match="3 votes at temperature 0 would all be the same"):
        GeneratedJudge(scribe, "j", votes=3)
