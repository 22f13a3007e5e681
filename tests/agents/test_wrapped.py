"""The specs of policies that make another one stronger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from debate_gym.agents.best_of_n import BestOfN
from debate_gym.agents.critique import CritiqueRefine
from debate_gym.agents.local_scorer import LocalScorer
from debate_gym.agents.rejection import RejectionSampling
from debate_gym.agents.selectors import PreferenceSelector, SelfSelector
from debate_gym.agents.specs import make_policy
from debate_gym.agents.wrapped import is_wrapped, parse
from debate_gym.envs.seats import Policy

NESTED = "critique-8( best-of-4(rejection-3(hf:a/b,limits=k24),selector = self),judge=hf:c/d )"


def test_a_spec_in_its_plain_form_is_read_as_itself() -> None:
    plain = str(parse(NESTED))
    assert plain == (
        "critique-8(best-of-4(rejection-3(hf:a/b, limits=k24), selector=self), judge=hf:c/d)"
    )
    assert str(parse(plain)) == plain
    assert parse(plain).leaf == "hf:a/b"


def test_which_specs_are_meant() -> None:
    for spec in (NESTED, "best-of-4", "bestof4(tiny)", " best-of-2 (tiny)", "rejection-3:tiny"):
        assert is_wrapped(spec)
    for spec in (
        "tiny",
        "hf:a/b",
        "./a(1)",
        "runs/critique-8/final",
        "critique-model",
        "scripted:x",
    ):
        assert not is_wrapped(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("bestof-4(tiny)", "unknown policy wrapper 'bestof'.*did you mean 'best-of'"),
        ("best-of-4", "expected NAME-NUMBER\\(POLICY"),
        ("best-of(tiny)", "expected NAME-NUMBER\\(POLICY"),
        ("best-of-4(tiny", "expected NAME-NUMBER\\(POLICY"),
        ("best-of-4(best-of-2(tiny)", "parentheses do not match"),
        ("best-of-4()", "expected a policy first, got ''"),
        ("best-of-4(selector=self)", "expected a policy first, got 'selector=self'"),
        ("best-of-4(tiny, self)", "expected OPTION=VALUE, got 'self'"),
        ("best-of-4(tiny, selector=)", "expected OPTION=VALUE"),
        ("best-of-4(tiny, selectr=self)", "unknown option of best-of.*did you mean 'selector'"),
        ("best-of-4(tiny, selector=self, selector=self)", "'selector' is given twice"),
        ("best-of-4(scripted:best, selector=slef)", "unknown selector.*did you mean 'self'"),
        ("best-of-4(scripted:best, selector=preference)", "go together"),
        ("best-of-4(scripted:best, judge=tiny)", "selector=self needs no judge"),
        ("best-of-0(scripted:best)", "at least 1, got 0"),
        ("best-of-4(scripted:best, temperature=hot)", "temperature must be.*got 'hot'"),
        ("best-of-4(scripted:best, temperature=-1)", "temperature must be.*got '-1'"),
        ("best-of-4(scripted:bets)", "did you mean 'best'"),
        ("critique-8(scripted:best)", "needs judge=MODEL"),
        ("critique-0(scripted:best, judge=tiny)", "at least 1 critique, got 0"),
        ("rejection-3(scripted:best, limits=p42)", "unknown word limits.*did you mean"),
    ],
)
def test_a_bad_spec_says_what_is_wrong(spec: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_policy(spec)


def test_scripted_policies_are_wrapped_without_a_model() -> None:
    policy = make_policy("best-of-4( rejection-3(scripted:best) )", temperature=0.3)
    assert policy.name == "best-of-4(rejection-3(scripted:best))"
    assert isinstance(policy, BestOfN)
    assert isinstance(policy.base, RejectionSampling)
    assert (policy.n, policy.base.limits, policy.base.per_wanted) == (4, "p24", 3)
    assert isinstance(policy.selector, SelfSelector)
    assert policy.selector.picker.name == "scripted:best", "the debater, without its limits"


def test_one_model_is_loaded_once_and_asked_at_its_temperatures(model_folder: Path) -> None:
    spec = f"hf:{model_folder}"
    made: Any = make_policy(
        f"critique-16(best-of-4({spec}, selector=preference, judge={spec}, "
        f"temperature=p24-debater), judge=logprob:{spec})",
        temperature=0.5,
        max_new_tokens=3,
    )
    assert isinstance(made, CritiqueRefine)
    writer, critic = made.best.base, made.critic.policy
    scorers = [made.best.selector.scorer, made.critic.scorer]
    assert writer.model is critic.model is scorers[0].model
    assert scorers[0] is scorers[1]
    assert (writer.temperature, critic.temperature) == (0.8, 0.8)
    assert (writer.max_new_tokens, critic.max_new_tokens) == (3, 3)
    assert scorers[0].revision == writer.revision
    assert made.revision.split("+")[0] == writer.revision


@pytest.mark.parametrize(
    ("options", "temperature"),
    [
        ("", 0.5),
        (", temperature=0.7", 0.7),
        (", temperature=p24-debater", 1.0),
        (", temperature=p24-consultant", 0.8),
    ],
)
def test_the_temperature_of_candidates(
    model_folder: Path, options: str, temperature: float
) -> None:
    policy: Any = make_policy(f"best-of-17(hf:{model_folder}{options})", temperature=0.5)
    assert policy.base.temperature == temperature
    assert policy.selector.picker.temperature == 0
    assert policy.selector.picker.model is policy.base.model


def test_a_plain_policy_is_critiqued_as_best_of_one(model_folder: Path) -> None:
    spec = f"hf:{model_folder}"
    policy: Any = make_policy(f"critique-2(scripted:best, judge={spec}, critic={spec})")
    assert (policy.best.n, policy.best.base.name) == (1, "scripted:best")
    assert policy.critic.policy.temperature == 0.6


def test_a_judge_that_cannot_read_labels_is_refused(vision_folder: Path) -> None:
    with pytest.raises(ValueError, match="reads text only"):
        make_policy(f"best-of-2(scripted:best, selector=preference, judge=hf:{vision_folder})")
    with pytest.raises(ValueError, match="unknown model 'evidence'"):
        make_policy("best-of-2(scripted:best, selector=preference, judge=evidence)")


def test_the_default_names_are_specs(model_folder: Path) -> None:
    base: Policy = make_policy("scripted:best")
    scorer = LocalScorer.load(f"hf:{model_folder}")
    for policy in (
        BestOfN(base, 3, SelfSelector(base)),
        BestOfN(base, 3, PreferenceSelector(scorer)),
        RejectionSampling(base, "k24", 2),
    ):
        again = make_policy(policy.name)
        assert (again.name, again.revision) == (policy.name, policy.revision)
