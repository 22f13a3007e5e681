"""Evaluates policies from a YAML file: the command `debate-gym eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from tqdm import tqdm

from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.envs.nouns import Episode, Question
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.tasks import load_task
from debate_gym.eval.checkpoint import Evaluation, evaluate_policy, evaluation_jobs
from debate_gym.eval.config import EvalConfig, settings
from debate_gym.eval.metrics import player
from debate_gym.eval.store import EpisodeStore
from debate_gym.eval.suite import read_suite


def run(config: EvalConfig, folder: Path) -> dict[str, Evaluation]:
    """Plays what is not played yet and returns each model's evaluation.

    Episodes are kept in `FOLDER/episodes.jsonl` as they end; a second call with the same
    configuration goes on where the first one stopped.

    Raises:
        ValueError: if the folder holds an evaluation of another configuration, or the suite is
            damaged or lacks the task.
    """
    questions = _questions(config)
    protocol = load_protocol(config.protocol, rounds=config.rounds, turns=config.turns)
    judge = make_judge(config.judge)
    limits = {"temperature": config.temperature, "max_new_tokens": config.max_new_tokens}
    reference = make_policy(config.models[0], **limits)
    fields = settings(config) | {"reference": player(reference.name, reference.revision)}
    _claim(folder, fields)
    reference.revision += "-reference"
    evaluations = {}
    with EpisodeStore(folder / "episodes.jsonl") as store:
        for spec in config.models:
            policy = make_policy(spec, **limits)
            name = player(policy.name, policy.revision)
            ids = {job.id for job in evaluation_jobs(questions, protocol, name, 0)}
            done = [episode for episode in store.episodes if episode.id in ids]
            with tqdm(total=len(ids), initial=len(done), desc=spec, unit="episode") as bar:

                def keep(episode: Episode, bar: tqdm[Any] = bar) -> None:
                    store.append(episode)
                    bar.update()

                evaluations[spec] = evaluate_policy(
                    policy, reference, questions, protocol, judge, 0, done=done, keep=keep
                )
    return evaluations


def _questions(config: EvalConfig) -> list[Question]:
    if config.suite is None:
        words = config.max_article_words
        options = {} if words is None else {"max_article_words": words}
        return load_task(config.task, "heldout", config.questions, config.seed, **options)
    header, frozen = read_suite(Path(config.suite))
    questions = [question for question in frozen if question.task == config.task]
    if not questions:
        raise ValueError(f"{config.suite} holds {sorted(header['tasks'])}, not {config.task!r}")
    return questions[: config.questions]


def _claim(folder: Path, wanted: dict[str, Any]) -> None:
    """Models may be added to a folder later; everything else must stay as it was."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    held = _held(path) if path.exists() else wanted
    if held != wanted:
        changed = sorted(key for key in wanted if held.get(key) != wanted[key])
        raise ValueError(
            f"{folder} holds an evaluation with other settings of {changed}; choose another --out"
        )
    path.write_text(yaml.safe_dump(wanted, sort_keys=False), encoding="utf-8")


def _held(path: Path) -> dict[str, Any]:
    try:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        held = error
    if not isinstance(held, dict):
        raise ValueError(
            f"{path} should hold the settings of the evaluation in this folder, but is damaged: "
            f"{held!r:.80}; put it right, or choose another --out"
        )
    return held
