"""The rollout loop: many games at once, one batched call per policy and step.

It is the only loop that plays; evaluation, training and tournaments hand it jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from debate_gym.envs.asking import ask, rule
from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import JUDGE_0, Episode, Question, SeatRecord, Utterance, Verdict
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.render import prompt_hash
from debate_gym.envs.scripted import scripted_policy
from debate_gym.envs.seats import Judge, Policy
from debate_gym.envs.verdict import failed_verdict

ASKER = "scripted:asking"


@dataclass(frozen=True, slots=True)
class Job:
    """One game to play.

    Attributes:
        seats: speaking seat -> key of the policy that fills it. A judge who asks speaks as
            `judge_0`; `scripted:asking` does it where no policy is named for that seat.
        sides: see `debate_gym.envs.game.start`.
        id: unique within a call of `play`; the game's own if None.
    """

    question: Question
    protocol: Protocol
    seats: Mapping[str, str]
    sides: Mapping[str, int] | None = None
    seed: int = 0
    id: str | None = None
    condition: str = ""


@dataclass(slots=True)
class _Game:
    number: int
    job: Job
    seats: Mapping[str, str]
    state: State
    error: str | None = None


def play(
    jobs: Iterable[Job],
    policies: Mapping[str, Policy],
    judge: Judge,
    *,
    slots: int = 64,
) -> Iterator[Episode]:
    """Plays jobs and yields their episodes in the order of the jobs.

    At most `slots` games run at once; a finished one makes room for the next job. In every step
    all seats that are due are grouped by policy, and each policy gets one call. If a batched call
    raises, its members are tried one by one; those that raise again are failed episodes, which
    are yielded like all others.

    Raises:
        ValueError: on a job whose seats name an unknown policy or miss a speaking seat.
    """
    if slots < 1:
        raise ValueError(f"slots must be at least 1, got {slots}")
    policies = {ASKER: scripted_policy(ASKER), **policies}
    queue = enumerate(jobs)
    running: list[_Game] = []
    done: dict[int, Episode] = {}
    emitted = 0
    while True:
        running += [_open(n, job, policies) for n, job in islice(queue, slots - len(running))]
        if not running:
            return
        _step(running, policies)
        finished = [game for game in running if game.error or not due(game.state)]
        running = [game for game in running if game.error is None and due(game.state)]
        for game, verdicts in zip(finished, _judge(finished, judge), strict=True):
            done[game.number] = _episode(game, verdicts, policies)
        while emitted in done:
            yield done.pop(emitted)
            emitted += 1


def _open(number: int, job: Job, policies: Mapping[str, Policy]) -> _Game:
    asker = {JUDGE_0: ASKER} if job.protocol.judge_asks else {}
    seats = {**asker, **job.seats}
    if set(seats) != set(job.protocol.speakers) or not set(seats.values()) <= set(policies):
        raise ValueError(
            f"job seats {dict(job.seats)} must fill {job.protocol.speakers} from {sorted(policies)}"
        )
    state = start(job.question, job.protocol, sides=job.sides, seed=job.seed, id=job.id)
    return _Game(number, job, seats, state)


def _step(games: Sequence[_Game], policies: Mapping[str, Policy]) -> None:
    calls: dict[str, list[tuple[_Game, str]]] = {}
    for game in games:
        for seat in due(game.state):
            calls.setdefault(game.seats[seat], []).append((game, seat))
    said: dict[int, dict[str, Utterance]] = {}
    for key, members in calls.items():
        observations = [observe(game.state, seat) for game, seat in members]
        utterances = ask(policies[key], observations, f"policy {key!r}")
        for (game, seat), utterance in zip(members, utterances, strict=True):
            if isinstance(utterance, Exception):
                game.error = f"{seat} ({key}): {type(utterance).__name__}: {utterance}"
            else:
                said.setdefault(game.number, {})[seat] = utterance
    for game in games:
        if game.error is None and due(game.state):
            game.state = advance(game.state, said[game.number])
            game.error = game.state.error


def _judge(games: Sequence[_Game], judge: Judge) -> list[tuple[Verdict, ...]]:
    sound = [game for game in games if game.error is None]
    rulings = iter(rule(judge, [game.state for game in sound]))
    verdicts: list[tuple[Verdict, ...]] = []
    for game in games:
        ruling = next(rulings) if game.error is None else None
        if isinstance(ruling, Exception):
            game.error = f"judge ({judge.name}): {type(ruling).__name__}: {ruling}"
        verdicts.append(ruling if isinstance(ruling, tuple) else (failed_verdict(judge.name),))
    return verdicts


def _episode(game: _Game, verdicts: tuple[Verdict, ...], policies: Mapping[str, Policy]) -> Episode:
    job, state = game.job, game.state
    return Episode(
        id=state.id,
        question=job.question,
        protocol=job.protocol.name,
        condition=job.condition,
        seats={
            seat: SeatRecord(policies[key].name, policies[key].revision, state.sides.get(seat))
            for seat, key in game.seats.items()
        },
        turns=state.turns,
        verdicts=verdicts,
        seed=state.seed,
        prompt_hash=prompt_hash(state.prompts, job.protocol),
        error=game.error,
    )
