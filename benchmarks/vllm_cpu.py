"""Plays one debate in vLLM and lets a transformers model judge it too: run by `vllm_cpu.sh`."""

from __future__ import annotations

import sys
import time

from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.models import load_model
from debate_gym.agents.rollout import Job, play
from debate_gym.agents.vllm_engine import VllmEngine, VllmJudge, VllmPolicy
from debate_gym.envs import load_protocol, load_task
from debate_gym.eval.transcripts import readable

DTYPE = "float32"  # as transformers below, so that the verdicts can be compared


def main(spec: str) -> int:
    began = time.perf_counter()
    engine = VllmEngine.load(
        f"vllm:{spec}", max_model_len=2048, enforce_eager=True, dtype="float32"
    )
    loaded = time.perf_counter()
    policy = VllmPolicy(engine, f"vllm:{spec}", max_new_tokens=24)
    job = Job(
        load_task("evidence", "heldout", 1, seed=5)[0],
        load_protocol("debate", rounds=1),
        {"debater_0": "p", "debater_1": "p"},
    )
    (episode,) = play([job], {"p": policy}, VllmJudge(engine, "vllm"))
    played = time.perf_counter()
    (again,) = play([job], {"p": policy}, LogProbJudge(*load_model(spec), "transformers"))
    print(readable(episode))
    for verdict in (*episode.verdicts, *again.verdicts):
        print(f"{verdict.judge}, order {verdict.order}: {verdict.p}, mass {verdict.label_mass}")
    print(f"loaded in {loaded - began:.0f} s, played in {played - loaded:.0f} s")
    return 0 if episode.error is None else 1


# vLLM starts its workers by importing this file again.
if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
