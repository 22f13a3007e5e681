from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from debate_gym.envs import advance, due, load_protocol, load_task, observe, start
from debate_gym.envs.game import State
from debate_gym.envs.nouns import Outcome, Question, Utterance
from debate_gym.envs.scripted import JUDGES, POLICIES, scripted_judge, scripted_policy
from debate_gym.envs.tasks.evidence import strengths

ARTICLE = (
    "To Ada go 7 points from the miller.\nTo Ben go 4 points from the baker.\n"
    "To nobody go 9 points from the tailor.\nTo Ada go 2 points from the mason.\n"
    "To Ben go 5 points from the smith."
)
QUESTION = Question("q", "evidence", "Who gets more, Ada or Ben?", ("Ada", "Ben"), 0, ARTICLE)
ADA, BEN, NOBODY, MASON, SMITH = ARTICLE.splitlines()


def quoted(text: str) -> str:
    return f"<passage>{text}</passage>"


@pytest.mark.parametrize(
    ("name", "sums"),
    [
        ("debate", (7, 0)),
        ("evidence-only", (7, 0)),
        ("argument-only", (0, 0)),
        ("unverified", (7, 9)),
        ("interactive-debate", (7, 0)),
    ],
)
def test_the_evidence_judge_reads_what_the_protocol_shows(name: str, sums: tuple[int, int]) -> None:
    """Bert's sentence is made up: only a judge without the check believes it."""
    state = start(QUESTION, load_protocol(name))
    said = {"debater_0": quoted(ADA), "debater_1": quoted("To Ben go 9 points from the cook.")}
    state = advance(state, {seat: Utterance(text) for seat, text in said.items()})
    ((verdict,),) = scripted_judge("evidence").judge([state])
    assert verdict.p is not None
    assert verdict.p[0] == pytest.approx(1 / (1 + math.exp((sums[1] - sums[0]) / 5)))


def test_the_best_player_chooses_what_the_article_favours_and_others_draw() -> None:
    observed = [
        observe(start(QUESTION, load_protocol("open-consultancy"), seed=i), "consultant_0")
        for i in range(20)
    ]
    # 7 + 2 for Ada, 4 + 5 for Ben, so one point more decides.
    more = replace(QUESTION, article=ARTICLE.replace("Ben go 5", "Ben go 6"))
    favoured = observe(start(more, load_protocol("open-consultancy")), "consultant_0")
    assert scripted_policy("best").act([favoured])[0].text == "Answer: 2"
    for name in ("random", "best", "silent", "forger"):
        said = {utterance.text for utterance in scripted_policy(name).act(observed)}
        assert said == {"Answer: 1", "Answer: 2"}, "even sums: a draw from the seed"


def test_the_asking_judge_asks() -> None:
    state = start(QUESTION, load_protocol("interactive-consultancy"))
    state = advance(state, {"consultant_0": Utterance("words")})
    assert scripted_policy("asking").act([observe(state, "judge_0")])[0].text.endswith("?")


def spoken(*rounds: tuple[str, str]) -> State:
    state = start(QUESTION, load_protocol("debate", rounds=len(rounds)))
    for first, second in rounds:
        said = {"debater_0": Utterance(first), "debater_1": Utterance(second)}
        state = advance(state, said)
    return state


