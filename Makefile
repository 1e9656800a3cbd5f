# Each target sets up what it needs in .venv of this checkout.
PYTHON ?= python3
BIN := .venv/bin

# Real corpora: the folder in LABELFERRY_DATA, by default one beside the checkout. What needs them is skipped without.
ifneq ($(wildcard ../shared/data),)
export LABELFERRY_DATA ?= $(abspath ../shared/data)
endif

.PHONY: demo test lint types format bench clean

demo: .venv/run        ## label the embedded tickets of a new product
	$(BIN)/labelferry demo

test: lint types       ## lint, types and tests
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

format: .venv/dev      ## rewrite files in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev       ## speed and memory beside scikit-learn's NMF
	$(BIN)/python -m benchmarks.speed

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ .venv/run

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
