# `make` alone says what there is.
.DEFAULT_GOAL := help
.PHONY: help setup run test long rounds pooled chaos mutants check format bench docs screens lock clean
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock'

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.run ## make the virtual environment with what running needs

run: $(VENV)/.run ## run the whole service (ROWMILL_PORT, ROWMILL_DATA, DATABASE_URL are honoured)
	@exec $(BIN)/rowmill up

test: $(VENV)/.dev ## set up and run the tests; TESTS="tests/app -k claim" narrows them
	@.ci/test $(TESTS)

long: $(VENV)/.dev ## converters, moves, broken uploads; takes TIMES=20 KILLS=200 UPLOADS=500 and hours
	@TEST_TIMES=$(or $(TIMES),20) RESUMABLE_KILLS=$(or $(KILLS),200) \
		RESUMABLE_UPLOADS=$(or $(UPLOADS),500) .ci/test tests/worker/converters \
		tests/system/test_corpus.py tests/app/queue/test_any_order.py \
		tests/system/test_resumable.py $(TESTS)

rounds: $(VENV)/.dev ## races, freezes, crashes and full disks again and again, 20 to 200 times each
	@TEST_TIMES=2 .ci/test -m rounds $(or $(TESTS),tests/app tests/system)

pooled: $(VENV)/.dev ## the tests of the whole system once more, each behind a PgBouncer
	@TEST_POOLED=1 .ci/test $(or $(TESTS),tests/system)

chaos: $(VENV)/.dev ## the long fault run; takes SEED= (printed), KILLS=1000 UPLOADS=5000
	@$(BIN)/python -m tests.chaos $(if $(SEED),--seed $(SEED)) --kills $(or $(KILLS),1000) \
		--uploads $(or $(UPLOADS),5000)

mutants: $(VENV)/.dev ## take each guard away in a copy of the tree and see a test fail
	@$(BIN)/python -m tests.mutants

check: $(VENV)/.dev ## lint, check the format, the types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## bring the code into the one format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## print the tables of the benchmark
	@for table in ingest queue spawner convert load start; do $(BIN)/python -m bench.$$table || exit 1; done

docs: $(VENV)/.dev ## write docs/formats.md anew from the tables
	$(BIN)/python -m app.formats.paper > docs/formats.md

screens: $(VENV)/.dev ## take the pictures of the README anew, into docs/images
	@ROWMILL_SCREENSHOTS=$(CURDIR)/docs/images .ci/test tests/browser/test_pictures.py

lock: $(VENV)/.dev ## pin what pyproject.toml asks for, with hashes (takes UPGRADE=--upgrade)
	$(LOCK) $(UPGRADE) requirements/build.in -o requirements/build.txt
	$(LOCK) $(UPGRADE) pyproject.toml -o requirements/api.txt
	$(LOCK) $(UPGRADE) pyproject.toml --extra converters -o requirements/worker.txt
	$(LOCK) $(UPGRADE) pyproject.toml --all-extras -o requirements/all.txt
	$(LOCK) $(UPGRADE) pyproject.toml --all-extras --group dev -o requirements/dev.txt

clean: ## remove the virtual environment and caches; the data stays
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# A stamp is newer than what it was made from, so a second run starts no pip.
$(VENV)/.run: requirements/build.txt requirements/all.txt pyproject.toml | $(BIN)/python
	@echo "Installing what Rowmill needs into $(VENV) (only when it has changed)"
	@$(PIP) install --require-hashes -r requirements/build.txt
	@$(PIP) install --no-build-isolation --require-hashes -r requirements/all.txt
	@$(PIP) install --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements/build.txt requirements/dev.txt pyproject.toml | $(BIN)/python
	@echo "Installing what the tests need into $(VENV) (only when it has changed)"
	@$(PIP) install --require-hashes -r requirements/build.txt
	@$(PIP) install --no-build-isolation --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-build-isolation --no-deps -e .
	@touch $(VENV)/.run $@

$(BIN)/python:
	@.ci/venv $(VENV)
