"""How long scoring, rating and a tournament take on one core.

OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 python benchmarks/ratings.py [--only NAME ...]

Prints, for each part, wall and processor seconds and the peak memory of the whole process so far:
1,000,000 verdicts scored with intervals of the question bootstrap, once on 1,152 questions in many
conditions and once with few verdicts a question; Elo of 20 players, 40 matches and 1,000 draws in
both published forms; a Swiss tournament of 20 scripted players over 291 questions, both
assignments, with ratings. Give each part a process of its own (`--only`) to read its memory.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from debate_gym.envs.scripted import ScriptedPolicy, scripted_policy
from debate_gym.eval.matches import Match
from debate_gym.eval.ratings import rate
from debate_gym.eval.swiss import swiss_pairing
from debate_gym.eval.tournament_config import TournamentConfig
from debate_gym.eval.tournament_run import run
from debate_gym.eval.verdict_table import score_verdicts

ROWS = 1_000_000
OUTCOMES = ("correct", "incorrect", "tie", "unreadable", "failed")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    for name in parser.parse_args().only:
        work = PARTS[name]()
        wall, cpu = time.perf_counter(), time.process_time()
        said = work()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{name}: {wall:.1f} s wall, {cpu:.1f} s processor, peak {peak:.2f} GB; {said}")


def _scoring(questions: int, groups: int) -> Callable[[], str]:
    """A million verdicts, both answer orders of half a million episodes."""
    import polars as pl

    rng = np.random.default_rng(0)
    episode = np.arange(ROWS) // 2
    group, question = episode % groups, (episode // groups) % questions
    outcome = rng.choice(5, ROWS, p=[0.6, 0.3, 0.04, 0.04, 0.02])
    p0 = np.choose(np.minimum(outcome, 3), [0.8, 0.3, 0.5, np.nan])
    verdicts = pl.DataFrame(
        {
            "episode_id": episode,
            "question_id": question,
            "task": group % 9,
            "protocol": group // 9 % 6,
            "condition": group // 54,
            "judge": ["j"] * ROWS,
            "correct": np.zeros(ROWS, int),
            "p0": pl.Series(p0, nan_to_null=True),
            "outcome": np.array(OUTCOMES)[outcome],
        }
    ).with_columns(pl.col("episode_id", "question_id", "task").cast(pl.String))

    def work() -> str:
        rows = score_verdicts(verdicts, draws=1000)
        return f"{len(rows)} groups, {max(row['questions'] for row in rows)} questions each"

    return work


def _elo(loss: str) -> Callable[[], str]:
    rng = np.random.default_rng(0)
    names = [f"p{i:02}" for i in range(20)]
    strength = dict(zip(names, rng.normal(0, 120, 20), strict=True))
    scores, met, matches = dict.fromkeys(names, 0.0), set(), []
    for _ in range(4):
        for a, b in swiss_pairing(names, scores, met).pairs:
            won = int(rng.binomial(582, 1 / (1 + 10 ** ((strength[b] - strength[a]) / 400))))
            matches.append(Match(a, b, won, 582))
            met.add(frozenset((a, b)))
            scores[a if won > 291 else b] += 1

    def work() -> str:
        found = rate(matches, loss=loss, draws=1000)
        return f"{len(found.players)} players, {len(matches)} matches, {len(found.draws)} draws"

    return work


def _mixed(share: float) -> ScriptedPolicy:
    """Quotes the best sentence in a share of its turns, any sentence in the others."""
    best, any_of = scripted_policy("best"), scripted_policy("random")

    def line(observation, sentences, rng):  # type: ignore[no-untyped-def]
        policy = best if rng.random() < share else any_of
        return policy._line(observation, sentences, rng)  # type: ignore[attr-defined]

    return ScriptedPolicy(f"mixed-{share:.2f}", line)


def _tournament() -> Callable[[], str]:
    players = {f"p{i:02}": _mixed(i / 19) for i in reversed(range(20))}
    config = TournamentConfig(dict.fromkeys(players, "scripted:mixed"), questions=291)

    def work() -> str:
        with tempfile.TemporaryDirectory() as folder:
            result = run(config, Path(folder), players)
            megabytes = (Path(folder) / "episodes.jsonl").stat().st_size / 2**20
        games = sum(m["games"] for r in result["rounds"] for m in r["matches"])
        order = [result["ratings"][name]["rating"] for name in sorted(players)]
        r = np.corrcoef(order, range(20))[0, 1]
        return (
            f"{len(result['rounds'])} rounds, {games} games, {megabytes:.0f} MB of episodes, "
            f"ratings and strength correlate at {r:.3f}"
        )

    return work


PARTS: dict[str, Callable[[], Callable[[], str]]] = {
    "many-conditions": lambda: _scoring(1152, 434),
    "many-questions": lambda: _scoring(100_000, 5),
    "elo-squared": lambda: _elo("squared"),
    "elo-nll": lambda: _elo("nll"),
    "tournament": _tournament,
}

if __name__ == "__main__":
    main()
