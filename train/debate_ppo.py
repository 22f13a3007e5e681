"""Trains debaters, or a consultant, by PPO against a judge.

    accelerate launch --config_file configs/accelerate/cpu.yaml train/debate_ppo.py
    accelerate launch ... train/debate_ppo.py --protocol consultancy
    accelerate launch ... train/debate_ppo.py --config FILE --output_dir runs/mine
    accelerate launch ... train/debate_ppo.py --resume_from_checkpoint last

`--help` lists every field; each can stand in the YAML file or on the command line.
"""

import os
import sys

# OpenMP's threads wait for each other by spinning: with another job on the cores a small model
# then trains many times slower. The variable counts only if it is set before torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from debate_gym.train.config import parse
from debate_gym.train.run import Run, hush


def main() -> None:
    hush()
    try:
        run = Run(parse())
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from error
    run.train()
    run.report()


if __name__ == "__main__":
    main()
