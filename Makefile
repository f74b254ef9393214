# SPDX-License-Identifier: Apache-2.0
# make demo, check, test and test-all install what they need; a second run skips installed parts.
SHELL  := /bin/bash
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= $(shell nproc)
DEMO   ?= runs/demo

# Debian and Ubuntu have separate packages for Python's headers, which the extension needs, and its venv module.
# Empty if $(PYTHON) has both, as interpreters from other sources do.
python_PACKAGES := $(shell $(PYTHON) -c 'import os, sys, sysconfig as s; from importlib.util import find_spec; \
  name = "python%d.%d-" % sys.version_info[:2]; \
  print(*[name + part for part, there in (("dev", os.path.exists(s.get_path("include") + "/Python.h")), \
    ("venv", find_spec("ensurepip"))) if not there])' 2>/dev/null || echo python3-dev python3-venv)

# Debian packages per target: the extension's compiler, then the target's additions. Tests of pages use any
# Chrome and skip without one (Ubuntu's Chromium is a snap). Tests play sound to the sound server's microphone.
core_PACKAGES     := g++ cmake $(python_PACKAGES)
check_PACKAGES    := clang-format libportaudio2
demo_PACKAGES     := gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib \
                     qemu-system-arm espeak-ng flite
test_PACKAGES     := libgtest-dev nodejs libportaudio2 pulseaudio pulseaudio-utils libasound2-plugins \
                     $(if $(shell command -v chromium google-chrome || grep ^ID=ubuntu /etc/os-release),,chromium)
test-boards_PACKAGES := $(if $(shell command -v npm),,npm)
test-all_PACKAGES := clang-tidy clang libclang-rt-dev emscripten cargo arduino-builder \
                     qemu-user qemu-system-misc g++-aarch64-linux-gnu g++-arm-linux-gnueabihf \
                     gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf \
                     gcc-xtensa-lx106 picolibc-xtensa-lx106-elf \
                     $(if $(shell command -v firefox || grep ^ID=ubuntu /etc/os-release),,firefox-esr) \
                     $(if $(filter x86_64,$(shell uname -m)),wine64)
fuzz_PACKAGES     := clang libclang-rt-dev
wasm_PACKAGES     := emscripten

