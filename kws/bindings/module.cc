// SPDX-License-Identifier: Apache-2.0
// kws._core: the C++ core for Python.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The C++ core (kws/firmware/src/core) for Python.";
  nanobind::exception<kws::bindings::CoreError>(m, "CoreError");
  kws::bindings::BindFrontend(m);
  kws::bindings::BindRuntime(m);
  kws::bindings::BindCompiled(m);
  kws::bindings::BindRecognizer(m);
  kws::bindings::BindPipeline(m);
  kws::bindings::BindSerial(m);
}
