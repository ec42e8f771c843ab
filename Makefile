# `make` lists what can be done.
#
# `play` and `test` share one release build. Two things make it so: tests are built without -enable-testing, and
# SwiftPM's hashing is fixed, since it writes the traits' flags in the order of a set, and another order is a rebuild.

.DEFAULT_GOAL := help
.PHONY: help play test conversion-matrix examples bench audio-quality soak check lint laws debug tsan asan fuzz docs build install uninstall clean
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

SWIFT := SWIFT_DETERMINISTIC_HASHING=1 swift
PROGRAM := .build/release/martlet
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 10
# Taken as it is: a URL may hold dollar signs.
export MARTLET_INPUT := $(value INPUT)

help: ## Lists these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

play: build ## Installs what is missing, builds, and plays INPUT=file-or-URL, or a demonstration
	@if [[ -n "$$MARTLET_INPUT" ]]; then exec $(PROGRAM) play --output auto,null -- "$$MARTLET_INPUT"; \
	else exec $(PROGRAM) demo --output auto,null; fi

test: ## Installs what is missing, builds, and runs all tests
	@scripts/dependencies build test
	$(SWIFT) test -c release --disable-testable-imports

conversion-matrix: ## Converts every rate, number of channels and sample type to every other, and measures what comes out
	@scripts/dependencies build test
	MARTLET_FULL_MATRIX=1 $(SWIFT) test -c release --disable-testable-imports --filter ConverterMatrixTests

examples: ## Builds the examples over AVFAudio, a package of their own
	@scripts/dependencies build
	$(SWIFT) build --package-path Examples

bench: build ## Compares with other players and engines side by side; QUICK=1 is shorter, JSON=file keeps the numbers
	@scripts/dependencies bench
	@MARTLET_BENCH=1 $(SWIFT) build -c release --product MartletParseBench
	@MARTLET_BENCH=1 $(SWIFT) build -c release --product MartletEngineBench
	@PYTHONDONTWRITEBYTECODE=1 Benchmarks/run $(if $(QUICK),--quick) $(if $(JSON),--json "$(JSON)")

audio-quality: build ## Measures time-stretching beside other engines; QUICK=1, ONLY=figures, JSON=file, OPTIONS=more
	@scripts/dependencies quality
	@MARTLET_BENCH=1 $(SWIFT) build -c release --product MartletEngineBench
	@PYTHONDONTWRITEBYTECODE=1 $$(scripts/quality-python) Benchmarks/quality $(if $(QUICK),--quick) \
	  $(if $(ONLY),--only "$(ONLY)") $(if $(JSON),--json "$(JSON)") $(OPTIONS)

soak: build ## Plays through an engine whose graph changes all the time, SECONDS long (600), and looks for clicks
	@scripts/dependencies bench
	@MARTLET_BENCH=1 $(SWIFT) build -c release --product MartletEngineBench
	@PYTHONDONTWRITEBYTECODE=1 Benchmarks/soak $(or $(SECONDS),600)

check: lint laws debug examples tsan asan fuzz ## Everything that must hold: lint, laws, debug build, sanitizers, fuzzing

lint: ## Checks the format of all Swift files
	$(SWIFT) format lint -s -r Sources Tests Fuzz Benchmarks Examples Package.swift

laws: ## Checks the laws of ARCHITECTURE.md
	scripts/laws
	scripts/members --check

debug: ## Builds for debugging, where the compiler checks real-time code best, and undeclared imports are errors
	@scripts/dependencies build
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error

tsan: ## Runs all tests under the thread sanitizer
	@scripts/dependencies build test
	MARTLET_SANITIZE=1 $(SWIFT) test --sanitize=thread --scratch-path .build-tsan

asan: ## Runs all tests under the address sanitizer
	@scripts/dependencies build test
	MARTLET_SANITIZE=1 ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build-asan

fuzz: ## Feeds garbage to every parser, FUZZ_SECONDS each
	@scripts/dependencies build
	scripts/fuzz --seconds $(FUZZ_SECONDS)

docs: ## Writes the documentation of the libraries to site/
	@scripts/dependencies build
	scripts/docs

build: ## Builds the program, without playing anything
	@scripts/dependencies build
	@$(SWIFT) build -c release --product martlet

install: build ## Installs the program to PREFIX (/usr/local), below DESTDIR
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -s -m 755 $(PROGRAM) "$(DESTDIR)$(PREFIX)/bin/martlet"

uninstall: ## Removes what install has put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/martlet"

clean: ## Removes everything that was built
	rm -rf .build Examples/.build .build-tsan .build-asan .build-fuzz .build-docs .build-quality site
