// SPDX-License-Identifier: Apache-2.0
// What an op's file gives to the interpreter.
#ifndef KWS_RUNTIME_REGISTRATION_H_
#define KWS_RUNTIME_REGISTRATION_H_

#include "runtime/model/schema.h"
#include "status.h"

namespace kws {

class PrepareContext;
class InvokeContext;

struct Registration {
  BuiltinOp code;
  // Once, in AllocateTensors: checks everything that Invoke will rely on (types, shapes, options,
  // quantization) and writes what it needs into the arena.
  Status (*prepare)(PrepareContext& context);
  // Each inference. Cannot fail: what could was checked by prepare.
  void (*invoke)(const InvokeContext& context);
  // When AllocateTensors is done and in Reset: gives what the op keeps between inferences its first
  // value. Null where there is nothing, or zeros, which variable tensors have anyway.
  void (*reset)(const InvokeContext& context) = nullptr;
};

}  // namespace kws

#endif  // KWS_RUNTIME_REGISTRATION_H_
