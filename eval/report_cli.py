"""The commands `debate-gym report` and `debate-gym compare`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console

REPORT = "report.html"
EXAMPLES = """examples:
  debate-gym report runs/eval
  debate-gym report runs/debate_ppo/run-1 --out debate.html --title "PPO on evidence"
"""
COMPARE_EXAMPLES = """examples:
  debate-gym compare runs/eval-before runs/eval-after
  debate-gym compare runs/debate_ppo/run-1 runs/debate_ppo/run-1 \\
      --condition-a tiny@step-0:self-play --condition-b tiny@step-200:self-play
"""


def add_commands(commands: Any) -> None:
    """Adds `report` and `compare` to the command line's subparsers."""
    one = commands.add_parser(
        "report",
        help="one self-contained HTML page with figures, tables and a transcript browser",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument(
        "folder", type=Path, help="with episodes.jsonl or transcripts/*.jsonl; or an episode file"
    )
    one.add_argument("--out", type=Path, help=f"file to write (default: {REPORT} in the folder)")
    one.add_argument("--title", help="of the page (default: the folder's name)")
    one.add_argument(
        "--transcripts",
        type=int,
        default=10_000,
        help="episodes in the transcript browser at most, evenly spread (default 10000)",
    )
    one.add_argument("--json", action="store_true", help="print what was written as one object")
    one.set_defaults(run=_report)
    one = commands.add_parser(
        "compare",
        help="the paired comparison of two runs on the questions that they share",
        epilog=COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for run in "ab":
        one.add_argument(f"run_{run}", metavar=f"DIR_{run.upper()}", type=Path)
        one.add_argument(f"--condition-{run}", help=f"of DIR_{run.upper()}, in place of equal ones")
    one.add_argument("--seed", type=int, default=0, help="of the permutation test")
    one.add_argument("--out", type=Path, help="write the object that --json prints to a file too")
    one.add_argument("--json", action="store_true", help="print one object")
    one.set_defaults(run=_compare)


def _report(args: argparse.Namespace) -> int:
    from debate_gym.eval.report import build

    report = build(args.folder, title=args.title, transcripts=args.transcripts)
    home = args.folder.parent if args.folder.is_file() else args.folder
    path = args.out or home / REPORT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report.html, encoding="utf-8")
    if args.json:
        sizes = {"episodes": report.episodes, "bytes": path.stat().st_size}
        print(json.dumps({"report": str(path), **sizes, "figures": report.figures}))
        return 0
    console = Console(soft_wrap=True)
    console.print(f"{path}: {report.episodes:,} episodes", highlight=False, markup=False)
    for name, state in report.figures.items():
        if state != "drawn":
            console.print(f"  no figure {name}: {state}", highlight=False, markup=False)
    return 0


def _compare(args: argparse.Namespace) -> int:
    from debate_gym.eval.compare import compare
    from debate_gym.eval.compare_table import family, lines
    from debate_gym.eval.report.rows import read_folder, rows

    a, b = (rows(read_folder(folder)) for folder in (args.run_a, args.run_b))
    conditions = {"condition_a": args.condition_a, "condition_b": args.condition_b}
    found, notes = compare(a, b, **conditions, seed=args.seed)
    if not found:
        raise ValueError(
            f"{args.run_a} and {args.run_b} have nothing in common to compare: "
            f"{'; '.join(notes) or 'no task, protocol and judge is in both'}"
        )
    runs = {"a": str(args.run_a), "b": str(args.run_b)}
    result = {
        **runs,
        "comparisons": [one.to_json() for one in found],
        "not_compared": notes,
        "family": family(found).note,
    }
    if args.out is not None:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    if args.json:
        print(json.dumps(result))
        return 0
    for line in lines(found, notes):
        print(line)
    return 0
