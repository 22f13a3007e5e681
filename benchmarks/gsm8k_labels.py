"""How fast programs are run, and how many of each file are right.

DEBATE_GYM_DATA=FOLDER OMP_NUM_THREADS=1 python benchmarks/gsm8k_labels.py [PROGRAMS_A_FILE]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from debate_gym.envs.sandbox import Sandbox
from debate_gym.envs.tasks.files import find_files
from debate_gym.envs.tasks.gsm8k_labels import label
from debate_gym.envs.tasks.gsm8k_programs import FILES, read_programs
from debate_gym.envs.tasks.gsm8kqa import SOURCE, key_of, read_problems
from debate_gym.envs.tasks.intake import Intake
from debate_gym.envs.tasks.program_runs import run_programs


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    gold = {item.key: item.record.gold for item in read_problems(Intake())}
    with Sandbox() as sandbox:
        print(f"isolation: {sandbox.isolation}")
    run, seconds = 0, 0.0
    for path in find_files("gsm8k", (FILES,), SOURCE):
        programs = list(read_programs(Intake(), [path]))[:most]
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            runs = run_programs((p.code for p in programs), cache=Path(folder) / "runs.jsonl")
            spent = time.monotonic() - begin
        known = [p for p in programs if key_of(p.question) in gold]
        counts = Counter(label(runs[p.code], gold[key_of(p.question)]).value for p in known)
        run, seconds = run + len(runs), seconds + spent
        print(f"{path.stem}: {len(runs)} in {spent:.1f} s, {len(runs) / spent:.1f} programs/s")
        print(f"  {dict(counts.most_common())}")
    print(f"all: {run} in {seconds:.1f} s, {run / seconds:.1f} programs/s")


if __name__ == "__main__":
    main()
