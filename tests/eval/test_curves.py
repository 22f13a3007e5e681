from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from debate_gym.eval.curves import plot_comparison, plot_curves

PNG = b"\x89PNG\r\n\x1a\n"


def run(path: Path, values: dict[int, float]) -> Path:
    rows = [{"step": step, "kl": 0.1 * step, "entropy": 1.0} for step in values]
    for row, (step, value) in zip(rows, values.items(), strict=True):
        row |= {
            "step": step,
            "eval/judge_accuracy": value,
            "eval/judge_accuracy_low": value - 0.1,
            "eval/judge_accuracy_high": value + 0.1,
        }
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[plt.Figure]:
    """The figures drawn, kept open to be looked at."""
    kept: list[plt.Figure] = []
    monkeypatch.setattr(plt, "close", kept.append)
    return kept


def test_a_run_in_one_picture(tmp_path: Path, figures: list[plt.Figure]) -> None:
    metrics = run(tmp_path / "m.jsonl", {0: 0.6, 4: 0.8})
    plot_curves(
        metrics, tmp_path / "c.png", title="a run", lines={"random quoting": 0.6, "best play": 0.9}
    )
    assert (tmp_path / "c.png").read_bytes().startswith(PNG)
    accuracy = figures[0].axes[0]
    held_out, random, best = accuracy.lines
    assert list(held_out.get_ydata()) == [0.6, 0.8]
    assert [line.get_linestyle() for line in (random, best)] == ["--", ":"]
    assert len(accuracy.collections) == 1, "the 95 % band"
    labels = [text.get_text() for text in accuracy.get_legend().get_texts()]
    assert labels == ["held-out judge accuracy", "random quoting", "best play"]


def test_a_run_without_evaluations_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"step": 1, "kl": 0.0}\n')
    plot_curves(tmp_path / "m.jsonl", tmp_path / "c.png", title="a run", lines={})
    assert (tmp_path / "c.png").read_bytes().startswith(PNG)


def test_seeds_thin_and_their_mean_thick(tmp_path: Path, figures: list[plt.Figure]) -> None:
    first = run(tmp_path / "1.jsonl", {0: 0.6, 4: 0.8, 8: 0.9})
    second = run(tmp_path / "2.jsonl", {0: 0.4, 4: 0.6})
    plot_comparison({"debate": [first, second]}, tmp_path / "c.png")
    thin, other, mean, _chance = figures[0].axes[0].lines
    assert thin.get_linewidth() == other.get_linewidth() < mean.get_linewidth()
    assert list(mean.get_xdata()) == [0, 4], "where every seed was measured"
    assert list(mean.get_ydata()) == pytest.approx([0.5, 0.7])


def test_a_kind_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'debate' has no runs"):
        plot_comparison({"debate": []}, tmp_path / "c.png")
