"""What every kind of judge owes: positions pay nothing, labels pay all, equal speeches tie."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from debate_gym.agents.judges import logprob
from debate_gym.agents.judges.ensembles import RULES
from debate_gym.agents.judges.generated import FORMS, GeneratedJudge
from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.judges.panel import PanelJudge
from debate_gym.agents.judges.vision import VisionJudge
from debate_gym.agents.rollout import Job, play
from debate_gym.envs import load_protocol, rewards
from debate_gym.envs.nouns import Episode, Observation, Outcome, Question, Utterance
from debate_gym.envs.reward import REWARDS
from debate_gym.envs.seats import Judge
from debate_gym.envs.verdict import average_orders
from debate_gym.eval.metrics import accuracy, order_dependent_share, outcome_counts

QUESTIONS = [
    Question(f"q{i}", "t", f"Who did {i}?", pair, i % 2)
    for i, pair in enumerate(
        [("Anna", "Bert"), ("Cora", "Dora"), ("Emil", "Fred"), ("Gina", "Hugo")]
    )
]
GOLD = {answer for question in QUESTIONS for answer in [question.answers[question.correct]]}
SHOWN = re.compile(r"1: (\w+)\n2: (\w+)\n")
SPEECHES = re.compile(r"Alice:\n> (.*)\nBob:\n> (.*)\n")
Decider = Callable[[str], int]


def first(prompt: str) -> int:
    return 0


def gold(prompt: str) -> int:
    return [answer in GOLD for answer in SHOWN.findall(prompt)[-1]].index(True)


def mirrored(prompt: str) -> int:
    return 1 - gold(prompt)


def longer(prompt: str) -> int:
    """The longer speech wins; of equal ones the answer shown first. Alice argues for the answer
    that comes first in the alphabet."""
    alice, bob = SPEECHES.findall(prompt)[-1]
    if len(alice) == len(bob):
        return 0
    shown = SHOWN.findall(prompt)[-1]
    return shown.index(min(shown) if len(alice) > len(bob) else max(shown))


class Oracle:
    """A policy that writes what a rule decides, in each form that a judge may ask for."""

    name, revision, temperature = "oracle", "", 0.8

    def __init__(self, decide: Decider) -> None:
        self._decide = decide

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return [Utterance(self._write(observation)) for observation in observations]

    def _write(self, observation: Observation) -> str:
        choice = self._decide(observation.user)
        if "Probability:" in observation.user:
            return f"Well.\nProbability: {90 - 80 * choice}"
        return f"Well.\nAnswer: {1 + choice}"


class Speaker:
    """Says one thing for the first side and one for the second."""

    revision = ""

    def __init__(self, *words: str) -> None:
        self.name, self._words = "speaker", words

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return [Utterance(self._words[o.side or 0]) for o in observations]


def read_by(decide: Decider, decode: Callable[[Any], str]) -> Callable[..., Any]:
    """What a model would have to say for a judge that reads chances to decide so."""

    def chances(model: Any, groups: Any, labels: Any, pad: Any) -> list[list[tuple[float, float]]]:
        choices = [[decide(decode(prompt)) for prompt in group] for group in groups]
        return [[(0.6 - 0.4 * c, 0.2 + 0.4 * c) for c in group] for group in choices]

    return chances


KINDS = [
    *((form, votes) for form in FORMS for votes in (1, 3)),
    ("logprob", 1),
    *((f"panel {rule}", 1) for rule in RULES),
]
Make = Callable[[Decider], Judge]


@pytest.fixture(params=KINDS, ids=lambda kind: "-".join(map(str, kind)))
def make(
    request: pytest.FixtureRequest, model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> Make:
    """Makes a judge of some kind that decides by a rule."""
    kind, votes = request.param

    def judge(decide: Decider) -> Judge:
        if kind == "logprob":
            monkeypatch.setattr(logprob, "label_chances", read_by(decide, tokenizer.decode))
            return LogProbJudge(model, tokenizer, kind)
        if kind in FORMS:
            return GeneratedJudge(Oracle(decide), kind, kind, votes=votes)
        members = [GeneratedJudge(Oracle(decide), form, form) for form in FORMS]
        return PanelJudge(members, kind.removeprefix("panel "))

    return judge


def judged(judge: Judge, *words: str) -> list[Episode]:
    protocol = load_protocol("debate", rounds=1)
    jobs = [Job(q, protocol, {"debater_0": "p", "debater_1": "p"}) for q in QUESTIONS]
    return list(play(jobs, {"p": Speaker(*words)}, judge))


def paid(episode: Episode, kind: str) -> dict[str, float]:
    verdict = average_orders(episode.verdicts, episode.question.correct)
    return rewards(verdict, {"debater_0": 0, "debater_1": 1}, kind)


def test_a_judge_of_positions_scores_half_and_pays_nobody(make: Make) -> None:
    episodes = judged(make(first), "Anna did.", "No, she did not.")
    assert accuracy(episodes).value == 0.5
    assert outcome_counts(episodes)[Outcome.TIE] == len(QUESTIONS)
    for kind in REWARDS:
        for episode in episodes:
            assert paid(episode, kind) == pytest.approx({"debater_0": 0, "debater_1": 0}, abs=1e-12)


def test_one_that_knows_the_label_is_always_right_and_its_mirror_never(make: Make) -> None:
    for decide, share, sign in ((gold, 1.0, 1), (mirrored, 0.0, -1)):
        episodes = judged(make(decide), "Anna did.", "No, she did not.")
        assert accuracy(episodes).value == share
        assert order_dependent_share(episodes).value == 0
        for episode in episodes:
            pay = paid(episode, "win")
            correct = f"debater_{episode.question.correct}"
            assert (pay[correct], sum(pay.values())) == (sign, 0)


def test_equal_speeches_are_a_tie_and_others_are_not(make: Make) -> None:
    judge = make(longer)
    for episode in judged(judge, "It was so.", "It was so."):
        assert average_orders(episode.verdicts, episode.question.correct).outcome is Outcome.TIE
        assert set(paid(episode, "win").values()) == {0.0}
    for words, winner in ((("It was so.", "No."), 0), (("No.", "It was so."), 1)):
        for episode in judged(judge, *words):
            assert average_orders(episode.verdicts, episode.question.correct).choice == winner


def test_a_judge_that_sees_owes_the_same(
    vision: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for decide, share in ((first, 0.5), (gold, 1.0), (mirrored, 0.0)):
        chances = read_by(decide, lambda prompt: prompt.text)

        def score(self: Any, prompts: Any, chances: Any = chances) -> Any:
            return chances(None, prompts, None, None)

        monkeypatch.setattr(VisionJudge, "_score", score)
        episodes = judged(VisionJudge(*vision, "v"), "Anna did.", "No, she did not.")
        assert accuracy(episodes).value == share
