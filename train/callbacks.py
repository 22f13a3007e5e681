"""What a run writes while it trains: metrics as JSON Lines, and a progress bar."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tqdm import tqdm
from transformers import TrainerCallback

from debate_gym.eval.store import read_records

# Timings would make two equal runs write different files; the others repeat the step.
LEFT_OUT = ("step_time", "epoch", "total_flos")
SHOWN = {
    "judge/accuracy": "accuracy",
    "kl": "kl",
    "entropy": "entropy",
    "reward/absolute": "|reward|",
}
HELD_OUT = (
    "judge_accuracy",
    "win_rate_vs_start",
    "win_rate_correct_side",
    "win_rate_wrong_side",
    "verified_share",
)


def plain_metrics(logs: dict[str, Any]) -> dict[str, float]:
    """The finite numbers of a log record, named as in the metrics file.

    TRL and W&B mark held-out figures by the prefix `eval_`; the file by `eval/`.
    """
    return {
        f"eval/{name.removeprefix('eval_')}" if name.startswith("eval_") else name: value
        for name, value in logs.items()
        if name not in LEFT_OUT and isinstance(value, int | float) and math.isfinite(value)
    }


class MetricsFile(TrainerCallback):  # type: ignore[misc]
    """Appends one line `{"step", "iteration", ...}` for every record that the trainer logs.

    A resumed run first drops the lines that were written after its checkpoint, so that the file
    ends up as that of an unbroken run.
    """

    def __init__(self, path: Path, steps_per_iteration: int) -> None:
        self.path = path
        self._steps_per_iteration = steps_per_iteration

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            self._drop_after(state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if not state.is_world_process_zero or not logs or "train_runtime" in logs:
            return
        step = state.global_step
        record = {"step": step, "iteration": step // self._steps_per_iteration}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**record, **plain_metrics(logs)}) + "\n")

    def _drop_after(self, step: int) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = []
        if self.path.is_file() and step > 0:
            kept = [r for r in read_records(self.path, torn_end=True) if r["step"] <= step]
        scratch = self.path.with_suffix(".tmp")
        scratch.write_text("".join(json.dumps(record) + "\n" for record in kept), "utf-8")
        scratch.replace(self.path)


class Progress(TrainerCallback):  # type: ignore[misc]
    """A bar over iterations on standard error, with the numbers that tell how it goes."""

    def __init__(self, iterations: int, steps_per_iteration: int) -> None:
        self._iterations = iterations
        self._steps_per_iteration = steps_per_iteration
        self._bar: tqdm[Any] | None = None
        self._numbers: dict[str, str] = {}

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._bar = tqdm(
            total=self._iterations,
            initial=state.global_step // self._steps_per_iteration,
            unit="iteration",
            disable=not state.is_world_process_zero,
            dynamic_ncols=True,
        )

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._bar is not None and state.global_step % self._steps_per_iteration == 0:
            self._bar.update(1)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        found = plain_metrics(logs or {})
        self._numbers |= {
            SHOWN[name]: f"{value:.3f}" for name, value in found.items() if name in SHOWN
        }
        if self._bar is not None:
            self._bar.set_postfix(self._numbers)
            if "eval/judge_accuracy" in found and state.is_world_process_zero:
                tqdm.write(_held_out_line(state.global_step // self._steps_per_iteration, found))

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._bar is not None:
            self._bar.close()


def _held_out_line(iteration: int, found: dict[str, float]) -> str:
    shown = [
        f"{name.replace('_', ' ')} {found[key]:.3f} "
        f"[{found[key + '_low']:.3f}, {found[key + '_high']:.3f}]"
        for name in HELD_OUT
        if (key := f"eval/{name}") in found and f"{key}_low" in found
    ]
    return f"held out after {iteration} iterations: " + ", ".join(shown)
