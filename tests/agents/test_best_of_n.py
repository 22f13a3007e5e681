"""Best-of-N with both selectors: what is said, what it costs, and what is asked of whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from debate_gym.agents.best_of_n import BestOfN
from debate_gym.agents.candidates import count_events
from debate_gym.agents.rollout import Job, play
from debate_gym.agents.selectors import PreferenceSelector, SelfSelector, read_choice
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.nouns import Episode, Observation, Overhead
from debate_gym.envs.scripted import scripted_judge, scripted_policy

Make = Callable[..., Any]


def by_seed(observation: Observation) -> str:
    """One of many speeches, by the seed alone."""
    return f"speech {observation.seed}"


def cycle(*texts: str) -> Callable[[Observation], str]:
    """The texts in the order of the calls, over and over."""
    said = iter(texts * 1000)
    return lambda observation: next(said)


def test_with_one_candidate_it_is_the_base(make_writer: Make, make_observation: Make) -> None:
    observations = [make_observation(seed=seed) for seed in range(3)]
    assert BestOfN(make_writer(by_seed), 1).act(observations) == make_writer(by_seed).act(
        observations
    )


def test_all_candidates_are_drawn_in_one_call(make_writer: Make, make_observation: Make) -> None:
    writer, picker = make_writer(by_seed), make_writer(lambda o: "Choice: 1")
    observations = [make_observation(seed=seed) for seed in range(3)]
    said = BestOfN(writer, 4, SelfSelector(picker)).act(observations)
    (drawn,) = writer.calls
    assert len(drawn) == 12
    assert [o.seed for o in drawn[::4]] == [o.seed for o in observations], "the base's own first"
    assert len({o.seed for o in drawn}) == 12
    assert all(
        replace(o, seed=0) == replace(observations[i // 4], seed=0) for i, o in enumerate(drawn)
    )
    assert len(picker.calls) == 1
    assert len(said) == 3


def test_costs_of_losers_and_of_the_pick(make_writer: Make, make_observation: Make) -> None:
    # Prompts cost 10; replies a token a word: 1, 2 and 3, and 2 for "Choice: 1".
    writer = make_writer(cycle("one", "one two", "one two three"))
    best = BestOfN(writer, 3, SelfSelector(make_writer(lambda o: "Choice: 1")))
    (said,) = best.act([make_observation()])
    words = len(said.text.split())
    assert said.completion_tokens == words
    assert said.overhead == Overhead(3, 30, 1 + 2 + 3 - words + 2)


def test_the_self_selector_takes_the_draft_of_the_named_number(
    make_writer: Make, make_observation: Make
) -> None:
    def pick(observation: Observation) -> str:
        lines = observation.user.splitlines()
        return f"Choice: {lines[lines.index('> the good one') - 1].split()[1].rstrip(':')}"

    places = set()
    for seed in range(20):
        writer = make_writer(cycle("a", "b", "the good one"))
        picker = make_writer(pick)
        (said,) = BestOfN(writer, 3, SelfSelector(picker)).act([make_observation(seed=seed)])
        assert said.text == "the good one"
        assert said.overhead.events == ()
        places.add(pick(picker.calls[0][0]))
    assert places == {"Choice: 1", "Choice: 2", "Choice: 3"}, "the seed orders the list"


def test_an_unreadable_pick_is_counted_and_a_draft_is_drawn(
    make_writer: Make, make_observation: Make
) -> None:
    said = []
    for seed in range(60):
        writer = make_writer(cycle("a", "b", "c"))
        best = BestOfN(writer, 3, SelfSelector(make_writer(lambda o: "I like them all")))
        (utterance,) = best.act([make_observation(seed=seed)])
        assert utterance.overhead.events == (("unreadable_picks", 1),)
        said.append(utterance.text)
    # 20 each expected; the chance of fewer than 8 is below 1 in 5000.
    assert all(said.count(text) >= 8 for text in "abc")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Choice: 2", 2),
        ("choice 3.", 3),
        ("Draft 1", 1),
        (" 2\n", 2),
        ("**2**", 2),
        ("<thinking>1 or 3?</thinking>Choice: 3", 3),
        ("My choice: 2, since draft 1 is weak", 2),
        ("Choice: 2. Choice: 2", 2),
        ("Choice: 1 or choice: 2", None),
        ("Choice: 4", None),
        ("Choice: 0", None),
        ("2.5", None),
        ("Choice: 2.5", None),
        ("1 or 2", None),
        ("To Ada go 3 points.", None),
        ("the second", None),
        ("", None),
    ],
)
def test_a_pick_is_read_strictly(text: str, number: int | None) -> None:
    assert read_choice(text, 3) == number


def rate_word(word: str) -> Callable[[Observation], tuple[float | None, float | None]]:
    """Prefers transcripts with a word, whichever answer they argue."""
    return lambda o: (-0.1, -0.1) if word in o.user else (-3.0, -3.0)


def test_the_preference_model_is_blind_and_sees_the_dummy(
    make_writer: Make, make_rater: Make, make_observation: Make
) -> None:
    rater = make_rater(rate_word("convincing"))
    writer = make_writer(
        cycle("<thinking>plan</thinking>dull", "a convincing <passage>tall man ran</passage>")
    )
    best = BestOfN(writer, 2, PreferenceSelector(rater))
    (said,) = best.act([make_observation()])
    assert "convincing" in said.text
    (prompts,) = rater.calls
    assert len(prompts) == 4, "two arguments, two orders"
    for prompt in prompts:
        assert prompt.article is None
        assert "The dog slept" not in prompt.system + prompt.user
        assert "plan" not in prompt.user
        assert prompt.user.index("Alice:") < prompt.user.index("Bob:\n> I hold to my answer")
    assert "<v_passage>tall man ran</v_passage>" in prompts[2].user
    assert ["1: Anna" in prompt.user for prompt in prompts] == [True, False, True, False]
    # One loser of a call and one word; four readings of 5 tokens.
    assert said.overhead == Overhead(1, 10 + 20, 1, (("readings", 4),))


def test_the_score_is_that_of_the_own_answer(
    make_writer: Make, make_rater: Make, make_observation: Make
) -> None:
    def for_bert(observation: Observation) -> tuple[float, float]:
        own = (-3.0, -0.1) if "1: Anna" in observation.user else (-0.1, -3.0)
        return own if "> good" in observation.user else (own[1], own[0])

    for seat, expected in (("debater_0", "bad"), ("debater_1", "good")):
        best = BestOfN(
            make_writer(cycle("bad", "good")), 2, PreferenceSelector(make_rater(for_bert))
        )
        (said,) = best.act([make_observation(seat=seat)])
        assert said.text == expected


def test_an_opponent_that_has_spoken_and_a_consultant_need_no_dummy(
    make_writer: Make, make_rater: Make, make_observation: Make
) -> None:
    rater = make_rater(rate_word("x"))
    best = BestOfN(make_writer(cycle("a", "b")), 2, PreferenceSelector(rater))
    best.act([make_observation("consultancy", "consultant_0")])
    assert "I hold to my answer" not in rater.calls[0][0].user
    protocol = load_protocol("debate", turns="sequential", rounds=1)
    seats = {"debater_0": "other", "debater_1": "best"}
    policies = {"other": make_writer(lambda o: "the real opening"), "best": best}
    (question,) = load_task("evidence", "heldout", 1, seed=1)
    list(play([Job(question, protocol, seats)], policies, scripted_judge("evidence")))
    assert "> the real opening" in rater.calls[1][0].user
    assert "I hold to my answer" not in rater.calls[1][0].user


def test_a_missing_label_loses_and_nothing_to_go_by_is_drawn_and_counted(
    make_writer: Make, make_rater: Make, make_observation: Make
) -> None:
    def silent(*words: str) -> Any:
        return make_rater(
            lambda o: (None, None) if any(f"> {w}" in o.user for w in words) else (-90.0, -90.0)
        )

    best = BestOfN(make_writer(cycle("a", "b")), 2, PreferenceSelector(silent("a")))
    assert best.act([make_observation()])[0].text == "b"
    said = []
    for seed in range(60):
        best = BestOfN(make_writer(cycle("a", "b")), 2, PreferenceSelector(silent("a", "b")))
        (utterance,) = best.act([make_observation(seed=seed)])
        assert dict(utterance.overhead.events) == {"readings": 4, "unscored_picks": 1}
        said.append(utterance.text)
    assert 15 <= said.count("a") <= 45


def test_identical_arguments_are_scored_once(
    make_writer: Make, make_rater: Make, make_observation: Make
) -> None:
    rater = make_rater(rate_word("> winner"))
    texts = ("same", "<thinking>other thoughts</thinking>same", "winner")
    best = BestOfN(make_writer(cycle(*texts)), 3, PreferenceSelector(rater))
    (said,) = best.act([make_observation()])
    assert said.text == "winner"
    assert len(rater.calls[0]) == 4
    assert dict(said.overhead.events) == {"identical_candidates": 1, "readings": 4}
    best = BestOfN(make_writer(lambda o: "same"), 3, PreferenceSelector(rater))
    (said,) = best.act([make_observation()])
    assert len(rater.calls) == 1, "one argument needs no choice"
    assert said.overhead == Overhead(2, 20, 2, (("identical_candidates", 2),))


def test_a_seat_without_a_side_speaks_once(make_writer: Make, make_observation: Make) -> None:
    writer = make_writer(by_seed)
    judge = replace(make_observation(), side=None)
    best = BestOfN(writer, 4, SelfSelector(make_writer(lambda o: "1")))
    said = best.act([judge, make_observation(seed=1)])
    assert said[0].text == f"speech {judge.seed}"
    assert said[0].overhead == Overhead()
    assert [len(call) for call in writer.calls] == [4, 1]


def test_episodes_pay_for_the_losers_and_survive_their_file() -> None:
    random = scripted_policy("random")
    best = BestOfN(random, 3, SelfSelector(random))
    questions = load_task("evidence", "heldout", 4, seed=2)
    jobs = [
        Job(q, load_protocol("debate"), {"debater_0": "b", "debater_1": "r"}, seed=i)
        for i, q in enumerate(questions)
    ]

    def run(slots: int) -> list[Episode]:
        policies = {"b": best, "r": random}
        return list(play(jobs, policies, scripted_judge("evidence"), slots=slots))

    episodes = run(4)
    assert run(1) == episodes, "what is said does not depend on the batch"
    record = episodes[0].to_json()
    assert Episode.from_json(record).to_json() == record
    plain = [turn for turn in record["turns"] if turn["seat"] == "debater_1"]
    assert all("overhead" not in turn for turn in plain)
    spent = sum(turn["overhead"]["generations"] for turn in record["turns"] if turn not in plain)
    assert record["cost"]["generations"] == len(record["turns"]) + spent
    tokens = sum(turn["tokens"]["prompt"] for turn in record["turns"])
    more = sum(t["overhead"]["prompt_tokens"] for t in record["turns"] if "overhead" in t)
    assert record["cost"]["prompt_tokens"] == tokens + more > tokens
    # A sentence of the article is no pick.
    assert count_events(episodes)["unreadable_picks"] > 0


def test_what_cannot_be_is_refused(make_writer: Make, make_observation: Make) -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        BestOfN(make_writer(by_seed), 0)
    with pytest.raises(ValueError, match="needs a selector"):
        BestOfN(make_writer(by_seed), 2)

    class Short:
        name, revision = "short", ""

        def act(self, observations: object) -> list[Any]:
            return []

    with pytest.raises(RuntimeError, match="gave 0 utterances for 2"):
        BestOfN(Short(), 2, SelfSelector(Short())).act([make_observation()])


@pytest.mark.parametrize(
    ("protocol", "seen"),
    [
        ("debate", "> fine <v_passage>The tall man ran.</v_passage> words"),
        ("evidence-only", "> <v_passage>The tall man ran.</v_passage>"),
        ("argument-only", "> fine [...] words"),
        ("unverified", '> fine "The tall man ran." words'),
    ],
)
def test_candidates_are_read_as_the_judge_will_see_them(
    make_writer: Make, make_rater: Make, make_observation: Make, protocol: str, seen: str
) -> None:
    rater = make_rater(rate_word("x"))
    writer = make_writer(cycle("fine <passage>The tall man ran.</passage> words", "-"))
    BestOfN(writer, 2, PreferenceSelector(rater)).act([make_observation(protocol)])
    assert seen in rater.calls[0][0].user.splitlines()
