from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs import load_task
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.eval import build_gsm8k
from debate_gym.eval.build_gsm8k import add_command, build, program_of
from debate_gym.eval.store import read_records

QUESTIONS = [f"What is {i} + {i}?" for i in range(5)]


class Author:
    """Writes a program that prints the right number, or one more, by the seed."""

    name = "author"
    revision = "r1"

    def __init__(self, stop_after: int = 10**9) -> None:
        self.seen: list[Observation] = []
        self.calls: list[int] = []
        self._stop_after = stop_after

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        if len(self.calls) == self._stop_after:
            raise KeyboardInterrupt
        self.calls.append(len(observations))
        self.seen += observations
        return [Utterance(self._text(one)) for one in observations]

    def _text(self, observation: Observation) -> str:
        number = int(observation.question.split()[2])
        code = f"print(2 * {number} + {observation.seed % 2})  # {observation.seed}"
        return f"Here it is.\n```python\n{code}\n```\nDone."


def test_what_is_written(tmp_path: Path) -> None:
    author, out = Author(), tmp_path / "new" / "built.jsonl"
    assert build(author, QUESTIONS, out, programs=3, batch=4) == 15
    assert author.calls == [4, 4, 4, 3]
    records = list(read_records(out))
    assert [(r["question"], r["sample"]) for r in records] == [
        (question, sample) for question in QUESTIONS for sample in range(3)
    ]
    assert len({record["seed"] for record in records}) == 15
    for record, observation in zip(records, author.seen, strict=True):
        assert record["program"].endswith(f"# {record['seed']}")
        assert (record["model"], record["revision"]) == ("author", "r1")
        assert observation.seed == record["seed"] < 2**63
        assert record["question"] in observation.user
        assert (observation.side, observation.article) == (None, None)


def test_a_second_call_goes_on(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "built.jsonl"
    build(Author(), QUESTIONS, whole, programs=3, batch=4)
    with pytest.raises(KeyboardInterrupt):
        build(Author(stop_after=2), QUESTIONS, out, programs=3, batch=4)
    torn = out.read_bytes()
    assert torn.count(b"\n") == 8
    out.write_bytes(torn[:-10])
    author = Author()
    assert build(author, QUESTIONS, out, programs=3, batch=4) == 8
    assert out.read_bytes() == whole.read_bytes()
    assert build(author, QUESTIONS, out, programs=3) == 0
    assert build(author, QUESTIONS, out, programs=4) == 5
    assert build(author, QUESTIONS, out, programs=1, seed=1) == 5


def test_the_task_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    monkeypatch.setenv("DEBATE_GYM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "gsm8k").mkdir()
    lines = [{"question": q, "answer": f"#### {2 * i}"} for i, q in enumerate(QUESTIONS)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "gsm8k/test.jsonl").write_text(text, "utf-8")
    monkeypatch.setattr(build_gsm8k, "make_policy", lambda spec, **options: Author())
    assert command("--policy", "author", "--programs", "8", "--problems", "4") == 0
    records = list(read_records(tmp_path / "gsm8k/python_solutions/built.jsonl"))
    assert len(records) == 32
    assert len({record["question"] for record in records}) == 4
    questions = load_task("gsm8kqa", "train", 9, one_model=True)
    assert {model for q in questions for model in q.meta["models"]} == {"author"}
    for question in questions:
        right, wrong = question.answers[question.correct], question.answers[1 - question.correct]
        assert right.startswith("print(2 * ")
        assert " + 0)" in right
        assert " + 1)" in wrong


def command(*arguments: str) -> Any:
    parser = argparse.ArgumentParser()
    add_command(parser.add_subparsers())
    args = parser.parse_args(["build-gsm8k", *arguments])
    return args.run(args)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("```python\nprint(1)\n```", "print(1)"),
        ("a\n```\nx = 1\nprint(x)\n```\nb", "x = 1\nprint(x)"),
        ("```py\nprint(1)\n```\n```Python\nprint(2)\n\n```", "print(2)"),
        ("```python\nprint(1)", "print(1)"),
        ("```python\nprint('```')\n```", "print('```')"),
        ("\nprint(1)\n", "print(1)"),
        ("", ""),
    ],
)
def test_the_program_of_a_reply(text: str, program: str) -> None:
    assert program_of(text) == program


def test_wrong_arguments(tmp_path: Path) -> None:
    out = tmp_path / "built.jsonl"
    for options in ({"programs": 0}, {"batch": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(options))} must be at least 1, got 0"):
            build(Author(), QUESTIONS, out, **options)
    with pytest.raises(ValueError, match="questions must be at least 1"):
        build(Author(), [], out)
    out.write_text('{"question": "other"}\n')
    with pytest.raises(ValueError, match="without the key 'model': not written by this command"):
        build(Author(), QUESTIONS, out)


def test_two_writers_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "built.jsonl"

    class Second(Author):
        def act(self, observations: Sequence[Observation]) -> list[Utterance]:
            build(Author(), QUESTIONS, out)
            return super().act(observations)

    with pytest.raises(ValueError, match="being written to by another process"):
        build(Second(), QUESTIONS, out)


def test_a_small_model_writes_something(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from debate_gym.agents.specs import make_policy

    policy, out = make_policy("tiny", max_new_tokens=4), tmp_path / "built.jsonl"
    assert build(policy, ["What is 1 + 1?"], out, programs=2) == 2
    assert {record["model"] for record in read_records(out)} == {"tiny"}
