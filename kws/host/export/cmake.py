# SPDX-License-Identifier: Apache-2.0
"""A CMake project: a library, and a program that hears words in a WAV file."""

from __future__ import annotations

from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier, library_sources
from kws.host.export.core_files import bundle_texts, core_files

NEXT = (
    "cmake -S {out} -B build && cmake --build build && build/hear_{name} RECORDING.wav prints its "
    "words"
)


def files(bundle: Bundle) -> dict[str, str]:
    """The project's files by path."""
    name = identifier(bundle)
    sources = {**core_files(), **library_sources(bundle)}
    return {
        "CMakeLists.txt": _cmake_lists(name),
        "README.md": _readme(bundle, name),
        **bundle_texts(bundle),
        **{f"src/{path}": text for path, text in sources.items()},
        "examples/wav.h": _WAV,
        "examples/hear.cc": _hear_cc(name),
        "examples/hear.c": _hear_c(name),
    }


def _cmake_lists(name: str) -> str:
    return f"""\
cmake_minimum_required(VERSION 3.21)
project(kws_{name} LANGUAGES C CXX)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.cc)
add_library(kws_{name} STATIC ${{sources}})
add_library(kws::{name} ALIAS kws_{name})
target_include_directories(kws_{name} PUBLIC src)
target_compile_features(kws_{name} PUBLIC cxx_std_11)
# These determine the speed, so they use -O2 even if the rest is compiled for size.
file(GLOB_RECURSE fast CONFIGURE_DEPENDS src/kws/frontend/*.cc src/kws/*_loops.cc)
set_source_files_properties(${{fast}} PROPERTIES
  COMPILE_OPTIONS $<$<NOT:$<CONFIG:Release>>:-O2>)

if(PROJECT_IS_TOP_LEVEL)
  foreach(language cc c)
    add_executable(hear_{name}_${{language}} examples/hear.${{language}})
    target_link_libraries(hear_{name}_${{language}} PRIVATE kws::{name})
  endforeach()
  set_target_properties(hear_{name}_cc PROPERTIES OUTPUT_NAME hear_{name})
endif()
"""


# Reads WAV files for both programs.
_WAV = """\
/* Samples of a WAV file: 16 kHz, mono, 16 bits, with a header of 44 bytes. */
#include <stdint.h>
#include <stdio.h>

static FILE* OpenWav(const char* path) {
  FILE* file = path ? fopen(path, "rb") : NULL;
  unsigned char header[44];
  if (file == NULL || fread(header, 1, 44, file) != 44 || header[22] != 1 || header[34] != 16 ||
      (header[24] | header[25] << 8) != 16000) {
    fprintf(stderr, "give a WAV file: 16 kHz, mono, 16 bits\\n");
    return NULL;
  }
  return file;
}
"""


def _hear_cc(name: str) -> str:
    return f"""\
// Prints the words in a WAV file.
#include <cstdio>

#include "kws_{name}.h"
#include "wav.h"

alignas(16) static uint8_t memory[kws::bundle_{name}_bytes];

int main(int, char** arguments) {{
  std::FILE* file = OpenWav(arguments[1]);
  static kws::Spotter spotter(kws::bundle_{name}, memory, sizeof(memory));
  if (file == nullptr || spotter.Start() != kws::Status::kOk) return 1;
  int16_t samples[320];
  while (const size_t count = std::fread(samples, 2, 320, file)) {{
    spotter.Push(samples, count, [](const kws::Detection& hit) {{
      std::printf("%s %d @%u\\n", spotter.label(hit.label), hit.score, unsigned(hit.time_ms));
    }});
  }}
}}
"""


def _hear_c(name: str) -> str:
    return f"""\
/* Prints the words in a WAV file. */
#include <stdlib.h>

#include "kws_{name}.h"
#include "wav.h"

int main(int count, char** arguments) {{
  FILE* file = OpenWav(count > 1 ? arguments[1] : NULL);
  const kws_bundle* bundle = kws_bundle_{name}();
  size_t bytes = kws_bytes(bundle);
  char* memory = malloc(bytes + 15); /* aligned_alloc is missing on Windows */
  char* aligned = memory + (16 - (uintptr_t)memory % 16) % 16;
  kws_spotter* spotter = kws_create(bundle, aligned, bytes, NULL);
  int16_t samples[320];
  size_t size;
  if (file == NULL || spotter == NULL) return 1;
  while ((size = fread(samples, 2, 320, file)) > 0) {{
    for (size_t used = 0; used < size;) {{
      kws_detection hit;
      used += kws_push(spotter, samples + used, size - used, &hit);
      if (hit.label >= 0) printf("%s %d @%u\\n", hit.word, hit.score, (unsigned)hit.time_ms);
    }}
  }}
  return 0;
}}
"""


def _readme(bundle: Bundle, name: str) -> str:
    words = ", ".join(f"*{word}*" for word in bundle.keywords)
    return f"""\
# kws_{name}

Hears {words}: a C++11 library, with a C interface, and a model that kws trained.

```
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build
build/hear_{name} RECORDING.wav
```

It prints each word with its score, 0 to 255, and its time in ms. In your project:

```
add_subdirectory(kws_{name})
target_link_libraries(my_program PRIVATE kws::{name})
```

`src/kws/spotter.h` (C++) and `src/kws/kws_c.h` (C) explain the functions; headers in subfolders of
`src/kws/` are internal. The library uses no heap and no operating system. Any C++11 compiler
works, including one for a microcontroller.
"""
