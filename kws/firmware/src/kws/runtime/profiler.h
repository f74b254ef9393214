// SPDX-License-Identifier: Apache-2.0
// Interface for measuring each op, like TFLM's MicroProfiler.
#ifndef KWS_RUNTIME_PROFILER_H_
#define KWS_RUNTIME_PROFILER_H_

#include "kws/runtime/model/schema.h"

namespace kws {

// Called around each op of an inference. Ops without work at run time (such as a RESHAPE that is an
// alias of its input) are left out.
class Profiler {
 public:
  // `index` counts the ops of each inference from 0.
  virtual void BeginOp(int index, BuiltinOp op) = 0;
  virtual void EndOp(int index) = 0;

 protected:
  // Never deleted through this base: a virtual destructor would link `operator delete`.
  ~Profiler() = default;
};

}  // namespace kws

#endif  // KWS_RUNTIME_PROFILER_H_
