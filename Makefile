# make practice   install into .venv and open the program
# make test       install what tests need into .venv and run them; no torch
# make test-long  the tests that take minutes
# make lint       style, types and the import law
# make clean      remove .venv and everything that was built
#
# PYTHON=python3.12 chooses the interpreter, VENV=folder another place for the environment.

VENV ?= .venv
export VENV

.PHONY: practice test test-long lint clean
.DEFAULT_GOAL := practice

practice:
	@tools/venv.sh ""
	@exec $(VENV)/bin/shardwise

test:
	@tools/venv.sh test
	@exec $(VENV)/bin/python -m pytest -n auto --dist loadfile

test-long:
	@tools/venv.sh test
	@exec $(VENV)/bin/python -m pytest -m "long and not torch" -n auto --dist loadfile

lint:
	@tools/venv.sh dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
