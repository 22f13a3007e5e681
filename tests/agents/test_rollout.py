from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from debate_gym.agents.rollout import Job, play
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Episode, Observation, Outcome, Utterance, Verdict
from debate_gym.envs.protocol import protocol_names
from debate_gym.envs.scripted import FixedJudge, scripted_judge, scripted_policy
from debate_gym.envs.verdict import average_orders
from debate_gym.eval.metrics import accuracy, outcome_counts

DEBATE = load_protocol("debate")
QUESTIONS = load_task("evidence", "heldout", 400, seed=1)


def debates(first: str, second: str, n: int = 400, judge: str = "evidence") -> list[Episode]:
    jobs = [
        Job(question, DEBATE, {"debater_0": first, "debater_1": second}, seed=i)
        for i, question in enumerate(QUESTIONS[:n])
    ]
    policies = {name: scripted_policy(name) for name in {first, second}}
    return list(play(jobs, policies, scripted_judge(judge)))


def test_the_game_has_the_line_that_training_is_to_climb() -> None:
    low, high = (accuracy(debates(name, name)).value for name in ("random", "best"))
    assert 0.62 < low < 0.76
    assert high > 0.92
    assert high - low > 0.2


def test_a_best_consultant_misleads_the_judge_when_its_side_is_wrong() -> None:
    protocol = load_protocol("consultancy")
    for name, low, high in (("random", 0.5, 0.8), ("best", 0.0, 0.15)):
        jobs = [
            Job(q, protocol, {"consultant_0": name}, {"consultant_0": 1 - q.correct}, seed=i)
            for i, q in enumerate(QUESTIONS)
        ]
        episodes = list(play(jobs, {name: scripted_policy(name)}, scripted_judge("evidence")))
        assert low <= accuracy(episodes).value <= high


@pytest.mark.parametrize(("judge", "value"), [("gold", 1.0), ("mirrored", 0.0), ("first", 0.5)])
def test_judges_of_known_accuracy(judge: str, value: float) -> None:
    assert accuracy(debates("random", "random", 50, judge)).value == value


def test_equal_speeches_are_a_tie() -> None:
    counts = outcome_counts(debates("silent", "silent", 20))
    assert counts[Outcome.TIE] == 20


def test_relabelling_the_answers_changes_no_aggregate() -> None:
    def flipped(flip: bool) -> list[Outcome]:
        outcomes = []
        for i, q in enumerate(QUESTIONS[:100]):
            answers = (q.answers[1], q.answers[0]) if flip else q.answers
            question = replace(q, answers=answers, correct=q.correct ^ flip)
            sides = {"debater_0": int(flip), "debater_1": 1 - flip}
            seats = {"debater_0": "best", "debater_1": "random"}
            policies = {name: scripted_policy(name) for name in ("best", "random")}
            jobs = [Job(question, DEBATE, seats, sides, seed=i)]
            (episode,) = play(jobs, policies, scripted_judge("evidence"))
            outcomes.append(average_orders(episode.verdicts, question.correct).outcome)
        return outcomes

    assert flipped(False) == flipped(True)


def test_results_do_not_depend_on_slots_and_keep_their_order() -> None:
    def run(slots: int) -> list[Episode]:
        jobs = [
            Job(q, DEBATE, {"debater_0": "r", "debater_1": "r"}, seed=i)
            for i, q in enumerate(QUESTIONS[:23])
        ]
        policies = {"r": scripted_policy("random")}
        return list(play(jobs, policies, scripted_judge("evidence"), slots=slots))

    assert run(1) == run(7) == run(64)
    assert [episode.question.id for episode in run(5)] == [q.id for q in QUESTIONS[:23]]


class Fragile:
    """Fails whenever it is asked for a marked question."""

    name, revision = "fragile", ""

    def __init__(self, bad: str) -> None:
        self.bad = bad
        self.calls: list[int] = []

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        self.calls.append(len(observations))
        if any(self.bad in observation.episode for observation in observations):
            raise RuntimeError("out of words")
        return [Utterance("hm") for _ in observations]


def test_one_broken_episode_is_data_and_the_batch_goes_on() -> None:
    policy = Fragile(QUESTIONS[1].id)
    jobs = [Job(q, DEBATE, {"debater_0": "f", "debater_1": "f"}) for q in QUESTIONS[:3]]
    episodes = list(play(jobs, {"f": policy}, scripted_judge("evidence")))
    outcomes = [average_orders(e.verdicts, e.question.correct).outcome for e in episodes]
    assert outcomes == [Outcome.TIE, Outcome.FAILED, Outcome.TIE]
    assert "out of words" in str(episodes[1].error)
    assert policy.calls[0] == 6, "one call for all seats of all games"


def test_a_broken_judge_fails_episodes_and_not_the_run() -> None:
    class Broken(FixedJudge):
        def judge(self, states: Sequence[object]) -> list[tuple[Verdict, ...]]:
            raise RuntimeError("no verdict")

    job = Job(QUESTIONS[0], DEBATE, {"debater_0": "r", "debater_1": "r"})
    judge = Broken("broken", lambda state, order: 0)
    (episode,) = play([job], {"r": scripted_policy("random")}, judge)
    assert episode.verdicts[0].outcome is Outcome.FAILED
    assert "no verdict" in str(episode.error)
    assert len(episode.turns) == 4


