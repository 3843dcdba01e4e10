# make demo         set up, and run a built-in task from its description to a trained policy
# make test         set up, and run every check
# make local-model  set up, build the local model's runtime, and fetch its weights (1.1 GB)
# make setup        a virtual environment in .venv with the locked versions
# make lock         renew requirements.lock from pyproject.toml

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LLAMA_CPP := llama-cpp-python==0.3.36 diskcache==5.6.3

# Set-up is done again only when the content of these files has changed.
INPUTS := $(shell cat requirements.lock pyproject.toml | cksum | tr ' ' '-')
STAMP := $(VENV)/set-up-$(INPUTS)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

.PHONY: setup demo test local-model lock
.DELETE_ON_ERROR:

setup: $(STAMP)

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -r requirements.lock
	$(BIN)/pip install --quiet --no-deps -e .
	rm -f $(VENV)/set-up-*
	touch $@

demo: setup
	$(BIN)/python -m graph.run --task wireless

test: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q -m ""

local-model: setup
	CMAKE_ARGS="$$($(BIN)/python -m nodes.models.build_flags)" $(BIN)/pip install --quiet $(LLAMA_CPP)
	$(BIN)/python -m graph.run --fetch-local-model

lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet '.[dev,postgres,studio]'
	build/lock/bin/pip freeze --all --exclude pip --exclude a-lamp | sed 's/+.*//' > requirements.lock
	rm -rf build/lock
