# SPDX-License-Identifier: Apache-2.0
"""The core with TensorFlow Lite Micro's interface, for programs that were written for it."""

from __future__ import annotations

from kws.bundle.bundle import Bundle
from kws.bundle.codegen import header_line, model_rows
from kws.bundle.library import identifier
from kws.host.export import arduino
from kws.host.export.core_files import bundle_texts, core_files, tflm_files

NAME = "kws_tflm"
NEXT = (
    "Arduino: copy the folder into the libraries folder of your sketchbook; CMake: "
    "add_subdirectory({out}) and link kws::tflm; its README lists what differs from TFLM"
)


def files(bundle: Bundle) -> dict[str, str]:
    """The library's files by path. The bundle is only a header; a sketch's own model will do."""
    sources = {**core_files(fast=True), **tflm_files(), _model_h(bundle): _model(bundle)}
    return {
        "library.properties": arduino.properties(
            NAME,
            "Runs sketches written for TensorFlow Lite Micro.",
            "The same classes and functions, over the runtime and kernels of kws.",
            "TensorFlowLite.h",
        ),
        "CMakeLists.txt": _CMAKE_LISTS,
        "README.md": _readme(bundle),
        **bundle_texts(bundle),
        **{f"src/{path}": text for path, text in arduino.cpp_files(sources).items()},
    }


def _model_h(bundle: Bundle) -> str:
    return f"kws_{identifier(bundle)}_model.h"


def _model(bundle: Bundle) -> str:
    guard = f"KWS_{identifier(bundle).upper()}_MODEL_H_"
    return f"""\
{header_line(bundle)}
// Labels: {", ".join(bundle.labels)}.
#ifndef {guard}
#define {guard}

alignas(16) static const unsigned char g_model[] = {{
{model_rows(bundle)}
}};

#endif  // {guard}
"""


_CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.21)
project(kws_tflm LANGUAGES CXX)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.cpp)
add_library(kws_tflm STATIC ${sources})
add_library(kws::tflm ALIAS kws_tflm)
target_include_directories(kws_tflm PUBLIC src)
target_compile_features(kws_tflm PUBLIC cxx_std_11)
"""


def _readme(bundle: Bundle) -> str:
    return f"""\
# kws_tflm

A program written for TensorFlow Lite Micro compiles with this library instead: it has the same
headers (`TensorFlowLite.h`, `tensorflow/lite/micro/...`), classes and functions, over the
runtime of kws, which needs fewer cycles and a smaller arena. Remove TFLM's library first.

Arduino: copy this folder into `libraries/` of your sketchbook, and compile your sketch again.
CMake: `add_subdirectory(kws_tflm)`, then link `kws::tflm`.

It has `GetModel`, `MicroInterpreter`, `RecordingMicroInterpreter`, `MicroMutableOpResolver`,
`AllOpsResolver`, `TfLiteTensor`, `MicroPrintf`, `MicroErrorReporter`, `MicroProfiler`,
`MicroResourceVariables`, and the microfrontend's functions in C. `{_model_h(bundle)}` is a model
that kws trained, as `g_model`; include it if you want it.

## What differs

- Models are int8; float models are refused. Only kws's ops exist: `AddCast()` does not compile.
- The frontend computes the settings of TFLM's micro_speech only: 16 kHz, windows of 30 ms, steps
  of 1 to 30 ms, 40 channels from 125 to 7500 Hz, PCAN, logarithm. For others
  `FrontendPopulateState` returns 0 and prints the setting. It does not use the heap.
- A tensor has `type`, `data`, `dims`, `params` and `bytes`, not `quantization`. There are no
  custom ops, and no access to a model's tables except `version()`.
- `MicroProfiler` keeps 128 events. `PrintAllocations` prints only the sum.
- `test_over_serial` and `peripherals` of Arduino's library are not part of TFLM's interface, and
  not here: remove them from your sketch's audio provider.
- `DebugLog` writes to `Serial` on Arduino, elsewhere to stderr. The profiler's clock is `micros()`
  on Arduino; elsewhere define `tflite::ticks_per_second` and `tflite::GetCurrentTimeTicks`. Your
  own definitions replace all of these.
"""
