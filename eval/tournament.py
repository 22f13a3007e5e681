"""Tournaments of policies through the rollout loop: Swiss (P24 algorithm 2) or round robin.

A match is every question twice, once with each assignment of the answers. It is worth one point to
the player that wins more of its games, one half to each if both win as many (P24 section D.4). A
bye is worth a point and is no game. Games without a readable verdict are counted beside the match
and pay nobody.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from debate_gym.agents.rollout import Job, play
from debate_gym.envs.nouns import Episode, Outcome, Question
from debate_gym.envs.protocol import Protocol
from debate_gym.envs.seats import Judge, Policy
from debate_gym.eval.matches import Match
from debate_gym.eval.metrics import credit, outcome_counts, pooled
from debate_gym.eval.swiss import Pair, Pairing, round_robin, swiss_pairing, swiss_rounds


@dataclass(frozen=True, slots=True)
class Meeting:
    """One match of a tournament.

    Attributes:
        games: one a readable game, `a` being the player that argued the correct answer.
        wins: of `one`, a tie counting one half.
        outcomes: of the verdicts; they add up to twice the number of questions.
    """

    one: str
    other: str
    games: tuple[Match, ...]
    wins: float
    outcomes: Mapping[Outcome, int]

    @property
    def points(self) -> tuple[float, float]:
        """For the two players; nothing for anybody where no game was readable."""
        if not self.games:
            return 0.0, 0.0
        lead = self.wins - len(self.games) / 2
        won = 0.5 if lead == 0 else float(lead > 0)
        return won, 1 - won

    def to_json(self) -> dict[str, Any]:
        return {
            "a": self.one,
            "b": self.other,
            "wins_a": self.wins,
            "games": len(self.games),
            **{outcome.value: count for outcome, count in self.outcomes.items()},
        }


@dataclass(slots=True)
class Standing:
    """How a tournament stands.

    Attributes:
        players: as they were seeded.
        scores: points.
        rounds: what was played, and who rested.
    """

    players: tuple[str, ...]
    scores: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    rounds: list[tuple[list[Meeting], tuple[str, ...]]] = field(default_factory=list)

    @property
    def ranking(self) -> list[str]:
        """Best first; players of equal score as they were seeded."""
        return sorted(self.players, key=lambda p: (-self.scores[p], self.players.index(p)))

    @property
    def met(self) -> set[Pair]:
        """Pairs that have played."""
        return {frozenset((m.one, m.other)) for meetings, _ in self.rounds for m in meetings}

    @property
    def rested(self) -> Counter[str]:
        """Byes of each player."""
        return Counter(name for _, byes in self.rounds for name in byes)

    @property
    def matches(self) -> list[Match]:
        """All readable games, in playing order."""
        return [game for meetings, _ in self.rounds for m in meetings for game in m.games]

    def record(self, meetings: list[Meeting], byes: tuple[str, ...], *, points: bool) -> None:
        """Books one round; `points` says whether byes are worth one."""
        self.rounds.append((meetings, byes))
        for meeting in meetings:
            for name, won in zip((meeting.one, meeting.other), meeting.points, strict=True):
                self.scores[name] += won
        for name in byes:
            self.scores[name] += int(points)


def run_tournament(
    policies: Mapping[str, Policy],
    questions: Sequence[Question],
    protocol: Protocol,
    judge: Judge,
    *,
    swiss: bool = True,
    rounds: int | None = None,
    seed: int = 0,
    slots: int = 128,
    done: Sequence[Episode] = (),
    keep: Callable[[Episode], None] = lambda episode: None,
) -> Standing:
    """Plays a tournament.

    Args:
        policies: name -> policy, the best guess first.
        swiss: pair by score; otherwise everybody meets everybody.
        rounds: ceil(log2 n) for Swiss if None, all for a round robin.
        seed: of the games; a question's games have the same seed for all pairs, so that all meet
            the same luck.
        done: episodes of an earlier, interrupted call with the same arguments; not played again.
        keep: called with each episode as it ends.

    Raises:
        ValueError: on a protocol without two debaters, or a question named twice.
    """
    if not protocol.debate:
        raise ValueError(f"a tournament needs two debaters, {protocol.name!r} has {protocol.seats}")
    if len({question.id for question in questions}) != len(questions):
        raise ValueError("questions are named twice: every match needs different ones")
    names = tuple(policies)
    standing, played = Standing(names), {episode.id: episode for episode in done}
    for pairing in _pairings(standing, swiss, rounds):
        jobs = [
            job for pair in pairing.pairs for job in match_jobs(pair, questions, protocol, seed)
        ]
        waiting = [job for job in jobs if job.id not in played]
        for episode in play(waiting, policies, judge, slots=slots):
            keep(episode)
            played[episode.id] = episode
        episodes = iter([played.pop(str(job.id)) for job in jobs])
        meetings = [
            _meeting(pair, [next(episodes) for _ in range(2 * len(questions))])
            for pair in pairing.pairs
        ]
        standing.record(meetings, pairing.byes, points=swiss)
    return standing


def number_of_games(players: int, questions: int, *, swiss: bool, rounds: int | None) -> int:
    """Games of a tournament, before it is played."""
    if rounds is None:
        rounds = swiss_rounds(players) if swiss else players - 1 + players % 2
    return rounds * (players // 2) * 2 * questions


def match_jobs(
    pair: tuple[str, str], questions: Sequence[Question], protocol: Protocol, seed: int
) -> Iterator[Job]:
    """Both assignments of every question; ids and conditions carry the pair in order of names, so
    that a store holds a match once."""
    one, other = sorted(pair)
    for number, question in enumerate(questions):
        for variant, seats in enumerate(((one, other), (other, one))):
            yield Job(
                question,
                protocol,
                dict(zip(protocol.seats, seats, strict=True)),
                seed=2 * (seed * 1_000_003 + number) + variant,
                id=f"{one} vs {other}:{question.id}:{variant}",
                condition=f"{one} vs {other}",
            )


def _pairings(standing: Standing, swiss: bool, rounds: int | None) -> Iterator[Pairing]:
    """Rounds as they are due: a Swiss one depends on how those before it ended."""
    players = standing.players
    if not swiss:
        yield from round_robin(players)[:rounds]
        return
    for _ in range(swiss_rounds(len(players)) if rounds is None else rounds):
        yield swiss_pairing(players, standing.scores, standing.met, standing.rested)


def _meeting(pair: tuple[str, str], episodes: Sequence[Episode]) -> Meeting:
    """The jobs' order says who argued what: variant 0 has the first name in the first seat."""
    one, other = pair
    first, second = sorted(pair)
    games, wins = [], 0.0
    for number, episode in enumerate(episodes):
        correct = episode.question.correct
        won = credit(pooled(episode), correct)
        if won is None:
            continue
        right, wrong = (first, second) if number % 2 == _side(episode, correct) else (second, first)
        games.append(Match(right, wrong, won, 1, "correct", episode.question.id))
        wins += won if right == one else 1 - won
    return Meeting(one, other, tuple(games), wins, outcome_counts(episodes))


def _side(episode: Episode, answer: int) -> int:
    """The number of the debater that argued an answer."""
    arguing = [record.answer for record in episode.seats.values() if record.answer is not None]
    return arguing.index(answer)
