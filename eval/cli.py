"""The command `debate-gym`."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from debate_gym.agents.rollout import Job, play
from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.envs.nouns import Episode, Question
from debate_gym.envs.protocol import load_protocol, protocol_names
from debate_gym.envs.tasks import TASKS, load_task
from debate_gym.eval import data_cli, doctor_cli, metrics, report_cli, tournament_cli
from debate_gym.eval.ledger import cli as ledger_cli
from debate_gym.eval.store import read_episodes
from debate_gym.eval.transcripts import coloured

EXAMPLES = """examples:
  debate-gym play --protocol debate --task evidence
  debate-gym play --protocol consultancy --policy scripted:best --seed 3
  debate-gym eval --config configs/eval/evidence.yaml --models tiny runs/debate_ppo/final
  debate-gym score runs/debate_ppo/evaluations/step-000000.jsonl --json
  debate-gym data list
  debate-gym report runs/eval
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one subcommand.

    Returns:
        The exit status: 0; 1 for a game that failed; 2 on bad input; 130 when interrupted.
    """
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
    except ModuleNotFoundError as error:
        print(f"error: {error}: pip install 'debate-gym[train]'", file=sys.stderr)
        return 2
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "interrupted; what eval has played is kept, the same command goes on", file=sys.stderr
        )
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="debate-gym",
        description="Play, evaluate and score debates and consultancies.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("play", help="one episode, readable")
    one.add_argument("--protocol", default="debate", help=f"one of {protocol_names()}")
    one.add_argument("--task", default="evidence", help=f"one of {list(TASKS)}")
    one.add_argument("--policy", default="scripted:random", help="speaks first (a policy spec)")
    one.add_argument("--opponent", help="speaks for the other side; --policy if not given")
    one.add_argument("--judge", default="evidence", help="a judge spec")
    one.add_argument("--rounds", type=int, help="turns of each seat")
    one.add_argument("--turns", choices=("simultaneous", "sequential"))
    one.add_argument("--expert", action="store_true", help="the judge reads the article too")
    one.add_argument("--question-id", help="a question of this seed's draw; its first if not given")
    one.add_argument("--seed", type=int, default=0, help="of question and speakers")
    one.add_argument("--json", action="store_true", help="print the episode record")
    one.set_defaults(run=_play)
    evaluate = commands.add_parser("eval", help="evaluate policies; resumes when run again")
    evaluate.add_argument("--config", type=Path, required=True, help="YAML file")
    evaluate.add_argument("--models", nargs="+", default=(), help="in place of the file's models")
    evaluate.add_argument("--questions", type=int, help="in place of the file's number")
    evaluate.add_argument("--out", type=Path, default=Path("runs/eval"), help="folder of results")
    evaluate.add_argument("--json", action="store_true", help="print the metrics as one object")
    evaluate.set_defaults(run=_eval)
    score = commands.add_parser("score", help="outcomes and accuracy of an episode file")
    score.add_argument("episodes", type=Path, help="JSON Lines of episodes")
    score.add_argument("--json", action="store_true", help="print one object")
    score.set_defaults(run=_score)
    for module in (data_cli, report_cli, tournament_cli, ledger_cli):
        module.add_commands(commands)
    doctor_cli.add_command(commands)
    return parser


def _play(args: argparse.Namespace) -> int:
    protocol = load_protocol(
        args.protocol,
        rounds=args.rounds,
        turns=args.turns,
        judge_sees_article=args.expert or None,
    )
    question = _question(args.task, args.seed, args.question_id)
    keys = [args.policy, args.opponent or args.policy]
    seats = dict(zip(protocol.seats, keys, strict=False))
    policies = {key: make_policy(key) for key in set(seats.values())}
    job = Job(question, protocol, seats, seed=args.seed)
    (episode,) = play([job], policies, make_judge(args.judge))
    if args.json:
        print(json.dumps(episode.to_json(), ensure_ascii=False))
    else:
        Console().print(coloured(episode), soft_wrap=True)
    return 0 if episode.error is None else 1


def _question(task: str, seed: int, wanted: str | None) -> Question:
    questions = load_task(task, "heldout", 1 if wanted is None else None, seed)
    for question in questions:
        if wanted in (None, question.id):
            return question
    raise ValueError(
        f"no question {wanted!r} among the {len(questions)} held-out ones that --seed {seed} draws "
        f"from {task}; the first is {questions[0].id!r}"
    )


def _eval(args: argparse.Namespace) -> int:
    from debate_gym.eval.config import load_config
    from debate_gym.eval.runner import run
    from debate_gym.eval.table import comparison_table

    config = load_config(args.config, args.models, args.questions)
    evaluations = run(config, args.out)
    if args.json:
        print(json.dumps({name: e.metrics() for name, e in evaluations.items()}))
        return 0
    title = f"{config.protocol} on {config.task}, judge {config.judge}"
    width = None if sys.stdout.isatty() else max(100, 32 + 17 * len(evaluations))
    Console(width=width).print(comparison_table(evaluations, title))
    return 0


def _score(args: argparse.Namespace) -> int:
    result = {"groups": score_groups(read_episodes(args.episodes))}
    if args.json:
        print(json.dumps(result))
        return 0
    for group in result["groups"]:
        print("  ".join(f"{key}={value}" for key, value in group.items()))
    return 0


def score_groups(episodes: Sequence[Episode]) -> list[dict[str, Any]]:
    """Outcomes and accuracy for each task, protocol, condition and judge.

    The five outcomes of a group add up to its n. Accuracy and its 95 % interval are null where
    they are undefined.
    """
    groups: dict[tuple[str, str, str, str], list[Episode]] = defaultdict(list)
    for episode in episodes:
        for judge in dict.fromkeys(verdict.judge for verdict in episode.verdicts):
            key = (episode.question.task, episode.protocol, episode.condition, judge)
            groups[key].append(episode)
    return [_group(key, members) for key, members in sorted(groups.items())]


def _group(key: tuple[str, str, str, str], episodes: Sequence[Episode]) -> dict[str, Any]:
    task, protocol, condition, judge = key
    counts = metrics.outcome_counts(episodes, judge)
    estimate = metrics.accuracy(episodes, judge)
    numbers = {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high}
    return {
        "task": task,
        "protocol": protocol,
        "condition": condition,
        "judge": judge,
        "n": len(episodes),
        **{outcome.value: count for outcome, count in counts.items()},
        **{name: None if math.isnan(value) else value for name, value in numbers.items()},
    }


if __name__ == "__main__":
    raise SystemExit(main())
