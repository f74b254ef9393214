# `make demo` and `make test` do their own set-up; a second run skips what is there.
SHELL  := /bin/bash
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= $(shell nproc)
DEMO   ?= runs/demo

# Debian's packages: host compiler, the boards' compiler, the emulator, text-to-speech, sound, tests.
PACKAGES      := g++ cmake python3-venv gcc-arm-none-eabi libnewlib-arm-none-eabi \
                 libstdc++-arm-none-eabi-newlib qemu-system-arm espeak-ng flite libportaudio2 libgtest-dev
LINT_PACKAGES := clang-format clang-tidy
# A sound server whose microphone hears what tests play.
SOUND_PACKAGES := pulseaudio pulseaudio-utils libasound2-plugins
# For the pages' tests; a Chrome that is there will do.
BROWSER_PACKAGES := $(if $(shell command -v chromium google-chrome),,chromium)
FUZZ_PACKAGES := clang libclang-rt-dev
WASM_PACKAGES := emscripten

CORE_SOURCES := $(shell find kws/firmware/src/core -name '*.cc' -o -name '*.h' -o -name '*.inc') \
                  $(filter-out kws/bindings/web.cc,$(wildcard kws/bindings/*))
WASM_SOURCES := kws/bindings/web.cc $(sort $(filter kws/firmware/%.cc,$(CORE_SOURCES)))
CPP_SOURCES  := $(shell find kws/firmware/src kws/firmware/test kws/bindings -name '*.cc' -o -name '*.h')

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

.PHONY: setup demo test test-cpp test-python fuzz lint bench pictures results assets wasm clean

# $(call apt_install,PACKAGES): what is missing, as root or through sudo, or one line that says what to do.
define apt_install
	@missing=$$(for p in $(1); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	  missing=$$(echo $$missing); \
	  if ! command -v apt-get >/dev/null; then \
	    echo "kws: install what these Debian packages hold, then run make again: $$missing" >&2; exit 1; \
	  elif [ "$$(id -u)" = 0 ]; then root=; \
	  elif sudo -n true 2>/dev/null || [ -t 0 ]; then root=sudo; \
	  else echo "kws: as root, run: apt-get install $$missing" >&2; exit 1; fi; \
	  echo "kws: installing $$missing"; \
	  $$root apt-get update -qq && \
	  $$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	fi
endef

setup: $(VENV)/.installed

build/.packages: Makefile
	$(call apt_install,$(PACKAGES))
	@mkdir -p build && touch $@

# The tools that build the extension, so that a rebuild needs no network.
$(VENV)/.tools: constraints.txt pyproject.toml | build/.packages
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kws: Python 3.11 or newer is needed; run make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "kws: installing Python packages"
	@$(BIN)/pip install -q -c constraints.txt pip scikit-build-core nanobind
	@touch $@

$(VENV)/.installed: $(VENV)/.tools CMakeLists.txt $(CORE_SOURCES)
	@echo "kws: building the core"
	@$(BIN)/pip install -q --no-build-isolation -c constraints.txt -e '.[train,live,test,lint]'
	@touch $@

# No download and no recording: text-to-speech speaks the words, and voices that training never heard
# test the model on the emulated board. Each command is one that a user types.
demo: $(VENV)/.installed
	$(BIN)/kws synth --words yes,no --out $(DEMO)/data
	$(BIN)/kws train --data $(DEMO)/data --words yes,no --out $(DEMO)/model
	@echo
	@echo "This small model knows few voices, so it is less sure of new ones: a threshold of 160 suits it"
	@echo "better than the usual 200. kws calibrate chooses thresholds by hours of sound."
	$(BIN)/kws convert $(DEMO)/model/bundle --threshold 160 --name demo --out $(DEMO)/bundle
	@echo
	$(BIN)/kws features $(DEMO)/data/yes/$$(cd $(DEMO)/data/yes && ls | head -1) --out $(DEMO)/yes.npy --png $(DEMO)/yes.png
	$(BIN)/kws build --board qemu --model $(DEMO)/bundle --out $(DEMO)/firmware
	$(BIN)/kws test --board qemu --model $(DEMO)/bundle --data $(DEMO)/data --pass-rate 0.8
	@echo
	@echo "A model that never heard a person is now firmware. Look at $(DEMO)/yes.png (a word as the model sees"
	@echo "it) and $(DEMO)/model/confusion.png (what it takes for what). Then:"
	@echo "  . $(BIN)/activate                             kws without its path"
	@echo "  kws run FILE.wav                                what the built-in model hears in a recording"
	@echo "  kws listen                                      the same, live (pip install 'kws[live]')"
	@echo "  kws synth --words WORD,WORD --out data/mine     a data set of your own words"
	@echo "  kws deploy --board nano33ble                    onto an Arduino Nano 33 BLE Sense"
	@echo "docs/index.md leads further."

# The models in kws/assets, again, and docs/results.md, which says how well they do. It takes hours; what is
# finished stays, a killed run goes on. DATA names a copy of Speech Commands (kws download speech_commands).
DATA ?= ../shared/data/speech_commands
assets: $(VENV)/.installed
	$(BIN)/python -m tools.results --data $(DATA) --bundles kws/assets

# The figures alone.
results: $(VENV)/.installed
	$(BIN)/python -m tools.results --data $(DATA) --stream

# The core for browsers. What it writes is part of the repository, so that `kws export web` needs no
# compiler; a test builds it again where emscripten is installed. WASM names another place.
WASM ?= kws/host/web/exported_page/kws.wasm
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
wasm: build/.wasm-packages
	@em++ -std=c++17 -O2 -fno-exceptions -fno-rtti -Wall -Wextra -Wshadow -Wno-unused-private-field \
	  -Ikws/firmware/src/core -Ikws/firmware/src -DKWS_VERSION='"$(VERSION)"' --no-entry -s STANDALONE_WASM=1 \
	  -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=262144 -s TOTAL_STACK=65536 -Wl,--stack-first \
	  $(WASM_SOURCES) -o $(WASM)
	@chmod 644 $(WASM)
	@echo "$(WASM): $$(stat -c %s $(WASM)) bytes"

build/.wasm-packages: Makefile
	$(call apt_install,$(WASM_PACKAGES))
	@mkdir -p build && touch $@

# Draws the pictures of docs/live.md.
pictures: $(VENV)/.installed build/.sound-packages
	@$(BIN)/python -m tools.pictures

# Writes docs/benchmarks.md; the figures are counted, so they are the same each time.
bench: $(VENV)/.installed
	$(BIN)/python -m tools.benchmarks

test: test-cpp test-python

test-cpp: $(VENV)/.installed
	@cmake -S . -B build/test -DKWS_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Debug >build/test-configure.log \
	  || { cat build/test-configure.log; exit 1; }
	@cmake --build build/test -j $(JOBS) >build/test-build.log || { tail -50 build/test-build.log; exit 1; }
	@cd build/test && ctest --output-on-failure -j $(JOBS) | tail -20; exit $${PIPESTATUS[0]}

test-python: $(VENV)/.installed build/.fuzz-packages build/.sound-packages
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# A minute of this runs in `make test`. What it learns stays in build/fuzz/corpus.
FUZZ_SECONDS ?= 1800
fuzz: $(VENV)/.installed build/.fuzz-packages
	@$(BIN)/python -m tests.runtime.fuzz.fuzz --seconds $(FUZZ_SECONDS)

build/.fuzz-packages: Makefile
	$(call apt_install,$(FUZZ_PACKAGES))
	@mkdir -p build && touch $@

build/.sound-packages: Makefile
	$(call apt_install,$(SOUND_PACKAGES) $(BROWSER_PACKAGES))
	@mkdir -p build && touch $@

lint: $(VENV)/.installed build/.lint-packages
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q .
	@$(BIN)/mypy
	@$(BIN)/codespell
	@clang-format --dry-run -Werror $(CPP_SOURCES)
	@cmake -S . -B build/test -DKWS_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Debug >build/test-configure.log
	@printf '%s\n' $(filter %.cc,$(filter kws/firmware/src/core/%,$(CPP_SOURCES))) \
	  | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build/test 2>/dev/null

build/.lint-packages: Makefile
	$(call apt_install,$(LINT_PACKAGES))
	@mkdir -p build && touch $@

clean:
	rm -rf build dist $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
