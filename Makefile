# `make demo` runs the main job, `make test` checks everything, `make check` what takes no sampling. All set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

WORKERS ?= 2  # compiling a model takes one thread
# Threads of linear algebra beside two workers wait for each other, which takes a fifth of the time.
export OPENBLAS_NUM_THREADS ?= 1
# Where Python writes no bytecode, each of the many processes that tests start compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
# Pages compile models for longer than they sample them: the plainest code takes a quarter off, for the same draws. Tests: conftest.py.
docs: export NUMBA_OPT ?= 1
docs: export NUMBA_CPU_NAME ?= generic
docs: export NUMBA_CPU_FEATURES ?=
# and what tests have compiled is read: without fastmath
docs: export PYTENSOR_FLAGS ?= numba__fastmath=False

.PHONY: demo check test lint types unsampled pytest docs golden browser bench oracle graphs evidence calibration size clean

demo: $(STAMP)
	@$(BIN)/betterthan demo --method both -o demo/report.html

test: lint types pytest docs
	@echo "all green"

check: lint types unsampled
	@echo "green, but for what samples: make test"

lint: $(STAMP)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: $(STAMP)
	@$(BIN)/pyrefly check --summary=none

unsampled: $(STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS) -m 'not sampled and not browser' --cov=betterthan --cov-branch --cov-report= --cov-fail-under=92

pytest: $(STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS) -m 'not browser'

docs: $(STAMP)
	@$(BIN)/python -m sphinx -j 2 -W --keep-going -q -b html docs docs/_build/html

# Freezes answers that tests compare: new cases, and differences that tests/golden/allowed.toml lists; CASES names some.
golden: $(STAMP)
	@PYTHONPATH=tests $(BIN)/python -m golden.freeze $(CASES)

# The report's page in the Chromium or Chrome that is found; says so and passes where there is none. Looks at it too: screenshots/.
AXE := $(VENV)/axe/node_modules/axe-core/axe.min.js
browser: $(STAMP)
	@$(BIN)/python -m pip install --quiet --editable '.[browser]'
	@test -f $(AXE) || ! command -v npm >/dev/null || npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core@4.14.1 || true
	@BETTERTHAN_AXE=$$(test -f $(AXE) && echo $(AXE)) $(BIN)/python -m pytest -n $(WORKERS) -m browser -rs tests/browser

bench: $(STAMP)
	@$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@$(BIN)/python benchmarks/table.py
	@PYTHONPATH=. $(BIN)/python benchmarks/sampling.py

# Logs read by us and by the tools that wrote them, which have an environment of their own.
oracle: .oracle/.installed
	@.oracle/bin/python -m pytest -n 0 -W ignore -m oracle tests/oracle

.oracle/.installed: pyproject.toml
	@$(PYTHON) -m venv .oracle
	@.oracle/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[oracle]'
	@touch $@

# Draws the graph of each model anew, for its card; it needs the program dot of Graphviz.
graphs: $(STAMP)
	@$(BIN)/python -m pip install --quiet --editable '.[graphs]'
	@$(BIN)/python -m validation.graphs

# Validates the models anew; needed when what a model computes has changed; a test says so.
evidence: $(STAMP)
	@$(BIN)/python -m validation.models --all

# How often decisions are right, on truth that is not the prior; runs what a change made stale, nothing else.
calibration: $(STAMP)
	@$(BIN)/python -m validation.calibrate

# How large the package is, by subpackage.
size: $(STAMP)
	@$(BIN)/python -m validation.size

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || \
		{ echo "$(PYTHON) is not Python 3.12 or newer: install Python 3.13 (or run: make PYTHON=/path/to/python3.13 ...)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@# Python compiles what it loads; of all that is installed that is the smaller half
	@echo "Installing into $(VENV), once: about 380 MB of downloads"
	@$(BIN)/python -m pip install $$(test -t 1 || echo --quiet) --disable-pip-version-check --no-compile --editable '.[test,docs]'
	@touch $(STAMP)

clean:
	rm -rf $(VENV) .oracle docs/_build demo screenshots