def test_a_reply_of_the_wrong_kind_fails_its_episodes_with_a_reason() -> None:
    class Strings(Fragile):
        def act(self, observations: Sequence[Observation]) -> list[Utterance]:
            return ["words" for _ in observations]  # type: ignore[misc]

    class Nothing(FixedJudge):
        def judge(self, states: Sequence[object]) -> list[tuple[Verdict, ...]]:
            return [() for _ in states]

    sound = scripted_policy("random"), scripted_judge("evidence")
    nothing = Nothing("nothing", lambda state, order: 0)
    for policy, judge in ((Strings(""), sound[1]), (sound[0], nothing)):
        job = Job(QUESTIONS[0], DEBATE, {"debater_0": "p", "debater_1": "p"})
        (episode,) = play([job], {"p": policy}, judge)
        assert episode.verdicts[0].outcome is Outcome.FAILED
        assert "TypeError" in str(episode.error)


def test_a_list_of_verdicts_is_as_good_as_a_tuple() -> None:
    class Lists(FixedJudge):
        def judge(self, states: Sequence[State]) -> list[tuple[Verdict, ...]]:
            return [list(ruling) for ruling in super().judge(states)]  # type: ignore[misc]

    job = Job(QUESTIONS[0], DEBATE, {"debater_0": "r", "debater_1": "r"})
    judge = Lists("lists", lambda state, order: state.question.correct)
    (episode,) = play([job], {"r": scripted_policy("random")}, judge)
    assert [verdict.outcome for verdict in episode.verdicts] == [Outcome.CORRECT] * 2
    assert episode.error is None


class Counting:
    """Notes who was asked in which call, and answers like a scripted policy."""

    revision = ""

    def __init__(self, name: str = "random") -> None:
        self.name = name
        self.calls: list[list[tuple[str, int]]] = []

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        self.calls.append([(o.seat, o.round) for o in observations])
        return scripted_policy(self.name).act(observations)


def test_every_protocol_is_played_by_the_one_loop() -> None:
    for name in protocol_names():
        protocol = load_protocol(name)
        jobs = [
            Job(question, protocol, dict.fromkeys(protocol.seats, "r"), seed=i)
            for i, question in enumerate(QUESTIONS[:3])
        ]
        policies = {"r": scripted_policy("random")}
        for episode in play(jobs, policies, scripted_judge("evidence")):
            assert episode.error is None
            assert set(episode.seats) == set(protocol.speakers)
            assert [(turn.seat, turn.round) for turn in episode.turns] == [
                (seat, step.round) for step in protocol.schedule for seat in step.seats
            ]
            assert episode.chooser == protocol.chooser
            assert Episode.from_json(episode.to_json()).to_json() == episode.to_json()


def test_a_judges_questions_and_choices_are_batched_like_speeches() -> None:
    debater, judge = Counting(), Counting("asking")
    interactive = load_protocol("interactive-debate", rounds=2)
    seats = {"debater_0": "d", "debater_1": "d", "judge_0": "j"}
    jobs = [Job(q, interactive, seats, seed=i) for i, q in enumerate(QUESTIONS[:3])]
    episodes = list(play(jobs, {"d": debater, "j": judge}, scripted_judge("gold")))
    assert judge.calls == [[("judge_0", 0)] * 3]
    assert [len(call) for call in debater.calls] == [6, 6]
    assert episodes[0].seats["judge_0"].model == "asking"
    assert episodes[0].seats["judge_0"].answer is None
    debater.calls.clear()
    jobs = [
        Job(q, load_protocol("open-debate"), {"debater_0": "d", "debater_1": "d"}, seed=i)
        for i, q in enumerate(QUESTIONS[:3])
    ]
    list(play(jobs, {"d": debater}, scripted_judge("gold")))
    assert debater.calls[0] == [("debater_0", -1)] * 3
    assert [len(call) for call in debater.calls] == [3, 6, 6]


def test_the_episode_records_which_side_was_chosen() -> None:
    protocol = load_protocol("open-consultancy")
    jobs = [
        Job(q, protocol, {"consultant_0": "best"}, seed=i) for i, q in enumerate(QUESTIONS[:40])
    ]
    for episode in play(jobs, {"best": scripted_policy("best")}, scripted_judge("evidence")):
        assert episode.seats["consultant_0"].answer == episode.question.correct
        assert episode.chooser == "consultant_0"
        assert episode.turns[0].argument == f"Answer: {1 + episode.question.correct}"


def test_an_unreadable_choice_fails_its_episode_alone() -> None:
    class Undecided(Counting):
        def act(self, observations: Sequence[Observation]) -> list[Utterance]:
            bad = QUESTIONS[1].id
            return [
                Utterance("both") if o.choosing and bad in o.episode else said
                for o, said in zip(observations, super().act(observations), strict=True)
            ]

    protocol = load_protocol("open-debate")
    jobs = [Job(q, protocol, {"debater_0": "u", "debater_1": "u"}) for q in QUESTIONS[:3]]
    episodes = list(play(jobs, {"u": Undecided()}, scripted_judge("gold")))
    outcomes = [episode.verdicts[0].outcome for episode in episodes]
    assert outcomes == [Outcome.CORRECT, Outcome.FAILED, Outcome.CORRECT]
    assert "debater_0 chose no side" in str(episodes[1].error)
    assert episodes[1].seats["debater_1"].answer is None
    assert [turn.round for turn in episodes[1].turns] == [-1], "what was spent is counted"


def test_wrong_jobs_are_refused() -> None:
    job = Job(QUESTIONS[0], DEBATE, {"debater_0": "r"})
    with pytest.raises(ValueError, match="must fill"):
        list(play([job], {"r": scripted_policy("random")}, scripted_judge("evidence")))


def test_episodes_survive_their_file() -> None:
    for episode in debates("random", "forger", 3):
        record = episode.to_json()
        assert Episode.from_json(record).to_json() == record
        assert record["prompt_hash"]
