// SPDX-License-Identifier: Apache-2.0
// Who wants to know what each op costs. The role of TFLM's MicroProfiler.
#ifndef KWS_RUNTIME_PROFILER_H_
#define KWS_RUNTIME_PROFILER_H_

#include "runtime/model/schema.h"

namespace kws {

// Called around each op of an inference. Ops that cost nothing at run time (a RESHAPE that only
// renames its input, say) were left out at AllocateTensors and are not seen here.
class Profiler {
 public:
  // `index` counts the ops that run, from 0, in each inference anew.
  virtual void BeginOp(int index, BuiltinOp op) = 0;
  virtual void EndOp(int index) = 0;

 protected:
  // Nobody deletes through this base, so no virtual destructor and no `operator delete`.
  ~Profiler() = default;
};

}  // namespace kws

#endif  // KWS_RUNTIME_PROFILER_H_
