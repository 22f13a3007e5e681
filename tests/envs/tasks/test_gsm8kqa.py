from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.sandbox import Sandbox
from debate_gym.envs.tasks import gsm8kqa
from debate_gym.envs.tasks.files import find_files
from debate_gym.envs.tasks.gsm8k_labels import Label, label
from debate_gym.envs.tasks.gsm8k_programs import read_programs
from debate_gym.envs.tasks.intake import Intake
from debate_gym.envs.tasks.program_runs import run_programs

Write = Callable[..., Path]
Both = Callable[..., list[Question]]
ASKED = "\n\nWhich Python program prints the right answer?"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> None:
    if "upstream" not in request.node.name:
        monkeypatch.setenv("DEBATE_GYM_CACHE", str(tmp_path / "cache"))


def problem(i: int, gold: str = "") -> dict[str, str]:
    return {"question": f"What is {i} + {i}?", "answer": f"It is <<{i}>>.\n#### {gold or 2 * i}"}


def solution(i: int, code: str, **more: Any) -> dict[str, Any]:
    return {"question": f"What is {i} + {i}?", "program": code, **more}


def account(**rules: Any) -> tuple[list[Any], Intake]:
    intake = Intake()
    items = gsm8kqa.read(intake, np.random.default_rng(0), **rules)
    dropped = sum(intake.dropped.values())
    assert intake.read == len(items) + intake.duplicates + dropped + len(intake.broken)
    return items, intake


def test_items(write: Write, both_splits: Both) -> None:
    write("gsm8k/test.jsonl", [problem(i) for i in range(10)])
    write("gsm8k/train.jsonl", [problem(i) for i in range(8, 16)])
    write(
        "gsm8k/python_solutions/tora/run.jsonl",
        [
            {
                "idx": i,
                "question": f"What is {i} + {i}?",
                "code": [f"```python\nprint({i} * 2)\n```\n```output\n{2 * i}\n```\nDone."],
                "pred": ["0"],
            }
            for i in range(16)
        ],
    )
    write(
        "gsm8k/python_solutions/pot.jsonl",
        [{"prompt": "Question: ..."}]
        + [
            {"question": f"What is  {i} +  {i}? ", "generated": [f"\nans = {i} + {i + 1}"]}
            for i in range(16)
        ],
    )
    questions = both_splits("gsm8kqa")
    assert len(questions) == 16
    for question in questions:
        i = int(question.question.split()[2])
        assert question.question == f"What is {i} + {i}?{ASKED}"
        right, wrong = f"print({i} * 2)", f"ans = {i} + {i + 1}\nprint(ans)"
        assert question.answers[question.correct] == right
        assert set(question.answers) == {right, wrong}
        assert question.article is None
        assert question.meta["licence"] == "MIT"
        assert question.meta["gold"] == 2 * i
        assert question.meta["models"] == ["tora/run", "pot"]
        assert question.meta["programs"] == [f"run.jsonl:{i + 1}", f"pot.jsonl:{i + 2}"]
        assert question.meta["labels"] == {"right": 1, "wrong": 1}
        assert question.id == f"gsm8kqa-{question.meta['content_hash']}"
    assert {question.correct for question in questions} == {0, 1}
    assert account()[1].duplicates == 2


def test_the_seed_draws(write: Write) -> None:
    write("gsm8k/test.jsonl", [problem(i) for i in range(30)])
    codes = [f"x = {k}\nprint(2 * {{0}} + {k % 2})" for k in range(6)]
    solutions = [solution(i, code.format(i)) for i in range(30) for code in codes]
    write("gsm8k/python_solutions/mine.jsonl", solutions)
    first, again, other = (load_task("gsm8kqa", "train", 10, seed) for seed in (0, 0, 1))
    assert first == again != other
    everything = load_task("gsm8kqa", "train", 99, 0)
    assert everything[:10] == first
    assert len({q.answers[q.correct].splitlines()[0] for q in everything}) == 3
    assert len({q.answers[1 - q.correct].splitlines()[0] for q in everything}) == 3
    held_out = load_task("gsm8kqa", "heldout", 99, 0)
    assert len(everything) + len(held_out) == 30
    assert not {q.id for q in everything} & {q.id for q in held_out}


