// SPDX-License-Identifier: Apache-2.0
// kws._core: the C++ core for Python.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The C++ core (kws/firmware/src/kws) for Python.";
  const nanobind::object error = nanobind::module_::import_("kws.errors").attr("KwsError");
  nanobind::exception<kws::bindings::CoreError>(m, "CoreError", error);
  kws::bindings::BindFrontend(m);
  kws::bindings::BindModelFacts(m);
  kws::bindings::BindRuntime(m);
  kws::bindings::BindCompiled(m);
  kws::bindings::BindRecognizer(m);
  kws::bindings::BindPipeline(m);
  kws::bindings::BindSerial(m);
}
