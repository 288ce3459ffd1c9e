# Two commands: `make run` starts the app, `make test` checks everything. Both set themselves up.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PORT   ?= 8501
# Processes that tests run in: `make test WORKERS=6`.
# One more than the cores of a small machine: tests wait as well, for servers and files.
WORKERS ?= 3
BROWSERS ?= 2
# The tests start some hundred processes: what one has compiled, the others take.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test types parts graph fast faults fuzz speed results train gallery screenshots docs lock audit format clean

run: $(VENV)/.prepared
	$(BIN)/python -m kgqa_core app --port $(PORT)

test: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --no-print-directory --jobs=2 types parts

types: $(VENV)/.test  # one process at work, while the tests run
	$(BIN)/mypy
	$(BIN)/lint-imports

parts: $(VENV)/.test graph
	$(BIN)/pytest -m "not browser and not server and not scale" -n $(WORKERS) --dist loadfile
	$(BIN)/pytest -m "browser" -n $(BROWSERS) --dist loadfile --no-loadscope-reorder  # the longest files are first
	$(BIN)/pytest -m "(server or scale) and not browser" -n $(WORKERS) --dist loadfile --no-loadscope-reorder

fast: $(VENV)/.test graph  ## what to run while writing
	$(BIN)/pytest -m "not browser and not server and not scale" -n $(WORKERS) --dist loadfile -x -q

graph: $(VENV)/.test  # where it is not stored, every process of the tests would store it for itself
	@$(BIN)/python -m kgqa_core prepare

faults: $(VENV)/.test  ## what others do wrong, against every method and graph, as a table
	$(BIN)/python -m tests.faults

fuzz: $(VENV)/.test  ## every property with 10,000 examples of its own instead of 200; an hour
	KGQA_PROPERTIES=fuzz $(BIN)/pytest -n $(WORKERS) tests/test_parsers.py tests/kg/test_round_trips.py tests/kg/test_iris.py tests/kg/test_literals.py tests/methods/test_cypher.py

speed: $(VENV)/.test $(VENV)/.prepared  ## how fast it is, each part with what it promises; half an hour
	$(BIN)/python -m tests.speed.pages
	$(BIN)/python -m tests.speed.first_index
	$(BIN)/python -m tests.speed.folds
	$(BIN)/python -m tests.measure.overlaps
	$(BIN)/python -m tests.speed.runs
	$(BIN)/python -m tests.speed.benchmarks
	$(BIN)/python -m tests.speed.semantic
	$(BIN)/python -m tests.speed.load_graph 1e4 1e7

results: $(VENV)/.test  ## the scores that ship, measured anew; some twenty minutes on two free cores
	$(BIN)/python -m tests.measure.results

train: $(VENV)/.test  ## the ranker's weights, from ../shared/data; under an hour on two free cores; the seed keeps sets in order
	$(BIN)/python -m tests.training.encoder
	PYTHONHASHSEED=0 $(BIN)/python -m tests.training.weights
	$(BIN)/python -m tests.training.typed

gallery: $(VENV)/.run  ## the recorded examples of assets/runs, run again; the seed keeps sets in order
	PYTHONHASHSEED=0 $(BIN)/python -m kgqa_core gallery

screenshots: $(VENV)/.test  ## the README's pictures, from the running app
	$(BIN)/python -m tests.measure.screenshots

docs: $(VENV)/.test  ## the chapters of docs/ that repeat what the code says
	$(BIN)/python -m tests.measure.docs

lock: $(VENV)/.test  ## requirements.lock with hashes, and the licences of what is in it
	$(BIN)/python -m pip install --quiet uv==0.13.9
	$(BIN)/python -m tests.measure.lock

audit: $(VENV)/.test  ## known holes in what is installed; asks the Python packaging advisories
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit -r requirements.txt

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/.run: requirements.txt
	PYTHON=$(PYTHON) sh tests/setup.sh venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.prepared: $(VENV)/.run kgqa_core/kg/starter.py $(wildcard assets/known/*.tsv)  # what a first start would take seconds for
	$(BIN)/python -m compileall -q kgqa_core
	$(BIN)/python -m kgqa_core prepare
	@touch $@

$(VENV)/.test: $(VENV)/.run tests/requirements.txt tests/setup.sh
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	sh tests/setup.sh browser $(VENV)
	@touch $@

clean:
	rm -rf $(VENV) stored .pytest_cache .mypy_cache .ruff_cache