ENDS = {
    "nothing": "pass",
    "no number": "print('many')",
    "not finite": "print(float('nan'))",
    "timeout": "while True: pass",
    "crash": "print(3)\n1 / 0",
    "flood": "print('x' * 10**6)",
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Sandbox.run

    def hurried(self: Sandbox, code: str, *, limits: Any = None) -> Any:
        from dataclasses import replace

        return run(self, code, limits=replace(limits, cpu_seconds=1))

    monkeypatch.setattr(Sandbox, "run", hurried)


@pytest.mark.usefixtures("quick")
def test_what_prints_no_number_is_no_wrong_answer(write: Write) -> None:
    write("gsm8k/test.jsonl", [problem(i) for i in range(len(ENDS))])
    solutions = [
        one
        for i, code in enumerate(ENDS.values())
        for one in (solution(i, f"print({2 * i})"), solution(i, code))
    ]
    write("gsm8k/python_solutions/mine.jsonl", solutions)
    assert account()[0] == []
    for name, code in ENDS.items():
        (item,), intake = account(wrong_labels=[name])
        assert (item.record.wrong.code, item.record.label) == (code, name)
        assert intake.dropped == {"no wrong program": len(ENDS) - 1}
    items, _ = account(wrong_labels=("wrong", *ENDS))
    assert len(items) == len(ENDS)
    question = load_task("gsm8kqa", "train", 1, wrong_labels=list(ENDS))[0]
    assert question.meta["wrong_rule"].startswith("drawn from the programs labelled")


def test_every_reason_is_counted(write: Write) -> None:
    write("gsm8k/test.jsonl", [problem(i) for i in range(6)])
    write(
        "gsm8k/python_solutions/a/m.jsonl",
        [
            solution(1, "print(2)"),
            solution(2, "print(5)"),
            solution(3, "pass"),
            solution(4, "print(8)", model="x"),
            solution(4, "print(9)", model="y"),
            solution(5, "print(10)"),
            solution(5, "print(10)"),
            solution(9, "print(18)"),
            {"question": "What is 5 + 5?", "code": ["Ten."]},
        ],
    )
    items, intake = account()
    assert [item.record.problem.question for item in items] == ["What is 4 + 4?"]
    expected = {
        "no program": 1,
        "no wrong program": 2,
        "no right program": 1,
        "no right and no wrong program": 1,
        "programs for a question that is in none of the files": 1,
        "program records without a block of python": 1,
    }
    assert (intake.read, dict(intake.dropped)) == (8, expected)
    assert items[0].record.counts == {Label.RIGHT: 1, Label.WRONG: 1}
    nothing, intake = account(one_model=True)
    assert nothing == []
    assert intake.dropped["no right and wrong program of one model"] == 1


def test_pairs_of_one_model(write: Write) -> None:
    write("gsm8k/test.jsonl", [problem(i) for i in range(20)])
    write(
        "gsm8k/python_solutions/m.jsonl",
        [
            solution(i, f"print({2 * i + wrong})  # {model}", model=model)
            for i in range(20)
            for model in "ab"
            for wrong in (0, 1)
        ],
    )
    pairs = [item.record for item in account(one_model=True)[0]]
    assert {(pair.right.model, pair.wrong.model) for pair in pairs} == {("a", "a"), ("b", "b")}
    assert len({(i.record.right.model, i.record.wrong.model) for i in account()[0]}) == 4


def test_no_more_than_so_many_programs_a_problem(write: Write) -> None:
    write("gsm8k/test.jsonl", [problem(i) for i in range(8)])
    solutions = [solution(i, f"print({2 * i + k})") for i in range(8) for k in range(40)]
    write("gsm8k/python_solutions/m.jsonl", solutions)
    items, intake = account()
    assert {sum(item.record.counts.values()) for item in items} == {32}
    assert len(items) + intake.dropped["no right program"] == 8
    items, _ = account(programs=99)
    assert {sum(item.record.counts.values()) for item in items} == {40}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"wrong_labels": ["worng"]}, "worng"),
        ({"wrong_labels": ["right"]}, "right"),
        ({"wrong_labels": []}, "must be a list of labels"),
        ({"programs": 1}, "programs must be at least 2, got 1"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_task("gsm8kqa", "train", **options)


@pytest.mark.parametrize(
    "changes", [{"question": " "}, {"question": None}, {"answer": "A: 18"}, {"answer": 18}]
)
def test_a_broken_problem_is_named(write: Write, changes: dict[str, Any]) -> None:
    write("gsm8k/test.jsonl", [problem(0), {**problem(1), **changes}])
    write("gsm8k/python_solutions/m.jsonl", [solution(0, "print(0)")])
    with pytest.raises(ValueError, match=rf"test\.jsonl:2: {next(iter(changes))} must be a "):
        load_task("gsm8kqa", "train")


def test_missing_files_are_named(write: Write) -> None:
    write("gsm8k/test.jsonl", [problem(0)])
    with pytest.raises(FileNotFoundError, match="python_solutions.*build-gsm8k"):
        load_task("gsm8kqa", "train")


UPSTREAM = pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
# Right, wrong and the rest, by file. The runs that published these programs count 721, 578, 845
# and 814 right: they also take the first of a tuple (one zero-shot program), and for ToRA the
# number in the closing text, where the model mends a sign (15), another number (4), a rounding
# (1) or a program that does not parse (1), and once ends without one after a right program.
PUBLISHED = {
    "pot_gsm8K_s0_e-1_11_17_10_20": {"right": 721, "wrong": 262, "crash": 16, "no number": 1},
    "pot_gsm8K_zs_s0_e-1_11_19_09_55": {
        "right": 577,
        "wrong": 289,
        "crash": 67,
        "no number": 66,
        "timeout": 1,
    },
    "tora-70b-v1.0_test_tora_-1_seed0_t0.0_s0_e1319": {
        "right": 839,
        "wrong": 159,
        "crash": 1,
        "timeout": 1,
    },
    "tora-code-34b-v1.0_test_tora_-1_seed0_t0.0_s0_e1319": {
        "right": 800,
        "wrong": 198,
        "crash": 1,
        "no number": 1,
    },
}


@UPSTREAM
@pytest.mark.timeout(1800)
def test_labels_of_upstream_programs() -> None:
    pytest.importorskip("sympy")
    gold = {item.key: item.record.gold for item in gsm8kqa.read_problems(Intake())}
    intake, found = Intake(), {}
    for path in find_files("gsm8k", (gsm8kqa.FILES[-1],), ""):
        if path.stem in PUBLISHED:
            programs = list(read_programs(intake, [path]))
            runs = run_programs(program.code for program in programs)
            labels = (label(runs[p.code], gold[gsm8kqa.key_of(p.question)]) for p in programs)
            found[path.stem] = Counter(one.value for one in labels)
    assert found == PUBLISHED
    assert (intake.read, intake.broken) == (0, [])


@UPSTREAM
def test_upstream_problems() -> None:
    intake = Intake()
    problems = [item.record for item in gsm8kqa.read_problems(intake)]
    assert (intake.read, intake.duplicates, intake.broken) == (3000, 0, [])
    assert all(problem.gold == int(problem.gold) for problem in problems)
    test = [path for path in intake.files if path.name == "test.jsonl"]
    intake = Intake()
    answers = [r.value["answer"] for path in test for r in intake.json_lines(path)]
    assert sum("," in answer.rsplit("#### ")[-1] for answer in answers) == 12
    assert sum("#### -" in answer for answer in answers) == 1


@UPSTREAM
@pytest.mark.timeout(1800)
def test_upstream_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sympy")
    items, intake = account()
    assert len(items) == 374
    expected = {"no program": 2000, "no wrong program": 544, "no right program": 82}
    assert (intake.read, dict(intake.dropped)) == (3000, expected)
    train, held_out = (load_task("gsm8kqa", split, 10**6) for split in ("train", "heldout"))
    assert not {q.id for q in train} & {q.id for q in held_out}
    assert len(train) + len(held_out) == 374
    share = sum(q.correct for q in train) / len(train)
    assert 0.4 < share < 0.6
    with capsys.disabled():
        print(f"\nGSM8KQA: {len(train)} train, {len(held_out)} held out")
