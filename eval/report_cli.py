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
