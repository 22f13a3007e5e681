from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from debate_gym.agents import specs
from debate_gym.eval.config import EvalConfig
from debate_gym.eval.runner import run
from debate_gym.eval.store import read_episodes
from debate_gym.eval.suite import freeze, read_suite

CONFIG = EvalConfig(("scripted:random", "scripted:best"), questions=4)
SLOW = """
import sys, time
from pathlib import Path
from debate_gym.envs.scripted import ScriptedPolicy
from debate_gym.eval import checkpoint
from debate_gym.eval.config import EvalConfig
from debate_gym.eval.runner import run
act = ScriptedPolicy.act
def slow(self, observations):
    time.sleep(0.02)
    return act(self, observations)
ScriptedPolicy.act = slow
checkpoint.evaluate_policy.__kwdefaults__["slots"] = 1
run(EvalConfig(("scripted:random",), questions=60), Path(sys.argv[1]))
"""


def test_the_first_model_is_the_reference(tmp_path: Path) -> None:
    random, best = run(CONFIG, tmp_path).values()
    assert best.metrics()["eval/win_rate_vs_start"] > random.metrics()["eval/win_rate_vs_start"]
    rivals = {r.model for e in best.of("versus-start") for r in e.seats.values()}
    assert rivals == {"scripted:best", "scripted:random"}
    assert len(read_episodes(tmp_path / "episodes.jsonl")) == 24


def test_a_frozen_suite_is_played(tmp_path: Path) -> None:
    freeze(tmp_path / "s.jsonl", ["evidence"], n=6, seed=5)
    config = replace(CONFIG, models=CONFIG.models[:1], suite=str(tmp_path / "s.jsonl"))
    run(config, tmp_path / "out")
    _, questions = read_suite(tmp_path / "s.jsonl")
    played = {episode.question.id for episode in read_episodes(tmp_path / "out/episodes.jsonl")}
    assert played == {question.id for question in questions[:4]}
    with pytest.raises(ValueError, match=r"holds \['evidence'\], not 'boolq'"):
        run(replace(config, task="boolq"), tmp_path / "other")


def test_a_second_call_plays_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(CONFIG, tmp_path)
    before = (tmp_path / "episodes.jsonl").read_bytes()

    def refuse(*_: object) -> None:
        raise AssertionError("a policy was asked again")

    monkeypatch.setattr("debate_gym.envs.scripted.ScriptedPolicy.act", refuse)
    again = run(CONFIG, tmp_path)
    assert (tmp_path / "episodes.jsonl").read_bytes() == before
    assert {n: e.metrics() for n, e in again.items()} == {n: e.metrics() for n, e in first.items()}


def test_a_model_may_come_later_but_nothing_else_may_change(tmp_path: Path) -> None:
    run(replace(CONFIG, models=CONFIG.models[:1]), tmp_path)
    assert len(run(CONFIG, tmp_path)) == 2
    with pytest.raises(ValueError, match=r"other settings of \['questions'\]; choose another"):
        run(replace(CONFIG, questions=5), tmp_path)
    with pytest.raises(ValueError, match=r"other settings of \['reference'\]"):
        run(replace(CONFIG, models=CONFIG.models[::-1]), tmp_path)


@pytest.mark.parametrize("held", [b"- a", b"{", b"\x01", b"\xff", b""])
def test_damaged_settings_are_told_and_kept(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "config.yaml").write_bytes(held)
    with pytest.raises(ValueError, match=r"config\.yaml should hold the settings"):
        run(CONFIG, tmp_path)
    assert (tmp_path / "config.yaml").read_bytes() == held


def test_other_weights_under_the_same_name_are_another_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(CONFIG, tmp_path)
    monkeypatch.setattr(specs.scripted_policy(CONFIG.models[0]).__class__, "revision", "new")
    with pytest.raises(ValueError, match=r"other settings of \['reference'\]"):
        run(CONFIG, tmp_path)


def test_nothing_is_left_behind_when_the_task_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError):
        run(replace(CONFIG, task="boolq"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_killed_evaluation_goes_on_to_the_same_end(tmp_path: Path) -> None:
    config = EvalConfig(("scripted:random",), questions=60)
    whole = run(config, tmp_path / "whole")
    path = tmp_path / "broken" / "episodes.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(path.parent)], stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not path.is_file() or path.read_bytes().count(b"\n") < 5:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = path.read_bytes()
    assert 5 <= kept.count(b"\n") < 180
    path.write_bytes(kept[: kept.rindex(b"\n") + 1] + b'{"id": "to')
    assert run(config, path.parent)["scripted:random"].metrics() == (
        whole["scripted:random"].metrics()
    )
    assert path.read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()
