// SPDX-License-Identifier: Apache-2.0
// A bundle's model and its runner: the interpreter, or, if the firmware is compiled with
// KWS_COMPILED, the compiled model.
#ifndef KWS_RUNTIME_NETWORK_H_
#define KWS_RUNTIME_NETWORK_H_

#ifdef KWS_COMPILED
#include "kws/runtime/compiled_model.h"
#else
#include "kws/runtime/micro_interpreter.h"
#endif

namespace kws {

// Its references must outlive the runner.
#ifdef KWS_COMPILED
struct Network {
  const CompiledModel& model;
};

class NetworkRunner : public CompiledRunner {
 public:
  NetworkRunner(const Network& network, uint8_t* arena, size_t arena_size)
      : CompiledRunner(network.model, arena, arena_size) {}
};
#else
struct Network {
  const Model& model;
  const OpResolver& resolver;
};

class NetworkRunner : public MicroInterpreter {
 public:
  NetworkRunner(const Network& network, uint8_t* arena, size_t arena_size)
      : MicroInterpreter(network.model, network.resolver, arena, arena_size) {}
};
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_NETWORK_H_
