from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs.tasks.gsm8k_programs import NO_BLOCK, Program, read_programs
from debate_gym.envs.tasks.intake import Intake

Write = Callable[..., Path]
NAME = "gsm8k/python_solutions/some/model.jsonl"


def programs(path: Path) -> tuple[list[Program], Intake]:
    intake = Intake()
    return list(read_programs(intake, [path])), intake


@pytest.mark.parametrize(
    ("record", "codes"),
    [
        (
            {"code": ["```python\nprint(18)\n```\n```output\n18\n```\nIt is $\\boxed{18}$."]},
            ["print(18)"],
        ),
        ({"code": "Text first.\n```python\n\nprint(1)\n\n```"}, ["print(1)"]),
        (
            {"code": ["```python\nx\n```\n```output\nerror\n```\n```python\nprint(2)\n```\n"]},
            ["print(2)"],
        ),
        ({"code": ["```python\nprint('```')\n```"]}, ["print('```')"]),
        ({"generated": "\nimport math\nans = 3\n"}, ["import math\nans = 3\nprint(ans)"]),
        ({"generated": ["ans = 3"]}, ["ans = 3\nprint(ans)"]),
        ({"generated": ["ans = 3", "ans = 4"]}, ["ans = 3\nprint(ans)", "ans = 4\nprint(ans)"]),
        ({"program": "if True:\r\n    print(5)\r\n"}, ["if True:\n    print(5)"]),
    ],
)
def test_layouts(write: Write, record: dict[str, Any], codes: list[str]) -> None:
    found, intake = programs(write(NAME, [{"question": "How many?", **record}]))
    assert [program.code for program in found] == codes
    assert {(p.question, p.model, p.upstream_id) for p in found} == {
        ("How many?", "some/model", "model.jsonl:1")
    }
    assert (intake.read, intake.broken) == (0, [])


def test_a_record_may_name_its_model(write: Write) -> None:
    record = {"question": "How many?", "program": "print(1)", "model": "hf:mine", "seed": 3}
    assert programs(write(NAME, [record]))[0][0].model == "hf:mine"


def test_a_prompt_alone_is_no_record(write: Write) -> None:
    path = write(NAME, [{"prompt": "x"}, {"question": "How many?", "generated": ["ans = 1"]}])
    found, intake = programs(path)
    assert [program.upstream_id for program in found] == ["model.jsonl:2"]
    assert intake == Intake(files=[path])


def test_a_text_without_a_block_is_counted(write: Write) -> None:
    found, intake = programs(write(NAME, [{"question": "How many?", "code": ["It is 3."]}]))
    assert found == []
    assert (intake.read, dict(intake.dropped)) == (1, {NO_BLOCK: 1})


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"generated": ["ans = 1"]}, "question must be a text that is not blank, got None"),
        ({"question": "q"}, "expected one of the keys"),
        ({"question": "q", "prompt": "x"}, "expected one of the keys"),
        ({"question": "q", "code": [1]}, "code must be a text or a list of texts"),
        ({"question": "q", "generated": None}, "generated must be a text or a list of texts"),
    ],
)
def test_broken_records_are_named(write: Write, record: dict[str, Any], message: str) -> None:
    good = {"question": "How many?", "program": "print(1)"}
    found, intake = programs(write(NAME, [good, record, good]))
    assert len(found) == 2
    assert intake.read == len(intake.broken) == 1
    assert f"model.jsonl:2: {message}" in intake.broken[0]
