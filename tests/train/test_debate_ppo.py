"""The entry as users start it: in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRY = ROOT / "train" / "debate_ppo.py"
ENVIRONMENT = {
    **os.environ,
    "HF_HUB_OFFLINE": "1",
    "WANDB_MODE": "disabled",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
}
ITERATIONS = 8


def arguments(toy: Path, out: Path, *more: str) -> list[str]:
    fields = {
        "model": toy,
        "output_dir": out,
        "iterations": ITERATIONS,
        "episodes": 4,
        "save_every": 2,
        "eval_every": 4,
        "eval_questions": 4,
        # A random model quotes nothing, so a judge that knows the label is what pays it something;
        # with several plays of a question its pay would be the same in all of them.
        "judge": "gold",
        "plays": 1,
        "learning_rate": 1e-2,
    }
    return [*(part for name, value in fields.items() for part in (f"--{name}", str(value))), *more]


def start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=log.parent,
            env=ENVIRONMENT,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def finish(command: list[str], log: Path) -> str:
    code = start(command, log).wait(timeout=200)
    text = log.read_text()
    assert code == 0, text[-4000:]
    return text


def test_a_killed_run_ends_as_an_unbroken_one(toy: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    report = finish([sys.executable, str(ENTRY), *arguments(toy, whole)], tmp_path / "whole.log")
    assert "win rate against the start" in report
    assert (whole / "curves.png").stat().st_size > 10_000

    command = [sys.executable, str(ENTRY), *arguments(toy, broken)]
    process = start(command, tmp_path / "killed.log")
    deadline = time.monotonic() + 120
    while not (broken / "checkpoint-16" / "trainer_state.json").exists():
        assert time.monotonic() < deadline, (tmp_path / "killed.log").read_text()[-4000:]
        assert process.poll() is None, (tmp_path / "killed.log").read_text()[-4000:]
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not (broken / "final").exists()

    refused = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2
    assert "--resume_from_checkpoint last" in refused.stderr

    report = finish([*command, "--resume_from_checkpoint", "last"], tmp_path / "resumed.log")
    assert "resuming from" in report
    assert "warning" not in report
    assert (whole / "final" / "model.safetensors").read_bytes() != (
        toy / "model.safetensors"
    ).read_bytes()
    for name in (
        "final/model.safetensors",
        "final/value_head.safetensors",
        "metrics.jsonl",
        "transcripts/step-000000.jsonl",
        "transcripts/step-000032.jsonl",
    ):
        assert (broken / name).read_bytes() == (whole / name).read_bytes(), name
    steps = [
        json.loads(line)["step"] for line in (broken / "metrics.jsonl").read_text().splitlines()
    ]
    assert steps == [0, 4, 8, 12, 16, 16, 20, 24, 28, 32, 32]


TWO = """
import json, sys
from pathlib import Path
from debate_gym.agents.models import revision
from debate_gym.train.config import parse
from debate_gym.train.run import Run

class AwayOnSecond:
    # A judge that the second process cannot reach in some episodes.
    def __init__(self, judge):
        self.judge_with, self.name = judge, judge.name
    def judge(self, states):
        if any(state.id.startswith(("0:", "1:")) for state in states):
            raise ConnectionError("away")
        return self.judge_with.judge(states)

run = Run(parse())
accelerator = run.trainer.accelerator
before = revision(run.trainer.model)
if accelerator.process_index == 1:
    object.__setattr__(run.trainer.self_play, "judge", AwayOnSecond(run.judge))
run.train()
run.report()
result = {
    "processes": accelerator.num_processes,
    "before": before,
    "after": revision(accelerator.unwrap_model(run.trainer.model)),
}
Path(sys.argv[2], f"rank-{accelerator.process_index}.json").write_text(json.dumps(result))
"""


def test_two_processes_train_one_policy(toy: Path, tmp_path: Path) -> None:
    script, out = tmp_path / "two.py", tmp_path / "run"
    script.write_text(TWO)
    launch = [sys.executable, "-m", "accelerate.commands.launch", "--main_process_port", "0"]
    config = ["--config_file", str(ROOT / "configs" / "accelerate" / "cpu_2.yaml"), str(script)]
    finish(
        [*launch, *config, "--output_dir", str(out), *arguments(toy, out, "--iterations", "2")],
        tmp_path / "two.log",
    )
    ranks = [json.loads((out / f"rank-{rank}.json").read_text()) for rank in (0, 1)]
    assert [rank["processes"] for rank in ranks] == [2, 2]
    assert ranks[0]["after"] == ranks[1]["after"] != ranks[0]["before"]
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    # Two of the second process's four episodes, of eight in all.
    assert [line["outcome/failed"] for line in lines if "outcome/failed" in line] == [0.25, 0.25]
    assert [line["eval/judge_accuracy_n"] for line in lines if "eval/judge_accuracy_n" in line] == [
        4,
        4,
    ]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (["--iteratons", "3"], "did you mean 'iterations'"),
        (["--model", "tyni"], "unknown model 'tyni'"),
    ],
)
def test_wrong_arguments_end_with_status_2(tmp_path: Path, wrong: list[str], expected: str) -> None:
    result = subprocess.run(
        [sys.executable, str(ENTRY), *wrong],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 2
    assert expected in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())
