"""Times the ledger on a million debates in parquet, and learned gates on 7,000 of 14 models.

    OMP_NUM_THREADS=1 taskset -c 0 python benchmarks/ledger.py

The debates are random. Each step is a command of its own process, as a user would start it; CPU
seconds stand beside the clock, for the clock also counts what else the machine is doing.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from debate_gym.eval.ledger.probes import CHANNELS, STRENGTHS

ROUNDS, SEATS, OPTIONS, MODELS, FAMILIES = 4, 3, 4, 14, 7
LETTERS = np.array(["A", "B", "C", "D"])
RUN = (
    "import argparse, sys; from debate_gym.eval.ledger.cli import add_commands; "
    "p = argparse.ArgumentParser(); add_commands(p.add_subparsers()); "
    "a = p.parse_args(); sys.exit(a.run(a))"
)


def write_panels(path: Path, n: int, rng: np.random.Generator) -> None:
    """Debates in which each seat is right by chance of its model, and moves towards the others."""
    model = np.arange(n) % MODELS
    gold = rng.integers(OPTIONS, size=n)
    answers = np.empty((n, ROUNDS, SEATS), np.int8)
    skill = 0.3 + 0.6 * model / MODELS
    answers[:, 0] = np.where(
        rng.random((n, SEATS)) < skill[:, None],
        gold[:, None],
        rng.integers(OPTIONS, size=(n, SEATS)),
    )
    for round in range(1, ROUNDS):
        heard = np.take_along_axis(
            answers[:, round - 1], rng.integers(SEATS, size=(n, SEATS)), axis=1
        )
        moves = rng.random((n, SEATS)) < 0.3
        answers[:, round] = np.where(moves, heard, answers[:, round - 1])
    answers[rng.random(answers.shape) < 0.02] = -1
    table = {
        "id": [f"d{i}" for i in range(n)],
        "model": [f"m{m}" for m in model],
        "family": [f"f{m % FAMILIES}" for m in model],
        "question_id": [f"q{i // MODELS}" for i in range(n)],
        "gold": LETTERS[gold],
        "options": _lists(pa.array(np.tile(["one", "two", "three", "four"], n)), OPTIONS),
        "rounds": _lists(_lists(_letters(answers.ravel()), SEATS), ROUNDS),
    }
    pq.write_table(pa.table(table), path)


def write_probes(path: Path, n: int, rng: np.random.Generator) -> None:
    """A probe of each debate's model and question, flips at random."""
    with path.open("w") as file:
        for i in range(n):
            model = i % MODELS
            initial, gold = rng.integers(OPTIONS, size=2)
            flips = rng.random((len(CHANNELS), len(STRENGTHS))) < model / MODELS
            moved = LETTERS[np.where(flips, (initial + 1) % OPTIONS, initial)]
            record = {
                "model": f"m{model}",
                "family": f"f{model % FAMILIES}",
                "question_id": f"q{i // MODELS}",
                "gold": LETTERS[gold],
                "options": ["one", "two", "three", "four"],
                "initial": LETTERS[initial],
                "replies": {
                    channel: dict(zip(STRENGTHS, row.tolist(), strict=True))
                    for channel, row in zip(CHANNELS, moved, strict=True)
                },
            }
            file.write(json.dumps(record) + "\n")


def timed(*argv: object) -> str:
    """Runs a command and returns its line of a table."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", RUN, *map(str, argv), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    name = " ".join(str(part) for part in argv if not isinstance(part, Path))
    shown = {k: v for k, v in json.loads(done.stdout).items() if isinstance(v, int | float)}
    return f"{name:40} {time.perf_counter() - start:7.2f} {cpu:7.2f}  {shown}"


def _lists(values: pa.Array, size: int) -> pa.Array:
    places = np.arange(0, len(values) + 1, size, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(places), values)


def _letters(codes: np.ndarray) -> pa.Array:
    places = pa.array(codes.astype(np.int32), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(places, pa.array(LETTERS)).cast(pa.string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--debates", type=int, default=1_000_000, help="of the ledger")
    parser.add_argument("--replayed", type=int, default=7_000, help="of the learned gates")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        many, few, probes = (Path(folder) / name for name in ("m.parquet", "f.parquet", "p.jsonl"))
        write_panels(many, args.debates, rng)
        write_panels(few, args.replayed, rng)
        write_probes(probes, args.replayed, rng)
        print(f"{'command':40} {'clock s':>7} {'CPU s':>7}")
        for ties in ("alphabetical", "undecided", "expected"):
            print(timed("ledger", many, "--ties", ties), flush=True)
        print(timed("replay", few, "--gate", "stump"), flush=True)
        print(timed("replay", few, "--gate", "probe-freeze", "--probes", probes), flush=True)
        print(timed("replay", few, "--gate", "stump", "--bootstrap", 1000), flush=True)


if __name__ == "__main__":
    main()
