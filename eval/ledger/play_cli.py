"""The commands `debate-gym panel` and `debate-gym probe`: they run a model."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from debate_gym.agents.panel_rollout import TEMPERATURES
from debate_gym.eval.ledger.panel_file import read_panels
from debate_gym.eval.ledger.panel_run import ARMS, PanelPlan, run_panels
from debate_gym.eval.ledger.probe_run import ProbePlan, run_probes
from debate_gym.eval.ledger.probes import cost_beside_audit, rates_by_model, read_probes
from debate_gym.eval.ledger.transitions import Rules, ledger, score


def add_commands(commands: Any) -> None:
    """Adds the commands to the command line's subparsers."""
    one = _command(commands, "panel", "panels of one model on multiple-choice questions")
    one.add_argument("--rounds", type=int, default=3, help="revisions after round 0 (default 3)")
    one.add_argument(
        "--temperatures", type=float, nargs="+", default=TEMPERATURES, help="one a seat"
    )
    one.add_argument("--arms", nargs="+", choices=ARMS, default=["panel"])
    one.add_argument("--out", type=Path, required=True, help="folder of the panel files")
    one.set_defaults(run=_panel)
    one = _command(commands, "probe", "push a model off its answers, in 8 ways a question")
    one.add_argument("--temperature", type=float, default=0.7, help="of the first answer")
    one.add_argument(
        "--audit", type=int, default=50, metavar="N", help="debates to hold the cost against"
    )
    one.add_argument("--out", type=Path, required=True, help="JSON Lines file of probes")
    one.set_defaults(run=_probe)


def _command(commands: Any, name: str, help: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=help)
    parser.add_argument("--model", required=True, help="a policy spec, or scripted:NAME")
    parser.add_argument("--family", default="", help="of the model; its spec if not given")
    parser.add_argument("--task", required=True, help="mmlu, truthfulqa, or any task in text")
    parser.add_argument("--questions", type=int, default=40, help="how many (default 40)")
    parser.add_argument("--max-new-tokens", type=int, default=128, help="of an answer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one object")
    return parser


def _panel(args: argparse.Namespace) -> int:
    plan = PanelPlan(
        args.model,
        args.task,
        args.family,
        args.questions,
        args.seed,
        args.rounds,
        tuple(args.temperatures),
        args.max_new_tokens,
        tuple(dict.fromkeys(args.arms)),
    )
    paths = run_panels(plan, args.out)
    accounts = {arm: ledger(score(read_panels(path), Rules())) for arm, path in paths.items()}
    _show({arm: account.to_json() for arm, account in accounts.items()}, args.json)
    return 0


def _probe(args: argparse.Namespace) -> int:
    plan = ProbePlan(
        args.model,
        args.task,
        args.family,
        args.questions,
        args.seed,
        args.temperature,
        args.max_new_tokens,
    )
    run_probes(plan, args.out)
    probes = read_probes(args.out)
    result: dict[str, Any] = {
        model: asdict(rates) for model, rates in rates_by_model(probes).items()
    }
    _show({"models": result, "cost": cost_beside_audit(len(probes), args.audit)}, args.json)
    return 0


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
        return
    for name, figures in result.items():
        print(f"{name}: " + "  ".join(f"{key}={value}" for key, value in figures.items()))
