# Each target installs what it needs into .venv of this checkout.
PYTHON ?= python3
BIN := .venv/bin
# One thread per process: the tests run in two processes, and the benchmarks compare single threads.
THREADS := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# Compiled files are kept, also if the environment says otherwise: every process of the tests would compile all of them.
COMPILED := PYTHONDONTWRITEBYTECODE=

# Real corpora: the folder in LABELFERRY_DATA, by default a folder next to the checkout. Tests that need a missing
# corpus are skipped.
ifneq ($(wildcard ../shared/data),)
export LABELFERRY_DATA ?= $(abspath ../shared/data)
endif

.PHONY: help demo test quick docs lint types format bench fuzz clean

help:                  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## */  make \1\t/' | expand -t 18

demo: .venv/run        ## label the embedded tickets of a new product
	$(BIN)/labelferry demo

test: lint types       ## lint, types and all tests
	$(THREADS) $(COMPILED) $(BIN)/python -m pytest -n 2

quick: lint types      ## lint, types and the fast tests
	$(THREADS) $(COMPILED) $(BIN)/python -m pytest -n 2 -m "not slow"

docs: .venv/docs       ## build the documentation in site/; a broken link is an error
	$(THREADS) $(BIN)/python -m mkdocs build --strict

lint: .venv/dev        ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev       ## mypy --strict
	$(BIN)/mypy

format: .venv/dev      ## fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev       ## speed and memory compared with scikit-learn
	$(BIN)/labelferry bench speed --sizes 1000,8000
	$(BIN)/python -m benchmarks.speed

SECONDS ?= 300
fuzz: .venv/fuzz       ## search for inputs that fail, for SECONDS=300; the past ones are part of make test
	$(THREADS) $(COMPILED) $(BIN)/python -m tests.fuzz --seconds $(SECONDS)

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[cli,report]"
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet "pip>=25.1"  # installs dependency groups
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@touch $@ .venv/run

.venv/fuzz: .venv/dev pyproject.toml
	$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@

.venv/docs: .venv/dev pyproject.toml
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

clean:                 ## remove .venv, caches and built files
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist site docs/gallery
