#!/usr/bin/env bash
# Trains on the evidence game for 75 iterations, three seeds each: debate, its control with
# shuffled rewards, and consultancy. Two runs at a time, one thread each.
# Usage: benchmarks/evidence.sh OUT
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
  for run in debate consultancy control; do
    options="--iterations 75 --seed $seed"
    [ $run = consultancy ] && options="$options --protocol consultancy"
    [ $run = control ] && options="$options --shuffle_rewards true"
    echo "train $run-$seed $options"
  done
done | xargs -P 2 -I{} bash -c '{}'
