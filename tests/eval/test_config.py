from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.eval.config import EvalConfig, load_config

SHIPPED = sorted((Path(__file__).parents[2] / "configs" / "eval").glob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_files_are_read(path: Path) -> None:
    assert load_config(path).models


def test_the_command_line_wins(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("models: [a]\nquestions: 9\ntemperature: 1\n")
    assert load_config(path) == EvalConfig(("a",), questions=9)
    assert load_config(path, ["b", "c"], 3) == EvalConfig(("b", "c"), questions=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models: [a\n", r"c\.yaml:2: not YAML"),
        ("- a\n", r"c\.yaml:1: expected a mapping"),
        ("", r"c\.yaml:1: expected a mapping"),
        ("models: [a]\nquestion: 3\n", r"c\.yaml:2: unknown field 'question'.*'questions'"),
        ("models: [a]\n\nquestions: many\n", r"c\.yaml:3: questions must be int, got 'many'"),
        ("models: [a]\nquestions: yes\n", r"c\.yaml:2: questions must be int, got True"),
        ("models: [a]\nrounds: two\n", r"c\.yaml:2: rounds must be int | None"),
        ("models: a\n", r"c\.yaml:1: models must be a list"),
        ("models: [a, a]\n", r"c\.yaml: models are named twice"),
        ("task: evidence\n", r"c\.yaml: name at least one model"),
        ("models: [a]\nquestions: 0\n", r"c\.yaml: questions must be at least 1"),
        ("models: [a]\nsuite: s\nseed: 3\n", r"c\.yaml: a suite's questions are frozen"),
        ("models: [a]\ntemperature: -1\n", r"c\.yaml: temperature must be a number that is not"),
        ("models: [a]\ntemperature: .nan\n", r"c\.yaml: temperature must be a number that is not"),
        ('models: ["\x01"]\n', r"c\.yaml: not YAML in UTF-8: unacceptable character"),
        ("[" * 3_000, r"c\.yaml: not YAML in UTF-8"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_config(path)


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes(b"models: [caf\xe9]\n")
    with pytest.raises(ValueError, match=r"c\.yaml: not YAML in UTF-8"):
        load_config(path)
