// SPDX-License-Identifier: Apache-2.0
// The model of a bundle, and what runs it: an interpreter with the model's file or, where the whole
// firmware is compiled with KWS_COMPILED, the model as C++.
#ifndef KWS_RUNTIME_NETWORK_H_
#define KWS_RUNTIME_NETWORK_H_

#ifdef KWS_COMPILED
#include "runtime/compiled_model.h"
#else
#include "runtime/micro_interpreter.h"
#endif

namespace kws {

// What it refers to stays the caller's and must outlive what runs it.
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
