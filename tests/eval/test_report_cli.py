from __future__ import annotations

import json
from pathlib import Path

import pytest

from debate_gym.envs.nouns import Episode
from debate_gym.eval.cli import main


@pytest.fixture
def folder(tmp_path: Path, episodes: tuple[Episode, ...]) -> Path:
    lines = (json.dumps(episode.to_json()) + "\n" for episode in episodes)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "episodes.jsonl").write_text("".join(lines), "utf-8")
    return tmp_path / "run"


def test_a_page_is_written_beside_the_episodes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder)]) == 0
    page = (folder / "report.html").read_text("utf-8")
    assert "<title>run – debate-gym report</title>" in page
    shown = capsys.readouterr().out
    assert "12 episodes" in shown
    assert "no figure open-roles: no speaker" in shown


def test_its_json_says_what_is_drawn(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "page.html"
    given = ["report", str(folder), "--out", str(out), "--title", "A & B", "--json"]
    assert main([*given, "--transcripts", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["report"] == str(out)
    assert (result["episodes"], result["bytes"]) == (12, out.stat().st_size)
    assert result["figures"]["accuracy"] == "drawn"
    page = out.read_text("utf-8")
    assert "<h1>A &amp; B</h1>" in page
    assert "3 of the 12 episodes are here" in page


def test_compare_prints_and_writes_one_object(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "difference.json"
    assert main(["compare", str(folder), str(folder), "--json", "--out", str(out)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads(out.read_text("utf-8"))
    assert [one["condition_a"] for one in result["comparisons"]] == [
        "scripted:random@:self-play",
        "scripted:random@:versus-start",
    ]
    for one in result["comparisons"]:
        assert one["difference"]["value"] == 0
        assert sum(one["outcomes_a"].values()) == sum(one["outcomes_b"].values())
        assert one["unpaired_a"] == 0
    assert [sum(one["outcomes_a"].values()) for one in result["comparisons"]] == [4, 8]


def test_compare_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["--condition-a", "scripted:random@:self-play"]
    names += ["--condition-b", "scripted:random@:versus-start"]
    assert main(["compare", str(folder), str(folder), *names]) == 0
    shown = capsys.readouterr().out
    assert "scripted:random@:self-play -> scripted:random@:versus-start" in shown
    assert "4 shared questions" in shown


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["report", "{empty}"], "no episodes in"),
        (["report", "{run}", "--transcripts", "-1"], "must not be negative, got -1"),
        (["compare", "{run}", "{empty}"], "no episodes in"),
        (["compare", "{run}", "{run}", "--condition-a", "x"], "both runs, or of none"),
        (["report", "{bad}"], "episodes.jsonl:1: no episode"),
    ],
)
def test_bad_input_exits_with_two(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    message: str,
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "episodes.jsonl").write_text("{}\n")
    places = {"empty": tmp_path / "empty", "run": folder, "bad": tmp_path / "bad"}
    assert main([part.format(**places) for part in command]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
