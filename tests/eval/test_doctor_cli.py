from __future__ import annotations

import argparse
import json

import pytest

from debate_gym.eval.doctor_cli import add_command


def run(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    add_command(parser.add_subparsers())
    args = parser.parse_args(["doctor", "--model", "tiny", *argv])
    status: int = args.run(args)
    return status


def test_a_sound_model_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--max-new-tokens", "16", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["model"], record["protocol"], record["failed"]) == ("tiny", "debate", 0)
    assert {check["status"] for check in record["checks"]} == {"pass", "warn"}
    assert {check["name"] for check in record["checks"]} > {"context room", "speed"}


def test_a_failure_exits_1_and_says_the_cure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--max-new-tokens", "500", "--protocol", "consultancy") == 1
    shown = capsys.readouterr().out
    assert "context room" in shown
    assert "fewer rounds" in shown


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="--max-new-tokens must be at least 1"):
        run("--max-new-tokens", "0")
    with pytest.raises(ValueError, match="unknown protocol"):
        run("--protocol", "debat")
