"""Trains debaters, or a consultant, by PPO against a judge.

    accelerate launch --config_file configs/accelerate/cpu.yaml train/debate_ppo.py
    accelerate launch ... train/debate_ppo.py --protocol consultancy --output_dir runs/consultancy
    accelerate launch ... train/debate_ppo.py --config configs/ppo/quality_smollm2.yaml
    accelerate launch ... train/debate_ppo.py --resume_from_checkpoint last

`--help` lists every field; each can stand in the YAML file or on the command line.
"""

from debate_gym.train.config import parse
from debate_gym.train.run import Run


def main() -> None:
    run = Run(parse())
    run.train()
    run.report()


if __name__ == "__main__":
    main()
