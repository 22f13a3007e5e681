#!/usr/bin/env bash
# Trains on the evidence game, three seeds each: debate, its control with shuffled rewards, and
# consultancy (twice the iterations: an episode has half the turns). Two runs at a time, one thread each. Usage: benchmarks/evidence.sh OUT
set -euo pipefail
out=$1
bin=${BIN:-.venv/bin}
export HF_HUB_OFFLINE=1 TRL_EXPERIMENTAL_SILENCE=1 OMP_NUM_THREADS=1
mkdir -p "$out"
train() {
  local name=$1
  shift
  [ -f "$out/$name/curves.png" ] && return
  rm -rf "${out:?}/$name"
  /usr/bin/env time -f "%e s, %M kB" "$bin/accelerate" launch --config_file configs/accelerate/cpu.yaml \
    train/debate_ppo.py --output_dir "$out/$name" "$@" > "$out/$name.txt" 2> "$out/$name.log"
}
export -f train
export out bin
for seed in 0 1 2; do
  echo "train debate-$seed --seed $seed"
  echo "train consultancy-$seed --protocol consultancy --iterations 100 --seed $seed"
  echo "train control-$seed --shuffle_rewards true --seed $seed"
done | xargs -P 2 -I{} bash -c '{}'
