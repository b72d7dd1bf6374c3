# motet: `make demo` and `make test` work from a clean clone with only Python >= 3.11, make and git.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.PHONY: help setup demo test check bench bench-index bench-nvim bench-board fuzz soak soak-boards docs pictures lock offline dist clean

help:
	@echo "make demo     run the main job on the example projects, offline, no key"
	@echo "make test     run the tests (real language servers, real HTTP, real files)"
	@echo "make check    lint, types, import contract, acceptance page: before each commit"
	@echo "make bench    run the benchmarks and write docs/benchmarks.md"
	@echo "make bench-index  what the index costs and finds: their tables in that page"
	@echo "make bench-nvim  the same for chats in Neovim alone: their table in that page"
	@echo "make bench-board  the same for boards alone, and docs/scale.md"
	@echo "make fuzz     damage 10,000 edits of real files, give every parser random answers"
	@echo "make soak     kill -9 and break off at every step there is, not at a few; boards on the oldest server"
	@echo "make soak-boards  boards alone: 1,000 schedules by seed on each engine; FROM=401 goes on at that seed"
	@echo "make docs     write the generated pages of docs/"
	@echo "make pictures draw docs/pictures: a real Neovim, a scripted model"
	@echo "make offline  install all that is locked without a network, and see it work"
	@echo "make dist     what is released: wheel, source archive, and the list of what motet is made of (SBOM)"
	@echo "make lock     pin the newest versions in requirements/all.lock"

setup:
	@test -n "$(PYTHON)" || { echo "motet needs Python 3.11 or newer: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) tools/setup.py

demo: setup
	@$(BIN)/python tools/demo.py

test: setup
	@$(BIN)/python tools/run_tests.py $(ARGS)

check: setup
	@$(BIN)/python tools/check.py

bench: setup
	@$(BIN)/python bench/run_all.py

bench-index: setup
	@$(BIN)/python bench/run_all.py --only index_cost --only retrieval --update

bench-nvim: setup
	@$(BIN)/python bench/run_all.py --only nvim_speed --update

bench-board: setup
	@$(BIN)/python bench/run_all.py --only board_speed --only board_keys --update
	@$(BIN)/python bench/board_sim.py --measure --write

fuzz: setup
	@$(BIN)/python tools/fuzz.py $(ARGS)

SOAKED := tests/nvim/test_chat_chaos.py tests/nvim/test_say_while_streaming.py tests/history/test_killed.py tests/history/test_damage.py tests/storage/test_damaged_stores.py tests/chat/test_kill.py tests/chat/test_stack_rules.py tests/board/test_killed.py tests/board/test_moving.py tests/index/test_keeping.py tests/index/test_faults.py

soak: setup
	@MOTET_KILL_ALL=1 MOTET_SAY_MOMENTS=500 MOTET_INDEX_CHANGES=500 MOTET_INDEX_SEEDS=8 MOTET_INDEX_KILLS=14 $(BIN)/python tools/run_tests.py --dist worksteal -n 2 --timeout 3600 $(SOAKED) $(ARGS)
	@PGSERVER_POSTGRES_VERSION=16 $(BIN)/python tools/run_tests.py -n 2 tests/board  # the oldest that boards take
	@$(BIN)/python tools/referees.py

soak-boards: setup
	@MOTET_KILL_ALL=1 MOTET_SOAK_FROM=$(or $(FROM),1) $(BIN)/python tools/run_tests.py --dist worksteal -n 2 --timeout 3600 \
		tests/board/test_killed.py tests/board/test_moving.py $(ARGS)

docs: setup
	@$(BIN)/python tools/docs.py

pictures: setup
	@$(BIN)/python tools/pictures.py

lock:
	@uv lock --quiet && uv export --quiet --no-header --no-annotate --all-extras --no-emit-project \
		-o requirements/all.lock && rm -f uv.lock
	@for name in typescript inspector; do (cd tools/$$name && npm install --silent --package-lock-only) || exit 1; done

offline: setup
	@$(BIN)/python tools/offline.py

dist: setup
	@rm -rf dist
	@$(BIN)/uv build --quiet --offline --no-build-isolation --python $(BIN)/python --out-dir dist
	@$(BIN)/python tools/sbom.py > dist/motet.cdx.json

clean:
	rm -rf .venv dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
