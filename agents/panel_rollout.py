"""Plays panels: many at once, one batched call per policy and round."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from typing import Any

from debate_gym.agents.specs import SCRIPTED, make_policy
from debate_gym.envs.asking import ask
from debate_gym.envs.choice import ChoiceQuestion
from debate_gym.envs.nouns import Observation, Overhead, Utterance
from debate_gym.envs.panel import (
    PanelRules,
    PanelState,
    open_panel,
    panel_advance,
    panel_due,
    panel_observe,
)
from debate_gym.envs.panelists import scripted_panelist
from debate_gym.envs.seats import Policy

TEMPERATURES = (0.5, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class PanelJob:
    """One panel to play.

    Attributes:
        start: a panel whose first rounds are taken over (the shared round 0 of two arms); it must
            have the same question, seats and seed.
    """

    question: ChoiceQuestion
    rules: PanelRules
    seed: int = 0
    start: PanelState | None = None


@dataclass(slots=True)
class PanelGame:
    """A panel that has been played.

    Attributes:
        spent: generations and tokens of this panel, without those of a round that it took over.
        error: why it broke; its state is then that of the last sound round.
    """

    state: PanelState
    spent: Overhead = field(default_factory=Overhead)
    error: str | None = None


def question_seed(seed: int, question: ChoiceQuestion) -> int:
    """The seed of a panel in a run: questions draw apart, whatever else is played with them."""
    digest = sha256(f"{seed}:{question.id}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def seat_policies(
    spec: str, rules: PanelRules, temperatures: Sequence[float], **options: Any
) -> dict[str, Policy]:
    """One model in every seat, each at its own temperature (L26, Method); its weights are loaded
    once. A scripted panelist has no temperature.

    Raises:
        ValueError: on another number of temperatures than of seats, or an unknown spec.
    """
    if spec.startswith(SCRIPTED):
        return dict.fromkeys(rules.names, scripted_panelist(spec))
    if len(temperatures) != rules.seats:
        raise ValueError(
            f"expected one temperature for each of {rules.seats} seats, got {tuple(temperatures)}"
        )
    first = make_policy(spec, temperature=temperatures[0], **options)
    return {
        seat: first if number == 0 else at_temperature(first, temperatures[number])
        for number, seat in enumerate(rules.names)
    }


def at_temperature(policy: Policy, temperature: float) -> Policy:
    """The same model at another temperature, weights shared.

    Raises:
        ValueError: if the policy has no temperature of its own, or this one is negative.
    """
    if not hasattr(policy, "temperature"):
        raise ValueError(f"{policy.name!r} has no temperature; a panel needs a bare model")
    if temperature < 0:
        raise ValueError(f"temperature must be at least 0, got {temperature}")
    warmer: Any = copy.copy(policy)
    warmer.temperature = temperature
    result: Policy = warmer
    return result


def play_panels(
    jobs: Iterable[PanelJob], policies: Mapping[str, Policy], *, slots: int = 64
) -> Iterator[PanelGame]:
    """Plays jobs, `slots` at a time, and yields them in order.

    A seat that fails breaks its panel, and the others go on.

    Args:
        policies: seat -> policy; one call a policy and round, for all panels that run.

    Raises:
        ValueError: on `slots` below 1, seats without a policy, or a `start` of another panel.
    """
    if slots < 1:
        raise ValueError(f"slots must be at least 1, got {slots}")
    queue = iter(jobs)
    while batch := [_open(job, policies) for job in islice(queue, slots)]:
        while running := [game for game in batch if game.error is None and panel_due(game.state)]:
            _round(running, policies)
        yield from batch


def _open(job: PanelJob, policies: Mapping[str, Policy]) -> PanelGame:
    if missing := set(job.rules.names) - set(policies):
        raise ValueError(f"no policy for the seats {sorted(missing)}; got {sorted(policies)}")
    opened = open_panel(job.question, job.rules, seed=job.seed)
    if job.start is None:
        return PanelGame(opened)
    same = (job.start.question, job.start.rules.seats, job.start.seed)
    if same != (job.question, job.rules.seats, job.seed):
        raise ValueError(f"panel {opened.id!r} cannot start from {job.start.id!r}")
    return PanelGame(replace(opened, texts=job.start.texts[:1], readings=job.start.readings[:1]))


def _round(games: Sequence[PanelGame], policies: Mapping[str, Policy]) -> None:
    calls: dict[int, tuple[Policy, list[tuple[int, str]]]] = {}
    for place, game in enumerate(games):
        for seat in panel_due(game.state):
            policy = policies[seat]
            calls.setdefault(id(policy), (policy, []))[1].append((place, seat))
    said: list[dict[str, Utterance]] = [{} for _ in games]
    for policy, members in calls.values():
        seen: list[Observation] = [panel_observe(games[p].state, seat) for p, seat in members]
        replies = ask(policy, seen, f"policy {policy.name!r}")
        for (place, seat), reply in zip(members, replies, strict=True):
            if isinstance(reply, Exception):
                games[place].error = f"{seat}: {type(reply).__name__}: {reply}"
            else:
                said[place][seat] = reply
                games[place].spent += cost(reply)
    for game, utterances in zip(games, said, strict=True):
        if game.error is None:
            game.state = panel_advance(game.state, utterances)


def cost(utterance: Utterance) -> Overhead:
    """What an utterance has cost, the call that wrote it included."""
    own = Overhead(1, utterance.prompt_tokens, utterance.completion_tokens)
    return own + utterance.overhead
