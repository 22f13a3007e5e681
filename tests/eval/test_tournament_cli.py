from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval import tournament_cli

MATCHES = [
    {"a": "x", "b": "y", "wins_a": 75, "games": 100, "a_side": "correct", "question_id": "1"},
    {"a": "y", "b": "x", "wins_a": 40, "games": 100, "a_side": "correct", "question_id": "2"},
    {"a": "z", "b": "x", "wins_a": 50, "games": 100, "a_side": "correct", "question_id": "3"},
    {"a": "x", "b": "z", "wins_a": 70, "games": 100, "a_side": "correct", "question_id": "4"},
]


def command(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    tournament_cli.add_commands(parser.add_subparsers(required=True))
    args = parser.parse_args(argv)
    status: int = args.run(args)
    return status


def output(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    assert command(*argv) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def matches(tmp_path: Path) -> str:
    path = tmp_path / "m.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in MATCHES))
    return str(path)


def test_elo_prints_the_contract(matches: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = output(capsys, "elo", matches, "--reference", "y", "--bootstrap", "20", "--json")
    assert set(found) == {"ratings", "components", "warnings"}
    assert list(found["ratings"]) == ["x", "z", "y"]
    assert set(found["ratings"]["x"]) == {"rating", "low", "high", "games"}
    assert found["ratings"]["x"]["games"] == 400
    assert found["ratings"]["y"]["rating"] == 0
    assert found["components"] == [["x", "y", "z"]]
    assert found["warnings"] == []


def test_elo_options(matches: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("elo", matches, "--bootstrap", "0", "--prior", "0", "--json")
    small, large = (
        output(capsys, *argv, "--scale", scale)["ratings"]["x"] for scale in ("400", "500")
    )
    assert large["rating"] == pytest.approx(small["rating"] * 1.25)
    assert (small["low"], small["high"]) == (None, None)
    likely = output(capsys, *argv, "--loss", "nll")["ratings"]["x"]["rating"]
    assert likely != small["rating"]
    even = output(capsys, *argv, "--loss", "nll", "--weights", "pairs")["ratings"]["x"]["rating"]
    assert even == pytest.approx(likely, abs=1e-3)  # All pairs played 200 games.


def test_elo_repeats_itself(matches: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("elo", matches, "--bootstrap", "20", "--json")
    assert output(capsys, *argv) == output(capsys, *argv)
    assert output(capsys, *argv, "--seed", "1") != output(capsys, *argv)


def test_sides_and_trueskill(matches: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("elo", matches, "--bootstrap", "10", "--sides", "--trueskill", "--json")
    found = output(capsys, *argv)
    sides = found["sides"]["x"]
    assert sides["advantage"]["rating"] == pytest.approx(
        sides["correct"]["rating"] - sides["incorrect"]["rating"]
    )
    assert next(iter(found["trueskill"])) == "x"
    assert -1 <= found["pearson"] <= 1
    # Chains of x-correct, y-incorrect and x-correct, z-incorrect never reach x-incorrect.
    assert any(warning.startswith("sides: there are 2 groups") for warning in found["warnings"])


def test_a_circle_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.jsonl"
    pairs = [("a", "b"), ("b", "c"), ("c", "a")]
    lines = [json.dumps({"a": a, "b": b, "wins_a": 80, "games": 100}) for a, b in pairs]
    path.write_text("\n".join(lines))
    (warning,) = output(capsys, "elo", str(path), "--bootstrap", "0", "--json")["warnings"]
    assert "cyclic dominance: a > b > c > a" in warning


def test_people_get_a_table(matches: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("elo", matches, "--bootstrap", "10", "--sides", "--trueskill") == 0
    printed = capsys.readouterr()
    assert "truth advantage" in printed.out
    assert "warning: sides" in printed.err


def test_tournament_prints_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.yaml"
    path.write_text('players: ["scripted:best", "scripted:random"]\nquestions: 3\nbootstrap: 10\n')
    argv = ("tournament", "--config", str(path), "--out", str(tmp_path / "out"))
    found = output(capsys, *argv, "--json")
    assert found["ranking"][0] == "scripted:best"
    assert found["rounds"][0]["matches"][0]["games"] <= 6
    assert command(*argv) == 0
    assert "points" in capsys.readouterr().out