@pytest.mark.parametrize(
    ("rounds", "sums", "reason"),
    [
        ([(quoted(ADA), quoted(BEN))], (7, 4), "one sentence each"),
        ([(quoted(ADA), ADA)], (7, 0), "no passage tag"),
        ([(quoted(ADA), quoted("To Ben go 9 points from the cook."))], (7, 0), "not in the text"),
        ([(quoted(ADA), quoted("To Ben go 4 points"))], (7, 0), "half a sentence"),
        ([(quoted(ADA), quoted(f"{BEN}\n{NOBODY}"))], (7, 0), "two sentences in one passage"),
        ([(quoted(ADA), quoted(NOBODY))], (7, 0), "a neutral sentence"),
        ([(quoted(ADA), quoted(ADA))], (7, 0), "the same sentence by both"),
        ([(quoted(ADA), ""), (quoted(ADA), "")], (7, 0), "the same sentence twice"),
        ([(quoted(ADA) + quoted(MASON), "")], (7, 0), "only the first of a turn"),
        ([(quoted("To Ada go 8") + quoted(MASON), "")], (2, 0), "the first that is verified"),
        ([(quoted(ADA), quoted(BEN)), (quoted(MASON), quoted(SMITH))], (9, 9), "equal sums"),
        ([("", "")], (0, 0), "silence"),
    ],
)
def test_the_evidence_judge_by_hand(
    rounds: list[tuple[str, str]], sums: tuple[int, int], reason: str
) -> None:
    ((verdict,),) = scripted_judge("evidence").judge([spoken(*rounds)])
    assert verdict.p is not None, reason
    assert verdict.p[0] == pytest.approx(1 / (1 + math.exp((sums[1] - sums[0]) / 5))), reason
    expected = Outcome.TIE if sums[0] == sums[1] else Outcome.CORRECT
    assert verdict.outcome is expected, reason


def test_best_quotes_the_strongest_sentence_left_and_then_nothing() -> None:
    policy = scripted_policy("scripted:best")
    state = start(QUESTION, load_protocol("debate", rounds=3))
    said: list[list[str]] = []
    while seats := due(state):
        utterances = {seat: policy.act([observe(state, seat)])[0] for seat in seats}
        said.append([utterance.text for utterance in utterances.values()])
        state = advance(state, utterances)
    assert said == [[quoted(ADA), quoted(SMITH)], [quoted(MASON), quoted(BEN)], ["", ""]]


def test_no_quotation_of_the_same_number_beats_best() -> None:
    for question in load_task("evidence", "heldout", 50, seed=5):
        state = start(question, load_protocol("consultancy"), sides={"consultant_0": 1})
        while seats := due(state):
            (seat,) = seats
            state = advance(state, {seat: scripted_policy("best").act([observe(state, seat)])[0]})
        worths = sorted(
            strengths(line, question.answers)[1] for line in str(question.article).splitlines()
        )
        ((verdict,),) = scripted_judge("evidence").judge([state])
        best = 1 / (1 + math.exp(sum(worths[-2:]) / 5))
        assert verdict.p is not None
        assert verdict.p[0] == pytest.approx(best)


def test_best_without_a_side_is_refused() -> None:
    state = start(QUESTION, load_protocol("direct-qa"))
    with pytest.raises(ValueError, match="needs a side"):
        scripted_policy("best").act([observe(state, "judge_0")])


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_policies_do_not_depend_on_the_batch(name: str) -> None:
    policy = scripted_policy(name)
    seen = [
        observe(start(question, load_protocol("debate"), seed=i), "debater_1")
        for i, question in enumerate(load_task("evidence", "train", 20))
    ]
    alone = [policy.act([one])[0] for one in seen]
    assert policy.act(seen) == alone
    assert policy.act(seen[::-1]) == alone[::-1]


def test_random_quotes_every_sentence_about_equally_often() -> None:
    policy = scripted_policy("random")
    seen = [
        observe(start(QUESTION, load_protocol("debate"), seed=i), "debater_0") for i in range(1000)
    ]
    texts = [utterance.text for utterance in policy.act(seen)]
    shares = [np.mean([text == quoted(line) for text in texts]) for line in ARTICLE.splitlines()]
    assert sum(shares) == pytest.approx(1)
    assert max(abs(share - 0.2) for share in shares) < 0.05


@pytest.mark.parametrize("name", sorted(JUDGES))
def test_judges_and_policies_can_be_pickled(name: str) -> None:
    state = spoken((quoted(ADA), ""))
    judge = scripted_judge(name)
    assert pickle.loads(pickle.dumps(judge)).judge([state]) == judge.judge([state])


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'best'"):
        scripted_policy("bests")
    with pytest.raises(ValueError, match="did you mean 'gold'"):
        scripted_judge("golden")
