# SPDX-License-Identifier: Apache-2.0
# For MicroPython's ports with make. KWS_EXPORT: a folder that `kws export cmake` wrote.
KWS_SOURCES := $(abspath $(KWS_EXPORT))/src
KWS_NAME := $(patsubst $(KWS_SOURCES)/kws_%.h,%,$(wildcard $(KWS_SOURCES)/kws_*.h))
ifeq ($(and $(KWS_EXPORT),$(KWS_NAME)),)
$(error set KWS_EXPORT to a folder that `kws export cmake` wrote)
endif

SRC_USERMOD_C += $(USERMOD_DIR)/modkws.c
CFLAGS_USERMOD += -I$(KWS_SOURCES) -DKWS_HEADER='"kws_$(KWS_NAME).h"' \
                  -DKWS_BUNDLE=kws_bundle_$(KWS_NAME)

# The library needs nothing of C++'s standard library, and MicroPython's rules know no .cc files.
KWS_CC := $(shell find $(KWS_SOURCES) -name '*.cc')
KWS_OBJECTS := $(KWS_CC:$(KWS_SOURCES)/%.cc=$(BUILD)/kws_core/%.o)
PY_O += $(KWS_OBJECTS)
$(BUILD)/kws_core/%.o: CXXFLAGS += -std=c++11 -fno-exceptions -fno-rtti
# These determine the speed, so they use -O2 even if the rest is compiled for size.
$(filter $(BUILD)/kws_core/kws/frontend/% %_loops.o,$(KWS_OBJECTS)): CXXFLAGS += -O2
$(BUILD)/kws_core/%.o: $(KWS_SOURCES)/%.cc
	$(call compile_cxx)
