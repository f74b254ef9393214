# SPDX-License-Identifier: Apache-2.0
"""A program as C++; `runtime/compiled_model.h` describes its use in the firmware."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kws.bundle.compiled.program import Call, Program

HEADER, SOURCE = "compiled_model.h", "compiled_model.cc"
"""The generated files."""

INCLUDES = """\
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h\""""
"""The kernels that a program calls."""

_RUN_TASK = """\
void Run(BackgroundTask* task) {
  if (task != nullptr) task->Run();
}
"""

_WORDS_A_ROW = 8
_BYTES_A_ROW = 16


def program_h(namespace: str) -> str:
    """The header of a compiled model, without the include guard."""
    return f"""\
#include "kws/runtime/compiled_model.h"

namespace {namespace} {{

extern const CompiledModel kCompiledModel;

}}  // namespace {namespace}
"""


def program_cc(program: Program, namespace: str, *, runs_task: bool = False) -> str:
    """The model as constants, and functions that call the kernels.

    Args:
        program: the model; its first input and first output are used.
        namespace: namespace of `kCompiledModel`.
        runs_task: whether an inference runs a background task after each call.
    """
    return f"""\
#include "{HEADER}"

#include <cstring>

{INCLUDES}

namespace {namespace} {{
namespace {{

{program_functions(program, runs_task=runs_task)}
}}  // namespace

{program_model(program)}

}}  // namespace {namespace}
"""


def program_functions(program: Program, *, runs_task: bool = False) -> str:
    """C++ for an anonymous namespace in `kws`: constants, and functions that call the kernels."""
    return f"""\
// For each op: the offsets of its tensors, then the kernel's parameters. Offsets are in bytes, from
// the start of the arena or, with the sign bit set, from the start of these constants.
struct Constants {{
{_fields(program)}
}};

// clang-format off
alignas(16) constexpr Constants kConstants = {{
{_values(program)}
}};
// clang-format on

{_invoke(program, runs_task=runs_task)}
{_reset(program) if _has_reset(program) else ""}\
"""


def program_model(program: Program) -> str:
    """C++ after `program_functions`: the definition of `kCompiledModel`."""
    source, target = program.inputs[0], program.outputs[0]
    return f"""\
const CompiledModel kCompiledModel = {{
    {program.arena_bytes},
    {{{source.offset}, {source.bytes}}},
    {{{target.offset}, {target.bytes}}},
    Invoke,
    {"Reset" if _has_reset(program) else "nullptr"},
}};"""


def _has_reset(program: Program) -> bool:
    return bool(program.variables_bytes) or any(c.once or c.resets for c in program.calls)


def _fields(program: Program) -> str:
    rows = [f"  uint32_t op{i}[{len(call.words)}];" for i, call in enumerate(program.calls)]
    rows += [
        f"  alignas(4) uint8_t constant{i}[{len(content)}];"
        for i, content in enumerate(program.constants)
    ]
    return "\n".join(rows)


def _values(program: Program) -> str:
    rows: list[str] = []
    for call in program.calls:
        rows += [f"    // {call.op}", "    {"]
        rows += _rows([f"0x{word:08x}" for word in call.words], _WORDS_A_ROW)
        rows.append("    },")
    for content in program.constants:
        rows.append("    {")
        rows += _rows([f"0x{byte:02x}" for byte in content], _BYTES_A_ROW)
        rows.append("    },")
    return "\n".join(rows)


def _rows(values: Sequence[str], a_row: int) -> Iterable[str]:
    for start in range(0, len(values), a_row):
        yield f"        {', '.join(values[start : start + a_row])},"


def _calls(program: Program, function: str, runs: Callable[[Call], bool]) -> str:
    return "\n".join(
        f"  kernels::{function}::{call.kernel}"
        f"({{arena, &kConstants, kConstants.op{i}, {len(call.references)}}});"
        for i, call in enumerate(program.calls)
        if runs(call)
    )


def _first_values(program: Program) -> str:
    zeros = f"  std::memset(arena, 0, {program.variables_bytes});" * (program.variables_bytes > 0)
    calls = _calls(program, "reset", lambda call: call.resets)
    once = _calls(program, "invoke", lambda call: call.once)
    return "\n".join(part for part in (zeros, calls, once) if part)


def _invoke(program: Program, *, runs_task: bool) -> str:
    calls = _calls(program, "invoke", lambda call: not call.once)
    if not calls:  # no op of the model needs a kernel
        return "void Invoke(uint8_t*, BackgroundTask*) {}\n"
    if not runs_task:
        return f"void Invoke(uint8_t* arena, BackgroundTask*) {{\n{calls}\n}}\n"
    calls = calls.replace("\n", "\n  Run(task);\n") + "\n  Run(task);"
    return f"{_RUN_TASK}\nvoid Invoke(uint8_t* arena, BackgroundTask* task) {{\n{calls}\n}}\n"


def _reset(program: Program) -> str:
    return f"void Reset(uint8_t* arena) {{\n{_first_values(program)}\n}}\n"
