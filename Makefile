# Each target installs what it needs into .venv of this checkout, with the versions of the folder lock.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# One thread per process: the tests run in two processes, and the benchmarks compare single threads. The same kernels of
# OpenBLAS on every x86 processor: with others, a label differs in 7 of 9,140 records of docs/results.md.
KERNELS := $(if $(filter x86_64,$(shell uname -m)),OPENBLAS_CORETYPE=Haswell)
THREADS := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(KERNELS)
# Compiled files are kept, also if the environment says otherwise: every process of the tests would compile all of them.
COMPILED := PYTHONDONTWRITEBYTECODE=
TESTS := $(THREADS) $(COMPILED) $(BIN)/python -m pytest -n 2
# labelferry, and the bench if the checkout contains it.
PROJECTS := pyproject.toml $(wildcard bench/pyproject.toml)

# Real corpora: the folder in LABELFERRY_DATA, by default a folder next to the checkout. Tests that need a missing
# corpus are skipped.
ifneq ($(wildcard ../shared/data),)
export LABELFERRY_DATA ?= $(abspath ../shared/data)
endif

.PHONY: help demo test test-system test-all quick check lint types format docs bench fuzz dist lock raise clean

help:                  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 21

demo: .venv/run        ## label the embedded tickets of a new product
	$(BIN)/labelferry demo

test: .venv/dev        ## the tests
	$(TESTS) -m "not system and not full" $(ARGS)

test-system: .venv/dev ## the tests with kills, Dask, memory, a browser, PostgreSQL, real corpora, long waits or many fits
	$(TESTS) -m system --dist loadfile $(ARGS)

test-all: .venv/dev    ## every test, also all checks of scikit-learn for every estimator
	$(TESTS) $(ARGS)

quick: .venv/dev       ## the tests that take a few seconds at most
	$(TESTS) -m "not slow and not system and not full" $(ARGS)

check: lint types test ## lint, types and the tests

lint: .venv/dev        ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev       ## mypy --strict
	$(BIN)/mypy

format: .venv/dev      ## fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/docs       ## build the documentation in site/; a broken link is an error
	$(THREADS) $(BIN)/python -m mkdocs build --strict

bench: .venv/dev       ## speed and memory compared with scikit-learn
	$(BIN)/labelferry bench speed --sizes 1000,8000
	$(BIN)/python -m benchmarks.speed

SECONDS ?= 300
fuzz: .venv/fuzz       ## search for inputs that fail, for SECONDS=300; the past ones are part of make test
	$(THREADS) $(COMPILED) $(BIN)/python -m tests.fuzz --seconds $(SECONDS)

dist: .venv/release    ## build the release in dist/, with the chart library of the report and the SBOM, and check it
	$(BIN)/python -m labelferry.report.vega
	$(BIN)/python release/sbom.py
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*

# Universal: one file for Python 3.11 and later on every system. The locks agree because dev is a constraint of the
# others. labelferry is resolved from the checkout, and is not in the file.
COMPILE := $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes --no-annotate \
  --no-emit-package labelferry --no-emit-package labelferry-bench --custom-compile-command "make lock"
lock: .venv/uv         ## write the versions of the folder lock: the present ones, if pyproject.toml allows them
	printf '%s\n' '-e .' | $(COMPILE) $(RAISE) $(PROJECTS) - --extra all --extra charts --extra dask --group dev \
	  -o lock/dev.txt >/dev/null
	$(COMPILE) pyproject.toml --extra all --extra charts --group build -c lock/dev.txt -o lock/run.txt >/dev/null
	$(COMPILE) pyproject.toml --extra cli --extra report --extra review --extra postgres --group build -c lock/dev.txt \
	  -o lock/review.txt >/dev/null
	$(COMPILE) --group release -c lock/dev.txt -o lock/release.txt >/dev/null
	$(COMPILE) --group docs -c lock/dev.txt -o lock/docs.txt >/dev/null
	$(COMPILE) --group fuzz -c lock/dev.txt -o lock/fuzz.txt >/dev/null

raise:                 ## write the newest versions that pyproject.toml allows to the folder lock
	$(MAKE) lock RAISE=--upgrade

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python lock/run.txt pyproject.toml
	$(PIP) --require-hashes -r lock/run.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/bin/python lock/dev.txt $(PROJECTS)
	$(PIP) --require-hashes -r lock/dev.txt
	$(PIP) --no-deps --no-build-isolation $(patsubst %pyproject.toml,--editable ./%,$(PROJECTS))
	@touch $@ .venv/run

.venv/docs: .venv/dev lock/docs.txt
	$(PIP) --require-hashes -r lock/docs.txt
	@touch $@

.venv/release: .venv/dev lock/release.txt
	$(PIP) --require-hashes -r lock/release.txt
	@touch $@

.venv/fuzz: .venv/dev lock/fuzz.txt
	$(PIP) --require-hashes -r lock/fuzz.txt
	@touch $@

.venv/uv: .venv/bin/python
	$(PIP) "uv>=0.9"
	@touch $@

clean:                 ## remove .venv, caches and built files
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist site docs/gallery
