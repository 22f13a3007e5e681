"""Evaluates policies from a YAML file: the command `debate-gym eval`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from tqdm import tqdm

from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.envs.names import unknown
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.tasks import load_task
from debate_gym.eval.checkpoint import Evaluation, evaluate_policy, evaluation_jobs
from debate_gym.eval.metrics import player
from debate_gym.eval.store import EpisodeStore


@dataclass(frozen=True)
class EvalConfig:
    """What to evaluate, on what, by whom.

    Attributes:
        models: policy specs; the first one is the reference that the others' win rate is against.
        questions: held-out questions.
        seed: of the questions; the default draws the ones that a training run is measured on.
    """

    models: tuple[str, ...]
    task: str = "evidence"
    protocol: str = "debate"
    rounds: int = 2
    turns: str = "simultaneous"
    judge: str = "evidence"
    questions: int = 256
    seed: int = 1_000_003
    temperature: float = 1.0
    max_new_tokens: int = 16
    max_article_words: int | None = None

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueError("name at least one model, in the file or by --models")
        if len(set(self.models)) != len(self.models):
            raise ValueError(f"models are named twice: {list(self.models)}")


def load_config(path: Path, models: Sequence[str] = (), questions: int | None = None) -> EvalConfig:
    """Reads a configuration; `models` and `questions`, where given, replace those of the file.

    Raises:
        ValueError: on an unknown key, or a file that is no mapping.
    """
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected a mapping of fields, got {type(content).__name__}")
    known = {field.name for field in dataclasses.fields(EvalConfig)}
    for key in content:
        if key not in known:
            raise ValueError(f"{path}: {unknown('field', str(key), known)}")
    chosen = tuple(models or content.pop("models", ()))
    content.pop("models", None)
    if questions is not None:
        content["questions"] = questions
    return EvalConfig(models=chosen, **content)


def run(config: EvalConfig, folder: Path) -> dict[str, Evaluation]:
    """Plays what is not played yet and returns each model's evaluation.

    Episodes are kept in `FOLDER/episodes.jsonl` as they end; a second call with the same
    configuration goes on where the first one stopped.

    Raises:
        ValueError: if the folder holds an evaluation of another configuration.
    """
    _claim(folder, config)
    words = config.max_article_words
    options = {} if words is None else {"max_article_words": words}
    questions = load_task(config.task, "heldout", config.questions, config.seed, **options)
    protocol = load_protocol(config.protocol, rounds=config.rounds, turns=config.turns)
    judge = make_judge(config.judge)
    limits = {"temperature": config.temperature, "max_new_tokens": config.max_new_tokens}
    reference = make_policy(config.models[0], **limits)
    reference.revision += "-reference"
    evaluations = {}
    with EpisodeStore(folder / "episodes.jsonl") as store:
        for spec in config.models:
            policy = make_policy(spec, **limits)
            name = player(policy.name, policy.revision)
            ids = {job.id for job in evaluation_jobs(questions, protocol, name, 0)}
            done = [episode for episode in store.episodes if episode.id in ids]
            with tqdm(total=len(ids), initial=len(done), desc=spec, unit="episode") as bar:

                def keep(episode: Any, bar: Any = bar) -> None:
                    store.append(episode)
                    bar.update()

                evaluations[spec] = evaluate_policy(
                    policy, reference, questions, protocol, judge, 0, done=done, keep=keep
                )
    return evaluations


def _claim(folder: Path, config: EvalConfig) -> None:
    """Models may be added to a folder later; everything else must stay as it was."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    wanted = dataclasses.asdict(config)
    wanted["reference"] = wanted.pop("models")[0]
    if path.is_file() and (held := yaml.safe_load(path.read_text(encoding="utf-8"))) != wanted:
        changed = sorted(key for key in wanted if (held or {}).get(key) != wanted[key])
        raise ValueError(
            f"{folder} holds an evaluation with other settings of {changed}; choose another --out"
        )
    path.write_text(yaml.safe_dump(wanted, sort_keys=False), encoding="utf-8")
