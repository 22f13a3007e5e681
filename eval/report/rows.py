"""What a report is made of: one row for every episode and judge, read from a folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from debate_gym.envs.nouns import JUDGE_0, Episode, Verdict
from debate_gym.eval import metrics
from debate_gym.eval.metrics import Estimate
from debate_gym.eval.store import read_episodes, read_records

EPISODES = "episodes.jsonl"
TRANSCRIPTS = "transcripts"
KINDS = {
    "extractive": ("quality", "boolq", "gpqa-extractive"),
    "closed": ("mmlu", "gsm8kqa", "prontoqa", "truthfulqa", "gpqa"),
    "multimodal": ("mmmu",),
    "built-in": ("evidence",),
}
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Played:
    """An episode with its file record, whose unknown keys an `Episode` does not hold."""

    episode: Episode
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """What one judge made of one episode.

    Attributes:
        verdict: with the answer orders averaged.
        stated: whether the judge gave probabilities; False for one who only names an answer.
        cost: of the episode, as in its record.
    """

    episode: Episode
    verdict: Verdict
    stated: bool
    cost: Mapping[str, int]

    @property
    def task(self) -> str:
        return self.episode.question.task

    @property
    def question(self) -> str:
        """Names the question among those of all tasks."""
        return f"{self.task}/{self.episode.question.id}"

    @property
    def sides(self) -> dict[str, tuple[str, int]]:
        """Seat -> (player, answer that it argued); without a judge who asks."""
        return {
            seat: (metrics.player(record.model, record.revision), record.answer)
            for seat, record in self.episode.seats.items()
            if seat != JUDGE_0 and record.answer is not None
        }

    @property
    def truth(self) -> int:
        return self.episode.question.correct


def read_folder(folder: Path) -> list[Played]:
    """The episodes of a run, in the order of its files.

    Args:
        folder: holds `episodes.jsonl`, as `debate-gym eval` leaves it, or `transcripts/*.jsonl`, as
            training does, or both; or an episode file itself. A torn last line is left out.

    Raises:
        FileNotFoundError: if there is neither; says where it looked.
        FileError: on a line that is no episode.
    """
    return [played for path in _files(folder) for played in _read(path)]


def rows(played: Iterable[Played]) -> list[Row]:
    """One row for every judge of every episode."""
    return [row for one in played for row in _rows(one)]


def share(chosen: Iterable[Row], answer: Callable[[Row], int]) -> Estimate:
    """How often the judge picks an answer, as `debate_gym.eval.metrics.accuracy` counts."""
    worth = ((row.question, metrics.credit(row.verdict, answer(row))) for row in chosen)
    return metrics.mean_over_questions((q, value) for q, value in worth if value is not None)


def accuracy(chosen: Iterable[Row]) -> Estimate:
    """How often the judge picks the correct answer; a question's episodes are averaged first."""
    return share(chosen, lambda row: row.truth)


def grouped(chosen: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """The rows of each key, keys in sorted order."""
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in chosen:
        found[key(row)].append(row)
    return {name: found[name] for name in sorted(found)}  # type: ignore[type-var]


def kind(task: str) -> str:
    """What K24 section 3.1 calls a task: extractive, closed or multimodal; `built-in` for a task
    that is made here, and `other` for one that is not known."""
    return next((name for name, tasks in KINDS.items() if task in tasks), "other")


def _files(folder: Path) -> Sequence[Path]:
    if folder.is_file():
        return [folder]
    wanted = [folder / EPISODES] if (folder / EPISODES).is_file() else []
    found = [*wanted, *sorted((folder / TRANSCRIPTS).glob("*.jsonl"))]
    if not found:
        raise FileNotFoundError(
            f"no episodes in {folder}: expected {EPISODES}, which debate-gym eval writes, or "
            f"{TRANSCRIPTS}/*.jsonl, which training writes"
        )
    return found


def _read(path: Path) -> Iterable[Played]:
    # A run that is still writing may be a few episodes longer at the second reading.
    episodes = read_episodes(path, torn_end=True)
    return map(Played, episodes, read_records(path, torn_end=True))


def _rows(played: Played) -> Iterable[Row]:
    episode = played.episode
    silent = {v["judge"] for v in played.record["verdicts"] if v["p"] is None}
    for judge in dict.fromkeys(verdict.judge for verdict in episode.verdicts):
        verdict = metrics.pooled(episode, judge)
        yield Row(episode, verdict, judge not in silent, played.record["cost"])
