"""The commands `debate-gym ledger`, `replay`, `predict` and `probes`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.eval.ledger.gates import (
    ALWAYS,
    NEVER,
    ONLINE_GATES,
    fires_from_file,
    online_columns,
)
from debate_gym.eval.ledger.intervals import ledger_intervals, replay_intervals
from debate_gym.eval.ledger.majority import Ties
from debate_gym.eval.ledger.panel_file import read_panels
from debate_gym.eval.ledger.panels import Bools, Floats
from debate_gym.eval.ledger.replay import Weights, replay
from debate_gym.eval.ledger.transitions import Rules, Scored, Undefined, ledger, score

FIRE = "fire:"
LEARNED = ("stump", "probe-freeze")
STUMP_FEATURES = ("round1_majority_change", "round1_flips", "round1_agreement")
EXAMPLES = """examples:
  debate-gym ledger panels.jsonl --by model
  debate-gym ledger panels.parquet --ties undecided --json
  debate-gym ledger panels.jsonl --screen probe-rates.jsonl
  debate-gym replay panels.jsonl --gate round1-majority-change
  debate-gym replay panels.jsonl --gate stump --bootstrap 1000
  debate-gym predict panels.jsonl --probes probes.jsonl --groups model
"""


def add_commands(commands: Any) -> None:
    """Adds the commands to the command line's subparsers."""
    one = _command(commands, "ledger", "what became of each panel's initial majority", _ledger)
    one.add_argument("--by", choices=("model", "family", "task"), help="an account of each one")
    one.add_argument("--audit", action="store_true", help="read the texts again, rule by rule")
    one.add_argument(
        "--screen", type=Path, metavar="FILE", help="JSON Lines of each model's flip_rate"
    )
    _add_bootstrap(one)
    one = _command(commands, "replay", "what a gate would prevent, and what it would cost", _replay)
    gates = ", ".join([*ONLINE_GATES, *LEARNED, FIRE + "FILE"])
    one.add_argument("--gate", required=True, help=f"one of {gates}")
    for kind in ("collapse", "correction"):
        one.add_argument(f"--w-{kind}", type=Fraction, default=Fraction(1), metavar="W")
    one.add_argument(
        "--features", nargs="+", default=STUMP_FEATURES, help="what the stump may read"
    )
    one.add_argument("--probes", type=Path, metavar="FILE", help="JSON Lines of probes")
    _add_bootstrap(one)
    one = _command(commands, "predict", "out-of-fold AUC of collapse by feature set", _predict)
    one.add_argument("--groups", choices=("question", "model"), default="question")
    one.add_argument("--probes", type=Path, metavar="FILE", help="JSON Lines of probes")
    _add_bootstrap(one)
    one = commands.add_parser("probes", help="how readily models revise when they are pushed")
    one.add_argument("probes", type=Path, help="JSON Lines of probes")
    one.add_argument("--pool", type=int, metavar="N", help="list each model's N readiest questions")
    one.add_argument("--json", action="store_true", help="print one object")
    one.set_defaults(run=_probes)


