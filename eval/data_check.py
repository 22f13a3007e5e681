"""What each task's upstream files hold: the account behind `debate-gym data check`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debate_gym.envs.tasks import task_module
from debate_gym.envs.tasks.files import content_hash
from debate_gym.envs.tasks.intake import Intake, Item


@dataclass(frozen=True)
class Account:
    """One task's records by what became of them.

    Attributes:
        kept: items that questions can be drawn from, both splits together.
        hash: over the keys of the kept items; two machines with the same one draw the same.
    """

    task: str
    intake: Intake
    kept: int
    hash: str

    def to_json(self) -> dict[str, Any]:
        """Plain values; `read` is the sum of `kept`, `duplicates`, all `dropped` and `broken`."""
        intake = self.intake
        return {
            "task": self.task,
            "files": len(intake.files),
            "read": intake.read,
            "dropped": dict(intake.dropped),
            "duplicates": intake.duplicates,
            "broken": intake.broken,
            "kept": self.kept,
            "hash": self.hash,
        }


def check(task: str, seed: int = 0) -> Account:
    """Reads all of a task's files and says what is in them; broken records are told, not raised.

    Args:
        seed: of what the rules draw (a wrong answer may decide whether a pair is usable).

    Raises:
        ValueError: on an unknown task, or one without files.
        FileNotFoundError: if the files are not there.
    """
    module = task_module(task)
    if not hasattr(module, "read"):
        raise ValueError(f"task {task!r} is built in: it reads no files")
    intake = Intake()
    items: Sequence[Item[Any]] = module.read(intake, np.random.default_rng(seed))
    keys = content_hash(*(item.key for item in items))
    return Account(task, intake, len(items), keys)


def markdown(accounts: Sequence[Account]) -> str:
    """The accounts as a table for a page."""
    lines = [
        "| task | files | read | dropped, by rule | duplicates | kept | hash |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {a.task} | {len(a.intake.files)} | {a.intake.read} | {rules(a.intake.dropped)} "
        f"| {a.intake.duplicates} | {a.kept} | `{a.hash}` |"
        for a in accounts
    ]
    return "\n".join(lines)


def rules(dropped: Mapping[str, int]) -> str:
    """`3 two equal options, 1 no explanation`, the largest first; a dash for none."""
    ordered = sorted(dropped.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{number} {rule}" for rule, number in ordered if number) or "-"