CORE_SOURCES := $(shell find kws/firmware/src/kws -name '*.cc' -o -name '*.h' -o -name '*.inc') \
                  $(wildcard kws/bindings/*)
CPP_SOURCES  := $(shell find kws/firmware/src kws/firmware/tflm kws/firmware/test kws/bindings kws/host/web -name '*.cc' -o -name '*.h')
TIDY_SOURCES := $(filter kws/firmware/src/kws/%.cc,$(CPP_SOURCES))

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

.PHONY: setup demo check test test-boards test-all test-cpp mutants fuzz lint tidy bench pictures results
.PHONY: assets wasm tables docs clean
.PRECIOUS: build/.%-packages $(VENV)/.for-%

# $(call apt_install,PACKAGES): installs missing packages as root or with sudo, or prints what to do.
define apt_install
	@missing=$$(for p in $(1); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	  missing=$$(echo $$missing); \
	  if ! command -v apt-get >/dev/null; then \
	    echo "kws: install the equivalents of these Debian packages, then run make again: $$missing" >&2; exit 1; \
	  elif [ "$$(id -u)" = 0 ]; then root=; \
	  elif sudo -n true 2>/dev/null || [ -t 0 ]; then root=sudo; \
	  else echo "kws: as root, run: apt-get install $$missing" >&2; exit 1; fi; \
	  echo "kws: installing $$missing"; \
	  $$root apt-get update -qq && \
	  $$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	fi
endef

# Packages for the tests.
setup: build/.demo-packages build/.test-packages $(VENV)/.for-test

build/.%-packages: Makefile
	$(call apt_install,$($*_PACKAGES))
	@mkdir -p build && touch $@

# The tools that build the extension, so that a rebuild needs no network.
$(VENV)/.tools: constraints.txt pyproject.toml | build/.core-packages
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kws: Python 3.11 or newer is needed; run make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q -c constraints.txt pip scikit-build-core nanobind
	@touch $@

$(VENV)/.core: $(VENV)/.tools CMakeLists.txt $(CORE_SOURCES)
	@echo "kws: building the core"
	@$(BIN)/pip install -q --no-build-isolation -c constraints.txt -e .
	@touch $@

# The packages of an extra of pyproject.toml.
$(VENV)/.for-%: constraints.txt pyproject.toml | $(VENV)/.core
	@echo "kws: installing the Python packages of kws[$*]"
	@$(BIN)/pip install -q -c constraints.txt 'kws[$*]'
	@touch $@

# Without downloads and recordings: text-to-speech speaks the words, and held-out voices test the model on
# the emulated board. A user can type each command.
demo: build/.demo-packages $(VENV)/.core $(VENV)/.for-train
	$(BIN)/kws synth --words yes,no --out $(DEMO)/data
	$(BIN)/kws train --data $(DEMO)/data --words yes,no --out $(DEMO)/model
	@echo
	@echo "Training chose thresholds at which other words hardly ever trigger a detection. A model trained"
	@echo "on a few synthetic voices then misses most words; 160 detects more, with more false alarms."
	$(BIN)/kws set $(DEMO)/model/bundle --threshold 160 --name demo --out $(DEMO)/bundle
	@echo
	$(BIN)/kws features $(DEMO)/data/yes/$$(cd $(DEMO)/data/yes && ls | head -1) --out $(DEMO)/yes.npy --png $(DEMO)/yes.png
	$(BIN)/kws build --board qemu --model $(DEMO)/bundle --out $(DEMO)/firmware
	$(BIN)/kws test --board qemu --model $(DEMO)/bundle --data $(DEMO)/data --pass-rate 0.8
	@echo
	@echo "A model that never heard a person is now firmware. Look at $(DEMO)/yes.png (a word as the model sees"
	@echo "it) and $(DEMO)/model/confusion.png (which words it confuses). Then:"
	@echo "  . $(BIN)/activate                             kws without its path"
	@echo "  kws run FILE.wav                                what the built-in model hears in a recording"
	@echo "  kws listen                                      the same, live (pip install 'kws[live]')"
	@echo "  kws synth --words WORD,WORD --out data/mine     a data set of your own words"
	@echo "  kws deploy --board nano33ble                    onto an Arduino Nano 33 BLE Sense"
	@echo "See docs/index.md for more."

# Trains the models in kws/assets and writes docs/results.md. With SEEDS=1 an earlier recipe took nearly three
# hours on two cores; finished runs are kept, and an interrupted run resumes. Two runs at a time need 3 GB of memory each.
# DATA: a copy of Speech Commands (kws download speech_commands). SEEDS: runs per model; the best is kept.
# TALK, NOISES: folders of more talk without the ten words and of more noise, such as from
# kws download librispeech --version test-clean and examples/clean_sounds. ABOUT: a file with the text about all
# sources for the bundles.
DATA ?= ../shared/data/speech_commands
SEEDS ?= 3
SOUNDS = --talk $(TALK) --noises $(NOISES) $(if $(ABOUT),--about $(ABOUT))
assets: $(VENV)/.core $(VENV)/.for-train
	$(BIN)/python -m tools.results --data $(DATA) --seeds $(SEEDS) $(SOUNDS) --bundles kws/assets

# Only the results page.
results: $(VENV)/.core $(VENV)/.for-train
	$(BIN)/python -m tools.results --data $(DATA) --seeds $(SEEDS) $(SOUNDS)

# The core for browsers. The output is committed, so that `kws export web` needs no compiler. Tests compare its
# sources with a digest, and rebuild it if emscripten is installed. WASM: another output file.
WASM ?= kws/host/web/site/kws.wasm
wasm: build/.wasm-packages $(VENV)/.core
	@$(BIN)/python -c 'import sys; from kws.host.web.browser_core import build_core, sources_digest; \
	  open(sys.argv[1], "wb").write(build_core()); \
	  open(sys.argv[1] + ".sources", "w").write(sources_digest() + "\n")' $(WASM)
	@echo "$(WASM): $$(stat -c %s $(WASM)) bytes"

# The core's constant tables. The output is committed, and a test compares it.
tables: $(VENV)/.core
	@$(BIN)/python -m tools.core_tables

# Draws the pictures of the README and of docs/live.md, and the icons of the exported page.
pictures: build/.demo-packages build/.test-packages $(VENV)/.core $(VENV)/.for-test
	@$(BIN)/python -m tools.terminal_picture
	@$(BIN)/python -m tools.pictures
	@$(BIN)/python -m tools.studio_pictures
	@$(BIN)/python -m tools.icons

# The documentation as a site in build/site: with search, without anything from other sites.
docs: $(VENV)/.for-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q --strict
	@$(BIN)/python -m tools.docs_site build/site
	@echo "to view it: $(BIN)/python -m http.server -d build/site"

# Writes docs/benchmarks.md; the figures are counted, so they are reproducible.
bench: build/.demo-packages $(VENV)/.core $(VENV)/.for-test
	$(BIN)/python -m tools.benchmarks

# Lint, types, and the tests that need no TensorFlow, emulator or browser. Run it after each change.
check: setup lint
	@$(BIN)/python -m pytest -m unit -n $(JOBS)

# All checks.
test: setup $(VENV)/.core test-cpp
	@$(BIN)/python -m pytest -m "not slow" -n $(JOBS) --dist worksteal

# rp2040js, the emulator of the Raspberry Pi Pico, is an npm package; the version is in
# kws/host/emulate/rp2040js.py. Its tests skip without it.
build/node_modules/rp2040js: kws/host/emulate/rp2040js.py build/.test-boards-packages | $(VENV)/.core
	@npm install --silent --no-save --prefix build \
	  $$($(BIN)/python -c 'from kws.host.emulate.rp2040js import PACKAGE, VERSION; print(f"{PACKAGE}@{VERSION}")') \
	  && touch $@ || echo "kws: rp2040js could not be installed; its tests will be skipped" >&2

# The boards' firmware in Renode and rp2040js; `make test-all` adds the Robot suites and the driver mutants.
test-boards: setup build/node_modules/rp2040js $(VENV)/.core
	@$(BIN)/python -m pytest -m "(renode or rp2040js) and not slow" -n $(JOBS) --dist worksteal

# All tests, including the slow ones.
test-all: setup build/.test-all-packages build/node_modules/rp2040js $(VENV)/.core $(VENV)/.for-test-all lint tidy test-cpp
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

CONFIGURE := cmake -S . -B build/test -DKWS_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Debug >build/test-configure.log

test-cpp: build/.core-packages build/.test-packages
	@$(CONFIGURE) || { cat build/test-configure.log; exit 1; }
	@cmake --build build/test -j $(JOBS) >build/test-build.log || { tail -50 build/test-build.log; exit 1; }
	@cd build/test && ctest --output-on-failure -j $(JOBS) | tail -20; exit $${PIPESTATUS[0]}

# Faults in the boards' drivers: the emulators must detect each one. Part of `make test-all`.
mutants: setup build/node_modules/rp2040js $(VENV)/.core
	@$(BIN)/python -m pytest tests/firmware/mutants -n $(JOBS) --dist worksteal

# `make test-all` runs a minute of this. The corpus stays in build/fuzz/corpus.
FUZZ_SECONDS ?= 1800
fuzz: build/.fuzz-packages $(VENV)/.core $(VENV)/.for-test
	@$(BIN)/python -m tests.runtime.fuzz.fuzz --seconds $(FUZZ_SECONDS)

lint: build/.check-packages $(VENV)/.core $(VENV)/.for-check
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q .
	@$(BIN)/mypy
	@$(BIN)/codespell
	@clang-format --dry-run -Werror $(CPP_SOURCES)

# Slow, so not part of `make lint`.
tidy: build/.test-all-packages build/.test-packages
	@$(CONFIGURE) || { cat build/test-configure.log; exit 1; }
	@printf '%s\n' $(TIDY_SOURCES) | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build/test 2>/dev/null

clean:
	rm -rf build dist $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
