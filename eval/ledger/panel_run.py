"""Plays panels on a task's questions and keeps them as panel files: the command `debate-gym panel`.

Each arm has a file of its own, `panel.jsonl` and `private.jsonl`: both arms share round 0, so that
what differs is only whether the seats read each other (L26, Limitations, private revision).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from debate_gym.agents.panel_rollout import (
    TEMPERATURES,
    PanelGame,
    PanelJob,
    play_panels,
    question_seed,
    seat_policies,
)
from debate_gym.agents.specs import SCRIPTED
from debate_gym.envs.answer_reader import read_option
from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.names import unknown
from debate_gym.envs.panel import PanelRules, PanelState, open_panel
from debate_gym.envs.panel_prompts import panel_prompt_hash
from debate_gym.envs.seats import Policy
from debate_gym.envs.tasks.choices import load_choices
from debate_gym.eval.record_file import RecordFile

ARMS = ("panel", "private")
BATCH = 16


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """What is played.

    Attributes:
        family: of the model; its spec if empty.
        questions: how many of the task's held-out ones; every arm answers all of them.
        seed: of the draw, of the options' order and of what is said.
        temperatures: one a seat.
        arms: of `ARMS`.

    Raises:
        ValueError: on no arm, or an unknown one.
    """

    model: str
    task: str
    family: str = ""
    questions: int = 40
    seed: int = 0
    rounds: int = 3
    temperatures: tuple[float, ...] = TEMPERATURES
    max_new_tokens: int = 128
    arms: tuple[str, ...] = ("panel",)

    def __post_init__(self) -> None:
        for arm in self.arms:
            if arm not in ARMS:
                raise ValueError(unknown("arm", arm, ARMS))
        if not self.arms:
            raise ValueError(f"name at least one arm of {ARMS}")

    def rules(self, arm: str) -> PanelRules:
        """The rules of an arm."""
        return PanelRules(len(self.temperatures), self.rounds, arm == "private")

    @property
    def settings(self) -> dict[str, Any]:
        """What every record of a file must agree on."""
        return {
            "temperatures": list(self.temperatures),
            "max_new_tokens": self.max_new_tokens,
            "prompt_hash": panel_prompt_hash(),
        }


def run_panels(plan: PanelPlan, folder: Path) -> dict[str, Path]:
    """Plays what is not there yet, and returns each arm's file.

    Raises:
        ValueError: if a file holds panels of this model and task with other settings, or the plan
            cannot be played.
    """
    questions = load_choices(plan.task, "heldout", plan.questions, plan.seed)
    paths = {arm: folder / f"{arm}.jsonl" for arm in plan.arms}
    held = {arm: _held(path, plan) for arm, path in paths.items()}
    waiting = [q for q in questions if any(_id(plan, q, arm) not in held[arm] for arm in plan.arms)]
    if not waiting:
        return paths
    policies = seat_policies(plan.model, plan.rules("panel"), plan.temperatures, **_limits(plan))
    for begin in range(0, len(waiting), BATCH):
        some = waiting[begin : begin + BATCH]
        for arm, records in _played(plan, some, policies, held):
            with RecordFile(paths[arm]) as file:
                file.append(records)
    return paths


def panel_record(plan: PanelPlan, arm: str, game: PanelGame, revision: str) -> dict[str, Any]:
    """The `panel` record of a game; of one that broke, what was not said is null."""
    state, rules = game.state, game.state.rules
    missing = [[None] * rules.seats] * (rules.rounds + 1 - len(state.texts))
    fired = [[reading.rule for reading in row] for row in state.readings]
    question = state.question
    return {
        "id": _id(plan, question, arm),
        "model": plan.model,
        "revision": revision,
        "family": plan.family or plan.model,
        "question_id": question.id,
        "task": question.task,
        "gold": question.letters[question.gold],
        "options": list(question.options),
        "rounds": [*(list(row) for row in state.letters), *missing],
        "texts": [*(list(row) for row in state.texts), *missing],
        "rules": [*fired, *missing],
        "arm": arm,
        "seed": plan.seed,
        **plan.settings,
        "cost": {
            "generations": game.spent.generations,
            "prompt_tokens": game.spent.prompt_tokens,
            "completion_tokens": game.spent.completion_tokens,
        },
        "error": game.error,
    }


def _played(
    plan: PanelPlan,
    questions: Sequence[ChoiceQuestion],
    policies: Mapping[str, Policy],
    held: Mapping[str, dict[str, dict[str, Any]]],
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each arm with its new records. The first arm opens, or one that was played before."""
    starts = dict(_starts(plan, questions, held))
    revision = next(iter(policies.values())).revision
    for arm in plan.arms:
        due = [q for q in questions if _id(plan, q, arm) not in held[arm]]
        jobs = (
            PanelJob(q, plan.rules(arm), question_seed(plan.seed, q), starts.get(q.id)) for q in due
        )
        games = list(play_panels(jobs, policies, slots=BATCH))
        starts |= {g.state.question.id: g.state for g in games if g.state.texts}
        yield arm, [panel_record(plan, arm, game, revision) for game in games]


def _starts(
    plan: PanelPlan,
    questions: Iterable[ChoiceQuestion],
    held: Mapping[str, dict[str, dict[str, Any]]],
) -> Iterator[tuple[str, PanelState]]:
    """Round 0 of questions that another arm has answered in an earlier run."""
    for question in questions:
        for arm, records in held.items():
            record = records.get(_id(plan, question, arm))
            if record is not None and None not in record["texts"][0]:
                opened = open_panel(
                    question, plan.rules(arm), seed=question_seed(plan.seed, question)
                )
                texts = tuple(record["texts"][0])
                read = tuple(read_option(text, len(question.options)) for text in texts)
                yield question.id, replace(opened, texts=(texts,), readings=(read,))


def _held(path: Path, plan: PanelPlan) -> dict[str, dict[str, Any]]:
    with RecordFile(path) as file:
        records = {str(record.get("id")): record for record in file.records}
    for record in records.values():
        if record.get("model") != plan.model or record.get("task") != plan.task:
            continue
        for name, value in plan.settings.items():
            if record.get(name) != value:
                raise ValueError(
                    f"{path} holds panels of {plan.model!r} with {name} {record.get(name)!r}, not "
                    f"{value!r}; choose another --out"
                )
    return records


def _id(plan: PanelPlan, question: ChoiceQuestion, arm: str) -> str:
    return f"{plan.model}:{question.id}:{arm}:{plan.seed}"


def _limits(plan: PanelPlan) -> dict[str, int]:
    return {} if plan.model.startswith(SCRIPTED) else {"max_new_tokens": plan.max_new_tokens}
