"""Sums up the runs of evidence.sh: a table, and the picture of the README.

python benchmarks/evidence.py OUT PICTURE.png
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from debate_gym.eval.curves import plot_comparison

FIGURES = ("judge_accuracy", "win_rate_vs_start", "win_rate_wrong_side", "verified_share")


def main() -> None:
    out = Path(sys.argv[1])
    for kind in ("debate", "control", "consultancy"):
        for run in sorted(out.glob(f"{kind}-*/metrics.jsonl")):
            rows = [json.loads(line) for line in run.read_text("utf-8").splitlines()]
            measured = [row for row in rows if "eval/judge_accuracy" in row]
            for name in FIGURES:
                if f"eval/{name}" in measured[0]:
                    cells = [_cell(row, name) for row in (measured[0], measured[-1])]
                    print(f"| {run.parent.name} | {name} | {cells[0]} | {cells[1]} |")
    labels = {"optimised debaters": "debate", "optimised consultants": "consultancy"}
    labels["debaters, shuffled rewards"] = "control"
    runs = {label: sorted(out.glob(f"{kind}-*/metrics.jsonl")) for label, kind in labels.items()}
    plot_comparison({label: paths for label, paths in runs.items() if paths}, Path(sys.argv[2]))


def _cell(row: dict[str, float], name: str) -> str:
    value, low, high = (row[f"eval/{name}{end}"] for end in ("", "_low", "_high"))
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    main()
