# SPDX-License-Identifier: Apache-2.0
"""A bundle as C++11 for the core as a library: `kws::Bundle` of kws/spotter.h, in two files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kws.bundle.bundle import Bundle
from kws.bundle.codegen import header_line, model_rows, resolver_calls
from kws.bundle.compiled.program_source import INCLUDES, program_functions, program_model
from kws.bundle.second_look import SecondLook
from kws.labels import first_keyword


def identifier(bundle: Bundle) -> str:
    """A bundle's name as the end of a C identifier."""
    return re.sub(r"\W", "_", bundle.name, flags=re.ASCII)


def library_sources(bundle: Bundle) -> dict[str, str]:
    """Text of `kws_NAME.h` and `kws_NAME.cc`.

    The model is a .tflite for the interpreter, that of a second look C++ code.

    Raises:
        ModelError: the core does not compile the second look's model.
    """
    bundle = replace(bundle, compiled=False)
    name = identifier(bundle)
    return {f"kws_{name}.h": _header(bundle, name), f"kws_{name}.cc": _source(bundle, name)}


def _look_type(bundle: Bundle, look: SecondLook) -> str:
    return f"CompiledLook<{look.program.arena_bytes if bundle.streams else 0}>"


def _header(bundle: Bundle, name: str) -> str:
    guard = f"KWS_BUNDLE_{name.upper()}_H_"
    resolver = f"MicroMutableOpResolver<{len(resolver_calls(bundle))}>"
    look = bundle.second_look
    look_bytes = f"sizeof({_look_type(bundle, look)})" if look else "0"
    return f"""\
{header_line(bundle)}
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
#include "kws/spotter.h"

namespace kws {{

extern const Bundle bundle_{name};

// Bytes of its spotter's memory.
constexpr size_t bundle_{name}_bytes =
    Bundle::BytesFor({bundle.firmware_arena_bytes}, sizeof(InterpretedModel<{resolver}>),
                     {bundle.kept_frames}, {look_bytes});

}}  // namespace kws

extern "C" {{
#endif
#include "kws/kws_c.h"

const kws_bundle* kws_bundle_{name}(void);

#ifdef __cplusplus
}}
#endif

#endif  // {guard}
"""


def _source(bundle: Bundle, name: str) -> str:
    recognizer = bundle.rules.recognizer
    labels = "\n".join(f'    "{label}",' for label in bundle.labels)
    adds = resolver_calls(bundle)
    thresholds, each = _table("kThresholds", recognizer.label_thresholds(bundle.labels))
    order, of_outputs = _table("kOutputOrder", bundle.output_order)
    look, look_arguments = _look(bundle, bundle.second_look) if bundle.second_look else ("", "")
    includes = f"\n{INCLUDES}\n" if bundle.second_look else ""
    return f"""\
{header_line(bundle)}
#include "kws_{name}.h"

#include <new>
{includes}
namespace kws {{
namespace {{

alignas(16) const unsigned char kModel[{len(bundle.model)}] = {{
{model_rows(bundle)}
}};

const char* const kLabels[{len(bundle.labels)}] = {{
{labels}
}};
{thresholds}{order}
// Exactly the kernels that the model uses, so that the linker leaves out all others.
class Resolver : public MicroMutableOpResolver<{len(adds)}> {{
 public:
  Resolver() {{
{chr(10).join(adds)}
  }}
}};

ModelRunner* MakeRunner(void* place, uint8_t* arena, size_t arena_bytes) {{
  using Interpreted = InterpretedModel<Resolver>;
  return (new (place) Interpreted(kModel, sizeof(kModel), arena, arena_bytes))->runner();
}}
{look}
}}  // namespace

constexpr Bundle bundle_{name}(
    PipelineConfig("{bundle.name}", "{bundle.sha8}", kLabels, {len(bundle.labels)},
                   {bundle.stride},
                   RecognizerSettings({recognizer.average_window_ms}, {recognizer.suppression_ms},
                                      {recognizer.minimum_count}, {recognizer.detection_threshold},
                                      {each}),
                   {str(recognizer.report_unknown).lower()}, {bundle.frontend.frames},
                   {bundle.frontend.stride_samples}, {first_keyword(bundle.labels)}, {of_outputs},
                   {str(bundle.frontend.keep_noise).lower()}),
    {recognizer.gate_rise}, {bundle.kept_frames}, {bundle.firmware_arena_bytes},
    sizeof(InterpretedModel<Resolver>), MakeRunner{look_arguments});

}}  // namespace kws

extern "C" const kws_bundle* kws_bundle_{name}(void) {{
  return reinterpret_cast<const kws_bundle*>(&kws::bundle_{name});
}}
"""


def _look(bundle: Bundle, look: SecondLook) -> tuple[str, str]:
    """The definitions of a second look, and the bundle's arguments for it."""
    settings = look.settings
    order, of_outputs = _table("kLookOrder", look.order_for(bundle.labels))
    source = f"""
// The second look's model, {look.sha8}...
{program_functions(look.program)}
{program_model(look.program)}
{order}
using Look = {_look_type(bundle, look)};

KeywordCheck* MakeLook(void* place, uint8_t* arena, size_t arena_bytes) {{
  const SecondLookSettings settings({settings.proposal}, {settings.looks}, {settings.every},
                                    {settings.earlier});
  Look* look = new (place) Look(kCompiledModel, settings, {of_outputs}, arena, arena_bytes);
  return look->look();
}}
"""
    return source, ",\n    sizeof(Look), MakeLook"


def _table(name: str, values: Sequence[int]) -> tuple[str, str]:
    """The definition of a table with a value per label, and its name; without values, a null."""
    if not values:
        return "", "nullptr"
    row = ", ".join(map(str, values))
    return f"\nconst uint8_t {name}[{len(values)}] = {{{row}}};\n", name
