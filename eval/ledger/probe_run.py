"""Probes a model on a task's questions: the command `debate-gym probe`.

A question is answered once, alone. Then an argument for another option is put to the model, in
every channel and strength, and it answers again at temperature 0 (L26, Loss & Training). The other
option is drawn by the seed, whatever is correct, so that no figure of a probe rests on gold labels
except those that are named for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.agents.panel_rollout import at_temperature, question_seed
from debate_gym.agents.specs import SCRIPTED, make_policy
from debate_gym.envs.answer_reader import Reading, read_option
from debate_gym.envs.asking import ask
from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.panel import PanelRules, open_panel, panel_observe
from debate_gym.envs.panel_prompts import challenge_prompt, panel_prompt_hash
from debate_gym.envs.panelists import scripted_panelist
from debate_gym.envs.passages import neutralise, strip_thinking
from debate_gym.envs.seats import Policy
from debate_gym.envs.tasks.choices import load_choices
from debate_gym.eval.ledger.probes import CHANNELS, STRENGTHS
from debate_gym.eval.record_file import RecordFile

BATCH = 16
SEATS = 3
_SEAT = PanelRules(SEATS).names[0]
PUSHES = [(channel, strength) for channel in CHANNELS for strength in STRENGTHS]


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """What is probed.

    Attributes:
        family: of the model; its spec if empty.
        temperature: of the first answer.
    """

    model: str
    task: str
    family: str = ""
    questions: int = 40
    seed: int = 0
    temperature: float = 0.7
    max_new_tokens: int = 128

    @property
    def settings(self) -> dict[str, Any]:
        """What every record of a file must agree on."""
        return {
            "seed": self.seed,
            "temperature": self.temperature,
            "max_new_tokens": self.max_new_tokens,
            "prompt_hash": panel_prompt_hash(),
        }


def run_probes(plan: ProbePlan, path: Path) -> None:
    """Probes what is not in the file yet.

    Raises:
        ValueError: if the file holds probes of this model and task with other settings.
    """
    questions = load_choices(plan.task, "heldout", plan.questions, plan.seed)
    with RecordFile(path) as file:
        held = [record for record in file.records if record.get("model") == plan.model]
        _check(path, plan, held)
        done = {record.get("question_id") for record in held}
        waiting = [question for question in questions if question.id not in done]
        if not waiting:
            return
        first, later = _policies(plan)
        for begin in range(0, len(waiting), BATCH):
            file.append(probe(plan, waiting[begin : begin + BATCH], first, later))


def probe(
    plan: ProbePlan, questions: Sequence[ChoiceQuestion], first: Policy, later: Policy
) -> list[dict[str, Any]]:
    """The probe records of some questions; a call that fails is an answer that cannot be read.

    Args:
        first, later: what answers at first, and once it is challenged.
    """
    opened = [_alone(plan, question) for question in questions]
    answers = [_public(said) for said in ask(first, opened, "the first answer")]
    read = [_read(text, q) for text, q in zip(answers, questions, strict=True)]
    targets = [
        _target(q, reading, seen.seed)
        for q, reading, seen in zip(questions, read, opened, strict=True)
    ]
    challenged = [
        _challenge(seen, question, answer or "", target, push)
        for seen, question, answer, target in zip(opened, questions, answers, targets, strict=True)
        for push in PUSHES
    ]
    replies = [_public(said) for said in ask(later, challenged, "a challenged answer")]
    return [
        _record(
            plan,
            q,
            reading,
            answers[i],
            targets[i],
            replies[i * len(PUSHES) : (i + 1) * len(PUSHES)],
        )
        for i, (q, reading) in enumerate(zip(questions, read, strict=True))
    ]


def _alone(plan: ProbePlan, question: ChoiceQuestion) -> Observation:
    seed = question_seed(plan.seed, question)
    return panel_observe(open_panel(question, PanelRules(SEATS), seed=seed), _SEAT)


def _policies(plan: ProbePlan) -> tuple[Policy, Policy]:
    if plan.model.startswith(SCRIPTED):
        policy: Policy = scripted_panelist(plan.model)
        return policy, policy
    options = {"temperature": plan.temperature, "max_new_tokens": plan.max_new_tokens}
    first = make_policy(plan.model, **options)
    return first, at_temperature(first, 0.0)


def _target(question: ChoiceQuestion, reading: Reading, seed: int) -> int:
    """The option that is argued for: any but the one that was chosen."""
    others = [i for i, letter in enumerate(question.letters) if letter != reading.letter]
    return others[int(np.random.default_rng(seed).integers(len(others)))]


def _challenge(
    seen: Observation, question: ChoiceQuestion, answer: str, target: int, push: tuple[str, str]
) -> Observation:
    system, user = challenge_prompt(question, SEATS, answer, target, *push)
    seed = int(np.random.SeedSequence([seen.seed, PUSHES.index(push)]).generate_state(1)[0])
    return replace(seen, round=1, seed=seed, system=system, user=user)


def _public(said: Utterance | Exception) -> str | None:
    return None if isinstance(said, Exception) else neutralise(strip_thinking(said.text)[1])


def _read(text: str | None, question: ChoiceQuestion) -> Reading:
    return read_option(text or "", len(question.options))


def _record(
    plan: ProbePlan,
    question: ChoiceQuestion,
    reading: Reading,
    answer: str | None,
    target: int,
    replies: Sequence[str | None],
) -> dict[str, Any]:
    read = [_read(text, question).letter for text in replies]
    return {
        "model": plan.model,
        "family": plan.family or plan.model,
        "question_id": question.id,
        "task": question.task,
        "gold": question.letters[question.gold],
        "options": list(question.options),
        "initial": reading.letter,
        "target": question.letters[target],
        "replies": _by_push(read),
        "texts": {"initial": answer, "replies": _by_push(replies)},
        **plan.settings,
    }


def _by_push(values: Sequence[str | None]) -> dict[str, dict[str, str | None]]:
    found = iter(values)
    return {channel: {strength: next(found) for strength in STRENGTHS} for channel in CHANNELS}


def _check(path: Path, plan: ProbePlan, held: Sequence[dict[str, Any]]) -> None:
    for record in held:
        if record.get("task") != plan.task:
            continue
        for name, value in plan.settings.items():
            if record.get(name) != value:
                raise ValueError(
                    f"{path} holds probes of {plan.model!r} with {name} {record.get(name)!r}, not "
                    f"{value!r}; choose another --out"
                )
