// What an op's file gives to the interpreter.
#ifndef KWS_RUNTIME_REGISTRATION_H_
#define KWS_RUNTIME_REGISTRATION_H_

#include "runtime/schema.h"
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
};

}  // namespace kws

#endif  // KWS_RUNTIME_REGISTRATION_H_
