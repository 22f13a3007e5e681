"""Plays the tournament of a configuration into a folder: the command `debate-gym tournament`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from tqdm import tqdm

from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.envs.nouns import Episode, Question
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.seats import Policy
from debate_gym.envs.tasks import load_task
from debate_gym.eval.store import EpisodeStore
from debate_gym.eval.suite import read_suite
from debate_gym.eval.tournament import Standing, number_of_games, run_tournament
from debate_gym.eval.tournament_cli import rated
from debate_gym.eval.tournament_config import TournamentConfig, play_settings


def run(
    config: TournamentConfig, folder: Path, policies: Mapping[str, Policy] | None = None
) -> dict[str, Any]:
    """Plays what is not played yet, rates the players and says how it ended.

    The folder holds `episodes.jsonl`, written as games end; `matches.jsonl`, one a readable game,
    for `debate-gym elo`; `tournament.json`, what is returned. A second call with the same games
    goes on where the first one stopped, or only rates again.

    Args:
        policies: by the names of `config.players`; made from their specs if None.

    Returns:
        ratings, components and warnings as `debate-gym elo` prints them; `ranking`, `scores` and
        `rounds` with their matches, outcomes and byes.

    Raises:
        ValueError: if the folder holds another tournament, or the suite lacks the task.
    """
    questions = _questions(config)
    protocol = load_protocol(config.protocol, rounds=config.turns_each, turns=config.turns)
    judge = make_judge(config.judge)
    playing = _policies(config) if policies is None else policies
    revisions = {name: policy.revision for name, policy in playing.items()}
    _claim(folder, play_settings(config) | {"revisions": revisions})
    total = number_of_games(
        len(playing), len(questions), swiss=config.format == "swiss", rounds=config.rounds
    )
    with EpisodeStore(folder / "episodes.jsonl") as store:
        done = list(store.episodes)
        with tqdm(total=total, initial=len(done), unit="game") as bar:

            def keep(episode: Episode) -> None:
                store.append(episode)
                bar.update()

            standing = run_tournament(
                playing,
                questions,
                protocol,
                judge,
                swiss=config.format == "swiss",
                rounds=config.rounds,
                done=done,
                keep=keep,
            )
    return _written(folder, _result(config, standing), standing)


def _policies(config: TournamentConfig) -> dict[str, Policy]:
    limits = {"temperature": config.temperature, "max_new_tokens": config.max_new_tokens}
    made = {spec: make_policy(spec, **limits) for spec in dict.fromkeys(config.players.values())}
    return {name: made[spec] for name, spec in config.players.items()}


def _questions(config: TournamentConfig) -> list[Question]:
    if config.suite is None:
        words = config.max_article_words
        options = {} if words is None else {"max_article_words": words}
        return load_task(config.task, "heldout", config.questions, config.seed, **options)
    header, frozen = read_suite(Path(config.suite))
    questions = [question for question in frozen if question.task == config.task]
    if not questions:
        raise ValueError(f"{config.suite} holds {sorted(header['tasks'])}, not {config.task!r}")
    return questions[: config.questions]


def _result(config: TournamentConfig, standing: Standing) -> dict[str, Any]:
    ratings = rated(
        standing.matches,
        scale=config.scale,
        loss=config.loss,
        prior=config.prior,
        reference=config.reference,
        draws=config.bootstrap,
    )
    return {
        **ratings,
        "ranking": standing.ranking,
        "scores": {name: standing.scores[name] for name in standing.ranking},
        "rounds": [
            {"matches": [meeting.to_json() for meeting in meetings], "byes": list(byes)}
            for meetings, byes in standing.rounds
        ],
    }


def _written(folder: Path, result: dict[str, Any], standing: Standing) -> dict[str, Any]:
    _write(folder / "matches.jsonl", [match.to_json() for match in standing.matches])
    _write(folder / "tournament.json", [result])
    return result


def _write(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """The file appears when it is complete."""
    partial = path.with_name(f"{path.name}.part")
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    partial.write_text(lines, encoding="utf-8")
    partial.replace(path)


def _claim(folder: Path, wanted: dict[str, Any]) -> None:
    """How games are rated may change later; which are played must not."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    held = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else wanted
    if held != wanted:
        changed = sorted(key for key in wanted if (held or {}).get(key) != wanted[key])
        raise ValueError(
            f"{folder} holds a tournament with other settings of {changed}; choose another --out"
        )
    path.write_text(yaml.safe_dump(wanted, sort_keys=False), encoding="utf-8")