def _command(
    commands: Any, name: str, help: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("panels", type=Path, help="JSON Lines or parquet of panel debates")
    parser.add_argument(
        "--ties",
        choices=[ties.value for ties in Ties],
        default=Ties.ALPHABETICAL.value,
        help="the first letter, wrong, or right with chance 1/k (default: alphabetical)",
    )
    parser.add_argument(
        "--undefined",
        choices=[kind.value for kind in Undefined],
        default=Undefined.APART.value,
        help="where no answer was parsed (default: apart)",
    )
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.set_defaults(run=run)
    return parser


def _add_bootstrap(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bootstrap", type=int, default=0, metavar="B", help="draws for intervals over questions"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws")


def _scored(args: argparse.Namespace) -> Scored:
    if getattr(args, "bootstrap", 0) < 0:
        raise ValueError(f"--bootstrap must be at least 0, got {args.bootstrap}")
    return score(read_panels(args.panels), Rules(Ties(args.ties), Undefined(args.undefined)))


def _ledger(args: argparse.Namespace) -> int:
    scored = _scored(args)
    result = ledger(scored).to_json()
    if args.by:
        from debate_gym.eval.ledger.screening import ledgers_by

        accounts = ledgers_by(scored, args.by).items()
        result["groups"] = [{args.by: name, **account.to_json()} for name, account in accounts]
    if args.bootstrap:
        result["intervals"] = ledger_intervals(scored, args.bootstrap, args.seed)
    if args.screen:
        from debate_gym.eval.ledger.screening import read_flip_rates, screen

        result["screening"] = screen(scored, read_flip_rates(args.screen)).to_json()
    if args.audit:
        from debate_gym.eval.ledger.audit import audit

        result["audit"] = audit(args.panels, Ties(args.ties)).to_json()
    _show(result, args.json)
    return 0


def _replay(args: argparse.Namespace) -> int:
    scored = _scored(args)
    weights = Weights(args.w_collapse, args.w_correction)
    fires, rules = _fires(args, scored, weights)
    result = replay(scored, fires, weights).to_json()
    if rules:
        result["rules"] = rules
    if args.bootstrap:
        result["intervals"] = replay_intervals(scored, fires, weights, args.bootstrap, args.seed)
    if not args.json:
        for gate in (ALWAYS, NEVER):
            result[gate.name] = replay(scored, gate.fires(scored), weights).to_json()
    _show(result, args.json)
    return 0


def _fires(
    args: argparse.Namespace, scored: Scored, weights: Weights
) -> tuple[Bools, dict[str, str]]:
    """Where the gate fires, and the rules of a learned one by the model that they leave out."""
    gate: str = args.gate
    if gate.startswith(FIRE):
        return fires_from_file(Path(gate.removeprefix(FIRE)), scored.panels), {}
    if gate in ONLINE_GATES:
        return ONLINE_GATES[gate].fires(scored), {}
    if gate in LEARNED:
        return _learned(args, scored, weights)
    raise ValueError(f"{unknown('gate', gate, [*ONLINE_GATES, *LEARNED])}, or {FIRE}FILE")


def _learned(
    args: argparse.Namespace, scored: Scored, weights: Weights
) -> tuple[Bools, dict[str, str]]:
    from debate_gym.eval.ledger import freeze
    from debate_gym.eval.ledger.features import named_features
    from debate_gym.eval.ledger.lomo import fit_stump, leave_one_model_out, training

    stump = args.gate == "stump"
    names = tuple(args.features) if stump else freeze.FEATURES
    fit = fit_stump(names) if stump else freeze.fit_freeze
    probes = _probe_columns(args, scored)
    values = online_columns(named_features(names), 1 if stump else 0, scored, probes)
    fires, rules = leave_one_model_out(training(scored, values, weights), fit)
    return fires, {model: rule.text for model, rule in rules.items()}


def _probe_columns(args: argparse.Namespace, scored: Scored) -> dict[str, Floats] | None:
    if args.probes is None:
        return None
    from debate_gym.eval.ledger.probes import probe_columns, read_probes

    found = probe_columns(read_probes(args.probes), scored.panels)
    missing = int(np.isnan(found["flip_rate"]).sum())
    if missing:
        print(f"note: {missing} of {len(scored)} debates were not probed", file=sys.stderr)
    return found


def _predict(args: argparse.Namespace) -> int:
    from debate_gym.eval.ledger.features import FEATURE_SETS
    from debate_gym.eval.ledger.prediction import Groups, predict

    scored = _scored(args)
    probes = _probe_columns(args, scored)
    predictions = []
    for name, features in FEATURE_SETS.items():
        if probes is None and any(feature.startswith("probe_") for feature in features):
            print(f"note: {name!r} needs --probes and is left out", file=sys.stderr)
            continue
        one = predict(
            scored,
            name,
            features,
            Groups(args.groups),
            probes,
            draws=args.bootstrap,
            seed=args.seed,
        )
        predictions.append(one.to_json())
    _show({"groups": args.groups, "predictions": predictions}, args.json)
    return 0


def _probes(args: argparse.Namespace) -> int:
    from debate_gym.eval.ledger.probes import (
        cost_beside_audit,
        high_flip_pool,
        rates_by_model,
        read_probes,
    )

    probes = read_probes(args.probes)
    found = rates_by_model(probes)
    result: dict[str, Any] = {
        "models": [{"model": model, **asdict(rate)} for model, rate in found.items()],
        "cost": cost_beside_audit(len(probes), len(probes)),
    }
    if args.pool is not None:
        result["pools"] = high_flip_pool(probes, args.pool)
    _show(result, args.json)
    return 0


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
        return
    for line in _lines(result, ""):
        print(line)


def _lines(value: Any, name: str) -> list[str]:
    """An object as indented lines."""
    if isinstance(value, dict):
        inner = [line for key, one in value.items() for line in _lines(one, str(key))]
        return inner if not name else [name, *(f"  {line}" for line in inner)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [
            name,
            *("  " + "  ".join(f"{k}={_text(v)}" for k, v in row.items()) for row in value),
        ]
    return [f"{name}: {_text(value)}"]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    return "-" if value is None else str(value)
