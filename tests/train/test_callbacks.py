from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from debate_gym.train.callbacks import MetricsFile, plain_metrics


def state(step: int, main: bool = True) -> SimpleNamespace:
    return SimpleNamespace(global_step=step, is_world_process_zero=main)


def steps(path: Path) -> list[int]:
    return [json.loads(line)["step"] for line in path.read_text().splitlines()]


def test_names_and_numbers() -> None:
    logs = {
        "eval_judge_accuracy": 0.5,
        "kl": float("nan"),
        "step_time": 1.0,
        "name": "x",
        "loss": 1,
    }
    assert plain_metrics(logs) == {"eval/judge_accuracy": 0.5, "loss": 1}


def test_a_resumed_run_drops_what_it_will_write_again(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    file = MetricsFile(path, steps_per_iteration=4)
    file.on_train_begin(None, state(0), None)
    for step in (0, 4, 8):
        file.on_log(None, state(step), None, logs={"loss": float(step)})
    with path.open("a") as torn:
        torn.write('{"step": 12, "lo')
    file.on_train_begin(None, state(4), None)
    assert steps(path) == [0, 4]
    file.on_log(None, state(8), None, logs={"loss": 8.0})
    assert json.loads(path.read_text().splitlines()[-1]) == {"step": 8, "iteration": 2, "loss": 8.0}


def test_a_new_run_begins_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 0}\n')
    MetricsFile(path, 1).on_train_begin(None, state(0), None)
    assert path.read_text() == ""


def test_only_the_main_process_writes(tmp_path: Path) -> None:
    file = MetricsFile(tmp_path / "metrics.jsonl", 1)
    file.on_train_begin(None, state(0, main=False), None)
    file.on_log(None, state(1, main=False), None, logs={"loss": 1.0})
    assert not file.path.exists()
