"""The commands `debate-gym data ...`: where data sets are, what they hold, frozen suites."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from debate_gym.envs.names import unknown
from debate_gym.envs.tasks import NINE, SPLITS, TASKS, task_module
from debate_gym.envs.tasks.files import data_root, find_files
from debate_gym.envs.tasks.intake import DEFAULT_N
from debate_gym.eval import build_gsm8k

FOLDERS = {"gpqa-extractive": "gpqa", "gsm8kqa": "gsm8k"}
EXAMPLES = """examples:
  debate-gym data list
  debate-gym data fetch boolq
  debate-gym data check boolq mmlu
  debate-gym data freeze --out suite.jsonl --seed 0
  debate-gym data check --suite suite.jsonl
"""


def add_commands(commands: Any) -> None:
    """Adds `data` and its own commands to the command line's subparsers."""
    parser = commands.add_parser(
        "data",
        help="list, fetch, check and freeze the tasks' data",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(required=True, metavar="COMMAND")
    one = kinds.add_parser("list", help="where each data set is looked for and what is there")
    one.add_argument("--json", action="store_true", help="print one object")
    one.set_defaults(run=_list)
    one = kinds.add_parser("check", help="what the files hold, dropped by which rule, and kept")
    one.add_argument("tasks", nargs="*", metavar="TASK", help="all nine if none is named")
    one.add_argument("--suite", type=Path, help="check a frozen suite in place of the files")
    one.add_argument("--json", action="store_true", help="print one object")
    one.add_argument("--markdown", action="store_true", help="print a table for a page")
    one.set_defaults(run=_check)
    one = kinds.add_parser("fetch", help="download upstream files, at pinned revisions")
    one.add_argument("tasks", nargs="+", metavar="TASK")
    one.set_defaults(run=_fetch)
    one = kinds.add_parser(
        "freeze", help="write a suite: the questions of a benchmark, in one file"
    )
    one.add_argument("--out", type=Path, required=True, help="JSON Lines file to write")
    one.add_argument("--tasks", nargs="+", default=list(NINE), help="all nine if not given")
    one.add_argument("--n", type=int, default=DEFAULT_N, help="questions a task (default 128)")
    one.add_argument("--seed", type=int, default=0, help="of the draw (default 0)")
    one.add_argument("--split", choices=SPLITS, default="heldout")
    one.set_defaults(run=_freeze)
    build_gsm8k.add_command(kinds)


def folder_of(task: str) -> str:
    """The folder below the data root that a task reads; tasks may share one.

    Raises:
        ValueError: on an unknown task, or one that is built in.
    """
    if task not in NINE:
        raise ValueError(unknown("task with data files", task, NINE))
    return FOLDERS.get(task, task)


def _list(args: argparse.Namespace) -> int:
    rows = {task: _state(task) for task in NINE}
    if args.json:
        print(json.dumps({"root": str(data_root()), "tasks": rows}))
        return 0
    table = Table("task", "files", "looked for", "licence", "source")
    for task, row in rows.items():
        found = str(row["found"]) if row["found"] else "[red]none[/red]"
        table.add_row(task, found, row["names"], row["licence"], row["source"])
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(f"below {data_root()}", soft_wrap=True)
    console.print(table)
    missing = list(dict.fromkeys(row["folder"] for row in rows.values() if not row["found"]))
    if missing:
        console.print(f"to get what is missing: debate-gym data fetch {' '.join(missing)}")
    return 0


def _state(task: str) -> dict[str, Any]:
    module, folder = task_module(task), folder_of(task)
    try:
        found = len(find_files(folder, module.FILES, module.SOURCE))
    except FileNotFoundError:
        found = 0
    return {
        "folder": folder,
        "found": found,
        "names": f"{folder}/**/" + ", ".join(module.FILES),
        "licence": module.LICENCE,
        "source": module.SOURCE,
    }


def _check(args: argparse.Namespace) -> int:
    if args.suite is not None:
        return _check_suite(args)
    from debate_gym.eval.data_check import check, markdown

    accounts = [check(task) for task in args.tasks or NINE]
    if args.json:
        print(json.dumps({"tasks": [account.to_json() for account in accounts]}))
    elif args.markdown:
        print(markdown(accounts))
    else:
        for account in accounts:
            _print_account(account)
    broken = [line for account in accounts for line in account.intake.broken]
    for line in broken:
        print(f"error: {line}", file=sys.stderr)
    return 2 if broken else 0


def _print_account(account: Any) -> None:
    intake = account.intake
    print(f"{account.task}: {len(intake.files)} files")
    print(f"  {intake.read} read")
    for rule, number in sorted(intake.dropped.items()):
        print(f"  {number} dropped: {rule}")
    print(f"  {intake.duplicates} duplicates, {len(intake.broken)} broken")
    print(f"  {account.kept} kept, hash {account.hash}")


def _check_suite(args: argparse.Namespace) -> int:
    from debate_gym.eval.suite import read_suite

    header, questions = read_suite(args.suite)
    if args.json:
        print(json.dumps(header))
        return 0
    print(f"{args.suite}: {len(questions)} questions, sha256 {header['sha256']}")
    for task, row in header["tasks"].items():
        print(f"  {task}: {row['questions']}")
    return 0


def _fetch(args: argparse.Namespace) -> int:
    from debate_gym.eval.fetch import fetch
    from debate_gym.eval.sources import SOURCES

    wanted = [name if name in SOURCES else folder_of(name) for name in args.tasks]
    for folder in dict.fromkeys(wanted):
        for path in fetch(folder):
            print(path)
    return 0


def _freeze(args: argparse.Namespace) -> int:
    from debate_gym.eval.suite import freeze

    for task in args.tasks:
        if task not in TASKS:
            raise ValueError(unknown("task", task, TASKS))
    counts = freeze(args.out, args.tasks, n=args.n, seed=args.seed, split=args.split)
    for task, number in counts.items():
        short = (
            "" if number == args.n else f" (all there are in {args.split}; {args.n} were asked for)"
        )
        print(f"{task}: {number}{short}")
    if any(task.startswith("gpqa") for task in args.tasks):
        print(
            "note: the file holds GPQA questions in plain text, with their canary. The authors ask "
            "that they be kept off the web: do not publish it.",
            file=sys.stderr,
        )
    return 0
