"""The four ensembles of P24 appendix B.4, means and minima; values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.agents.judges.ensembles import RULES, chance, k_of_n, pooled
from debate_gym.envs.nouns import Outcome, Question
from debate_gym.envs.verdict import make_verdict

judgements = st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=1, max_size=6)
rules = st.sampled_from(sorted(RULES))


@pytest.mark.parametrize(
    ("given_", "rule", "expected"),
    [
        ([0.9, 0.4, 0.3], "mean", 1.6 / 3),
        ([0.9, 0.4, 0.3], "min", 0.3 / (0.3 + 0.1)),
        ([0.9, 0.4, 0.3], "majority", 1 / 3),
        ([0.9, 0.4, 0.3], "weighted", 0.9 / (0.9 + 0.6 + 0.7)),
        ([0.9, 0.4, 0.3], "squared", 0.81 / (0.81 + 0.36 + 0.49)),
        ([0.9, 0.4, 0.3], "confident", 0.9),
        # Two unsure judgements outweigh a sure one, unless confidences are squared.
        ([0.95, 0.4, 0.4], "weighted", 0.95 / 2.15),
        ([0.95, 0.4, 0.4], "squared", 0.9025 / 1.6225),
        # At one half nothing is chosen.
        ([0.5, 0.5, 0.2], "majority", 0.0),
        ([0.5, 0.5], "weighted", 0.5),
        ([0.5, 0.5], "confident", 0.5),
        # Two sure judges of different minds leave nothing to either answer.
        ([1.0, 0.0], "min", 0.5),
        ([0.9, 0.1, 0.9], "confident", 1.9 / 3),
        ([0.8, 0.2], "majority", 0.5),
    ],
)
def test_pooled(given_: list[float], rule: str, expected: float) -> None:
    assert pooled(given_, rule) == pytest.approx(expected)


def test_equal_weights_are_a_tie_in_spite_of_rounding() -> None:
    first = pooled([0.6, 0.9, 0.2, 0.3], "weighted")  # 0.6 + 0.9 against 0.8 + 0.7
    question = Question("q", "t", "?", ("a", "b"), 0)
    assert make_verdict("j", None, (first, 1 - first), question).outcome is Outcome.TIE
    assert chance([0.6, 0.9, 0.2, 0.3], "weighted") == 0.5


@pytest.mark.parametrize(
    ("given_", "k", "rule", "expected"),
    [
        # Two of three are right: alone 2/3; of the pairs one is right and two are ties.
        ([1.0, 1.0, 0.0], 1, "majority", 2 / 3),
        ([1.0, 1.0, 0.0], 2, "majority", (1 + 0.5 + 0.5) / 3),
        ([1.0, 1.0, 0.0], 3, "majority", 1.0),
        ([1.0, 1.0, 0.0], 7, "majority", 1.0),  # all three serve
        # Pairs: (0.9, 0.4) right, (0.9, 0.3) right, (0.4, 0.3) wrong.
        ([0.9, 0.4, 0.3], 2, "confident", 2 / 3),
        ([0.9, 0.4, 0.3], 3, "confident", 1.0),
        ([0.9, 0.4, 0.3], 3, "weighted", 0.0),
        # Of three equally confident ones, chosen among at random, two are right.
        ([0.9, 0.9, 0.1], 3, "confident", 2 / 3),
        ([0.9, 0.9, 0.1], 2, "confident", (1 + 0.5 + 0.5) / 3),
        ([0.5], 1, "squared", 0.5),
    ],
)
def test_k_of_n(given_: list[float], k: int, rule: str, expected: float) -> None:
    assert k_of_n(given_, k, rule) == pytest.approx(expected)


@given(judgements, rules)
def test_relabelled_answers_mirror_every_rule(one: list[float], rule: str) -> None:
    other = [1 - p for p in one]
    assert pooled(other, rule) == pytest.approx(1 - pooled(one, rule))
    assert chance(other, rule) == pytest.approx(1 - chance(one, rule))
    assert k_of_n(other, 2, rule) == pytest.approx(1 - k_of_n(one, 2, rule))


@given(judgements, rules)
def test_the_order_of_judgements_plays_no_part(one: list[float], rule: str) -> None:
    assert pooled(sorted(one), rule) == pytest.approx(pooled(one, rule))


@given(st.integers(0, 100).map(lambda n: n / 100), st.integers(1, 5), rules)
def test_judgements_of_one_mind_choose_what_each_does(p: float, n: int, rule: str) -> None:
    assert chance([p] * n, rule) == (0.5 if p == 0.5 else float(p > 0.5))
    assert k_of_n([p] * n, 1, rule) == chance([p], rule)


@pytest.mark.parametrize(
    ("given_", "rule", "said"),
    [
        ([], "mean", "at least one"),
        ([0.4, 1.1], "mean", "from 0 to 1"),
        ([float("nan")], "mean", "from 0 to 1"),
        ([0.4], "majorty", "did you mean 'majority'"),
    ],
)
def test_what_cannot_be_pooled_is_refused(given_: list[float], rule: str, said: str) -> None:
    for call in (pooled, chance, lambda ps, rule: k_of_n(ps, 1, rule)):
        with pytest.raises(ValueError, match=said):
            call(given_, rule)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        k_of_n([0.4], 0, "mean")
