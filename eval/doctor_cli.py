"""The command `debate-gym doctor`: is a model safe to debate and to train with?"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from debate_gym.envs.protocol import load_protocol, protocol_names
from debate_gym.envs.tasks import TASKS

STYLES = {"pass": "green", "warn": "yellow", "fail": "red"}


def add_command(commands: Any) -> None:
    """Adds `doctor` to the command line's subparsers."""
    parser = commands.add_parser("doctor", help="is a model safe to debate and to train with?")
    parser.add_argument("--model", required=True, help="a local model's spec")
    parser.add_argument("--protocol", default="debate", help=f"one of {protocol_names()}")
    parser.add_argument("--rounds", type=int, help="turns of each seat")
    parser.add_argument("--task", default="evidence", help=f"one of {list(TASKS)}")
    parser.add_argument("--max-new-tokens", type=int, default=256, help="of a speech (256)")
    parser.add_argument("--max-article-words", type=int, help="as in the task, if it takes that")
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.set_defaults(run=_doctor)


def _doctor(args: argparse.Namespace) -> int:
    from debate_gym.agents.doctor import doctor

    protocol = load_protocol(args.protocol, rounds=args.rounds)
    if args.max_new_tokens < 1:
        raise ValueError(f"--max-new-tokens must be at least 1, got {args.max_new_tokens}")
    results = doctor(
        args.model,
        protocol,
        task=args.task,
        max_new_tokens=args.max_new_tokens,
        max_article_words=args.max_article_words,
    )
    failed = sum(check.status == "fail" for check in results)
    if args.json:
        record = {"model": args.model, "protocol": protocol.name, "task": args.task}
        print(json.dumps({**record, "failed": failed, "checks": [c.to_json() for c in results]}))
        return 1 if failed else 0
    table = Table("check", "status", "seen", "cure", show_lines=True)
    for check in results:
        status = Text(check.status, STYLES[check.status])
        table.add_row(check.name, status, Text(check.seen), Text(check.cure))
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    return 1 if failed else 0
