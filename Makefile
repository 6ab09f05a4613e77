# Builds, demonstrates and checks ebb. `make` alone lists the targets.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

PACKAGES := frontend passes backend formats

.PHONY: help demo test lint typecheck clean system-packages

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name what; do printf '  make %-16s %s\n' "$$name" "$$what"; done

demo: $(VENV)/.installed  ## install into .venv and show what ebb does
	PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(VENV)/.installed-dev system-packages  ## run every test
	$(BIN)/pytest -n 2

lint: $(VENV)/.installed-dev  ## look for slips and for code that is not formatted
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy does not follow the mapping of an editable install: it gets a tree in which directories are named as imported.
typecheck: $(VENV)/.installed-dev  ## check the types
	@mkdir -p build/typecheck/ebb
	@for package in $(PACKAGES); do ln -sfn "../../../$$package" "build/typecheck/ebb/$$package"; done
	$(BIN)/mypy

clean:  ## remove what was built, but keep .venv
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./$(VENV) -prune -o -path ./.git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'ebb needs Python 3.11 or newer, and "$(PYTHON)" is not; try: make PYTHON=python3.11' >&2; exit 1; }
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --editable '.[dev]'
	@touch $@

# Debian packages whose programs tests call, each with a program, a file or a library to know it by. Whoever may not
# install them still gets every other test. NuSMV is not in Debian: it comes with a wheel, whose Python code is not used.
system-packages: $(VENV)/.installed-dev  ## install the checkers and Debian packages that tests use, where that is possible
	@test -d $(VENV)/lib/python3*/site-packages/pyboolnet || $(PIP) install --no-deps pyboolnet \
	  || echo 'the wheel pyboolnet, in which NuSMV comes, cannot be installed: its tests will be skipped.'
	@missing=''; \
	while read -r package sign; do \
	  command -v "$$sign" >/dev/null 2>&1 || test -e "$$sign" || ldconfig -p 2>/dev/null | grep -qF "$$sign" \
	    || missing="$$missing $$package"; \
	done < tests/system-packages.txt; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then root='env'; \
	elif sudo -n true 2>/dev/null; then root='sudo -n env'; \
	else root=''; fi; \
	if [ -n "$$root" ] && command -v apt-get >/dev/null 2>&1 \
	  && $$root apt-get update -qq \
	  && $$root DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing; then exit 0; fi; \
	echo "Debian packages missing:$$missing; the tests marked system_package with one of these names will be skipped."
