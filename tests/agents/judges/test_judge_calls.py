"""Specs of judges with options, and the judges that they stand for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debate_gym.agents.judges.generated import FORMS, GeneratedJudge
from debate_gym.agents.judges.judge_calls import JudgeCall, is_call, parse, plain
from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.judges.panel import PanelJudge
from debate_gym.agents.local import LocalPolicy
from debate_gym.agents.server.judge import ServerJudge
from debate_gym.agents.server.policy import ServerPolicy
from debate_gym.agents.specs import make_judge
from debate_gym.agents.vision import VisionPolicy
from debate_gym.envs import load_protocol
from debate_gym.envs.game import start
from debate_gym.envs.nouns import Question


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    path = tmp_path / "solved.jsonl"
    asked = [Question(f"s{i}", "t", f"Why {i}?", ("a", "b"), 0) for i in range(6)]
    path.write_text("".join(json.dumps(question.to_json()) + "\n" for question in asked))
    return path


def test_a_spec_is_parsed_and_written_again() -> None:
    spec = " panel( evidence , cot(openai:m@http://h/v1,votes=3 , temperature=0.50),rule=min ) "
    call = parse(spec)
    assert call == JudgeCall(
        "panel",
        ("evidence", "cot(openai:m@http://h/v1, votes=3, temperature=0.5)"),
        {"rule": "min"},
    )
    assert str(call) == plain(spec) == plain(str(call))
    assert parse(
        "stated(M, votes=2, rule=squared, seed=1, shots=2, examples=a b.jsonl)"
    ).options == {
        "votes": 2,
        "rule": "squared",
        "seed": 1,
        "shots": 2,
        "examples": "a b.jsonl",
    }


@pytest.mark.parametrize("spec", ["cot(m)", "cto(m)", "panel", "cot", "cot (m", "best-of-2(m)"])
def test_what_is_meant_as_a_call(spec: str) -> None:
    assert is_call(spec)


@pytest.mark.parametrize(
    "spec", ["gold", "logprob:tiny", "logprob:/a(b)", "cottage", "tiny", "cot:m"]
)
def test_what_is_not(spec: str) -> None:
    assert not is_call(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("cto(tiny)", "unknown kind of judge 'cto'.*did you mean 'cot'"),
        ("cot", r"expected KIND\(MODEL, OPTION=VALUE, ...\), such as 'cot\(smollm2-135m\)'"),
        ("panel", r"such as 'panel\(evidence, logprob"),
        ("cot(tiny", r"expected KIND\(MODEL"),
        ("cot(tiny))(", r"expected KIND\(MODEL"),
        ("cot((tiny)", "parentheses do not match"),
        ("cot()", r"expected one model, such as smollm2-135m .* got \[\]"),
        ("cot(tiny, smollm2-135m)", "expected one model"),
        ("cot(best-of-2(tiny))", r"expected one model.*got \['best-of-2\(tiny\)'\]"),
        ("cot(tiny, votes=3, tiny)", "expected OPTION=VALUE, got 'tiny'"),
        ("cot(tiny, vote=3)", "unknown option of cot 'vote'.*did you mean 'votes'"),
        ("logprob(tiny, votes=3)", "unknown option of logprob 'votes'"),
        ("panel(gold, first, votes=3)", "unknown option of panel 'votes'"),
        ("cot(tiny, votes=3, votes=3)", "'votes' is given twice"),
        ("cot(tiny, votes=0)", "votes: expected a whole number of at least 1, got '0'"),
        ("cot(tiny, votes=)", "votes: expected a whole number"),
        ("cot(tiny, temperature=-1)", "temperature: expected a number of at least 0, got '-1'"),
        ("cot(tiny, orders=second)", "orders: unknown choice of orders 'second'"),
        ("cot(tiny, votes=2, rule=majorty)", "rule: unknown rule.*did you mean 'majority'"),
        ("cot(tiny, votes=2, temperature=0)", "votes at temperature 0 are all the same"),
        ("cot(tiny, rule=mean)", "rule pools votes; give votes above 1"),
        ("cot(tiny, shots=3, examples=x)", "shots: expected an even number.*got '3'"),
        ("cot(tiny, shots=2)", "shots and examples=FILE go together"),
        ("cot(tiny, examples=x)", "shots and examples=FILE go together"),
        ("cot(tiny, seed=2)", "seed draws the cases of shots"),
        ("panel(gold)", "at least two judges, got 1"),
        ("panel(gold, gold)", "all different"),
        ("panel(gold, tiny)", r"judges as 'logprob:tiny', or 'cot\(tiny\)'"),
        ("panel(gold, cto(tiny))", "did you mean 'cot'"),
        ("cot:tiny", r"did you mean 'cot\(tiny\)'"),
        ("cot(tinny)", "unknown model 'tinny'.*did you mean 'tiny'"),
        ("cot(gold)", "unknown model 'gold'"),
    ],
)
def test_a_bad_spec_says_what_is_wrong(spec: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_judge(spec)


def test_a_missing_file_of_examples_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.jsonl"):
        make_judge("cot(tiny, shots=2, examples=nowhere.jsonl)")


@pytest.mark.parametrize(
    ("options", "votes", "temperature", "tokens", "rule"),
    [
        ("cot({})", 1, 0.0, 512, "majority"),
        ("cot({}, votes=3)", 3, 0.8, 512, "majority"),
        ("generated({}, votes=2, temperature=1.2, tokens=9)", 2, 1.2, 9, "majority"),
        ("stated({}, votes=2)", 2, 0.8, 64, "mean"),
        ("stated-cot({}, votes=2, rule=confident)", 2, 0.8, 512, "confident"),
        ("stated({}, temperature=0.3)", 1, 0.3, 64, "mean"),
    ],
)
def test_judges_that_write(
    model_folder: Path, options: str, votes: int, temperature: float, tokens: int, rule: str
) -> None:
    spec = options.format(f"hf:{model_folder}")
    judge = make_judge(spec)
    assert isinstance(judge, GeneratedJudge)
    assert (judge.name, judge.form) == (spec, FORMS[spec.partition("(")[0]])
    assert (judge.votes, judge.rule, len(judge.orders)) == (votes, rule, 2)
    policy = judge.policy
    assert isinstance(policy, LocalPolicy)
    assert (policy.temperature, policy.max_new_tokens) == (temperature, tokens)


def test_what_the_caller_gives_holds_where_a_spec_says_nothing(model_folder: Path) -> None:
    spec = f"hf:{model_folder}"
    options = {"orders": "first", "batch_size": 2}
    panel: Any = make_judge(f"panel(gold, cot({spec}), logprob({spec}, orders=both))", **options)
    assert isinstance(panel, PanelJudge)
    _, cot, logprob = panel.members
    assert (cot.orders, cot.policy.batch_size) == (((0, 1),), 2)
    assert (len(logprob.orders), logprob.batch_size) == (2, 2)
    judge: Any = make_judge(f"stated({spec}, tokens=5)", max_new_tokens=7, temperature=0.4)
    assert (judge.policy.max_new_tokens, judge.policy.temperature) == (5, 0.4)


def test_one_model_is_loaded_once(model_folder: Path) -> None:
    spec = f"hf:{model_folder}"
    panel: Any = make_judge(
        f"panel(logprob:{spec}, cot({spec}), stated({spec}, votes=3), rule=min)"
    )
    one, two, three = panel.members
    assert one.model is two.policy.model is three.policy.model
    assert (two.policy.temperature, three.policy.temperature) == (0.0, 0.8)
    assert panel.rule == "min"


def test_shots_of_every_kind_that_runs_a_model(model_folder: Path, examples: Path) -> None:
    state = start(Question("q", "t", "Who?", ("a", "b"), 0), load_protocol("direct-qa"))
    prompts = set()
    for kind in ("logprob", *FORMS):
        spec = f"{kind}(hf:{model_folder}, shots=4, examples={examples}, seed=2)"
        judge: Any = make_judge(spec)
        assert judge.name == spec
        seen = judge.prompt(state, (0, 1)).user
        assert seen.count("\nAnswer: ") == 4
        prompts.add(seen.partition("The case to decide:")[0])
    assert len(prompts) == 1, "all are shown the same"
    prompt = judge.prompt(state, (0, 1)).user
    other: Any = make_judge(f"cot(hf:{model_folder}, shots=4, examples={examples}, seed=3)")
    assert other.prompt(state, (0, 1)).user[:300] != prompt[:300]


def test_the_call_of_a_log_probability_judge(model_folder: Path) -> None:
    judge = make_judge(f"logprob(hf:{model_folder}, orders=first)")
    assert isinstance(judge, LogProbJudge)
    assert judge.orders == ((0, 1),)


def test_models_that_see(vision_folder: Path) -> None:
    judge = make_judge(f"cot(hf:{vision_folder}, tokens=4)")
    assert isinstance(judge, GeneratedJudge)
    assert isinstance(judge.policy, VisionPolicy)


def test_models_on_a_server(examples: Path) -> None:
    pytest.importorskip("httpx2")
    served = "openai:m@http://127.0.0.1:9/v1"
    judge = make_judge(f"cot({served}, votes=3, tokens=99)")
    assert isinstance(judge, GeneratedJudge)
    assert isinstance(judge.policy, ServerPolicy)
    assert (judge.policy.temperature, judge.policy.options["max_tokens"]) == (0.8, 99)
    reader = make_judge(f"logprob({served}, orders=first, shots=2, examples={examples})")
    assert isinstance(reader, ServerJudge)
    assert reader.prompt.shots is not None
    assert len(reader.orders) == 1
