from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs.nouns import Episode
from debate_gym.eval.cli import main

HEAVY = "import sys; from debate_gym.eval.cli import main; main(sys.argv[1:]); \
print(*{'torch', 'transformers', 'matplotlib', 'scipy'} & set(sys.modules), file=sys.stderr)"


def output(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    assert main(argv) == 0
    return json.loads(capsys.readouterr().out)


def record(episode: Episode, outcome: str, **changes: Any) -> dict[str, Any]:
    decided = {"correct": (0, [0.9, 0.1]), "incorrect": (1, [0.2, 0.8]), "tie": (None, [0.5, 0.5])}
    choice, p = decided.get(outcome, (None, None))
    verdict = {"judge": "j", "order": [0, 1], "choice": choice, "p": p, "outcome": outcome}
    return {**episode.to_json(), "correct": 0, "verdicts": [verdict], **changes}


def write(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in records))
    return str(path)


def test_score_by_hand(
    tmp_path: Path, episodes: tuple[Episode, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = ("correct", "correct", "correct", "incorrect", "tie", "unreadable", "failed")
    records = [record(episodes[0], o, question_id=f"q{i}") for i, o in enumerate(outcomes)]
    path = write(tmp_path / "e.jsonl", *records, record(episodes[0], "tie", protocol="x"))
    groups = output(capsys, "score", path, "--json")["groups"]
    assert [group["protocol"] for group in groups] == ["debate", "x"]
    first = groups[0]
    assert first | {"low": 0, "high": 0, "condition": ""} == {
        "task": "evidence",
        "protocol": "debate",
        "condition": "",
        "judge": "j",
        "n": 7,
        "correct": 3,
        "incorrect": 1,
        "tie": 1,
        "unreadable": 1,
        "failed": 1,
        "accuracy": 0.7,
        "low": 0,
        "high": 0,
    }
    # 1, 1, 1, 0, 1/2: variance 0.8 / 4 = 0.2, standard error 0.2; 0.7 + 0.39 is clipped to 1.
    assert first["low"] == pytest.approx(0.7 - 1.959964 * 0.2)
    assert first["high"] == 1
    assert (groups[1]["accuracy"], groups[1]["low"]) == (0.5, None)


def test_score_averages_the_orders_of_a_judge_and_keeps_judges_apart(
    tmp_path: Path, episodes: tuple[Episode, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    orders = [
        {"judge": "j", "order": [0, 1], "choice": 0, "p": [0.9, 0.1], "outcome": "correct"},
        {"judge": "j", "order": [1, 0], "choice": 1, "p": [0.3, 0.7], "outcome": "incorrect"},
        {"judge": "k", "order": [0, 1], "choice": 1, "p": [0.3, 0.7], "outcome": "incorrect"},
    ]
    path = write(tmp_path / "e.jsonl", record(episodes[0], "tie", verdicts=orders))
    j, k = output(capsys, "score", path, "--json")["groups"]
    assert (j["judge"], j["n"], j["correct"], j["incorrect"], j["accuracy"]) == ("j", 1, 1, 0, 1)
    assert (k["judge"], k["n"], k["incorrect"], k["accuracy"]) == ("k", 1, 1, 0)


def test_score_is_undefined_without_a_readable_verdict(
    tmp_path: Path, episodes: tuple[Episode, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "e.jsonl", record(episodes[0], "unreadable"))
    (group,) = output(capsys, "score", path, "--json")["groups"]
    assert (group["n"], group["unreadable"], group["accuracy"]) == (1, 1, None)


def test_score_reads_an_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "score", write(tmp_path / "e.jsonl"), "--json") == {"groups": []}


def test_play_prints_a_record_that_score_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played = output(capsys, "play", "--policy", "scripted:best", "--json", "--seed", "3")
    (group,) = output(capsys, "score", write(tmp_path / "e.jsonl", played), "--json")["groups"]
    assert group[played["verdicts"][0]["outcome"]] == 1


def test_play_is_readable_and_repeats_itself(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--turns", "sequential", "--rounds", "1", "--opponent", "scripted:best")
    assert main(["play", *options]) == 0
    text = capsys.readouterr().out
    assert text.count("<v_passage>") == 2
    assert "Verdict of evidence" in text
    assert main(["play", *options]) == 0
    assert capsys.readouterr().out == text


def test_play_takes_a_question_by_its_id(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = output(capsys, "play", "--json")["question_id"]
    assert output(capsys, "play", "--json", "--question-id", chosen)["question_id"] == chosen
    assert main(["play", "--question-id", "nope"]) == 2
    assert chosen in capsys.readouterr().err


def test_eval_prints_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("models: [scripted:random, scripted:best]\nquestions: 4\n")
    argv = ("eval", "--config", str(config), "--out", str(tmp_path / "out"))
    figures = output(capsys, *argv, "--json")
    assert list(figures) == ["scripted:random", "scripted:best"]
    assert figures["scripted:best"]["eval/judge_accuracy_n"] == 4
    assert main(argv) == 0
    table = capsys.readouterr().out
    assert f"{figures['scripted:best']['eval/judge_accuracy']:.3f} n=4" in table


def test_models_of_one_folder_are_scored_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("models: [scripted:random, scripted:best]\nquestions: 4\n")
    figures = output(capsys, "eval", "--config", str(config), "--out", str(tmp_path), "--json")
    groups = output(capsys, "score", str(tmp_path / "episodes.jsonl"), "--json")["groups"]
    scored = {group["condition"]: group["accuracy"] for group in groups}
    for name in figures:
        assert scored[f"{name}@:self-play"] == figures[name]["eval/judge_accuracy"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["play", "--protocol", "debat"], "did you mean 'debate'"),
        (["play", "--task", "evidenc"], "did you mean 'evidence'"),
        (["play", "--policy", "scripted:bset"], "did you mean 'best'"),
        (["play", "--judge", "gild"], "did you mean 'gold'"),
        (["play", "--rounds", "0"], "at least 1 round"),
        (["score", "nowhere.jsonl"], "nowhere.jsonl"),
        (["eval", "--config", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_bad_input_exits_with_2(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_a_broken_file_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "e.jsonl", {"id": "x"})
    assert main(["score", path, "--json"]) == 2
    assert f"{path}:1: no episode" in capsys.readouterr().err


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    assert "debate-gym play --protocol debate" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [["play"], ["score", "{file}"]])
def test_scripted_play_and_score_load_no_model_library(argv: list[str], tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl")
    command = [sys.executable, "-c", HEAVY, *(part.format(file=path) for part in argv)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
