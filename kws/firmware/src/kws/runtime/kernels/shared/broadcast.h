// SPDX-License-Identifier: Apache-2.0
// Element-wise ops of two int8 tensors with broadcasting: each dimension of an input equals the
// output's or is 1 (missing dimensions count as 1).
#ifndef KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_
#define KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_

#include <cstdint>
#include <cstring>

#include "kws/runtime/kernel_context.h"

namespace kws {

// The innermost loop. First member of such an op's parameters.
struct Broadcast {
  int32_t run;       // consecutive outputs
  uint8_t steps[2];  // of each input per output: 1, or 0 if broadcast
  uint8_t loops;     // number of outer loops, which follow the parameters, innermost first
};

struct BroadcastLoop {
  int32_t count;
  int32_t jumps[2];  // added to each input's position after a round of the inner loops
};

struct BinaryOp {
  enum References { kInputA, kInputB, kOutput, kReferences };

  Tensor a;
  Tensor b;
  Tensor output;
  Broadcast broadcast;
  BroadcastLoop loops[kMaxRank - 1];

  // Checks the tensors' types and shapes and plans the loops. Read is for int8.
  Status Read(const PrepareContext& context);
  Status ReadType(const PrepareContext& context, TensorType type);

  // Allocates the record of Params, whose first member is a Broadcast named `broadcast`.
  template <typename Params>
  Status Allocate(PrepareContext& context, Params** params, int references = kReferences) const {
    const uint32_t bytes = broadcast.loops * static_cast<uint32_t>(sizeof(BroadcastLoop));
    KWS_RETURN_IF_ERROR(context.Allocate(references, params, bytes));
    (*params)->broadcast = broadcast;
    std::memcpy(*params + 1, loops, bytes);
    Bind(context);
    return Status::kOk;
  }

 private:
  Status PlanWalk();
  void Bind(PrepareContext& context) const;
};

// Computes `broadcast.run` outputs.
using BinaryRun = void (*)(const InvokeContext& context, const int8_t* a, const int8_t* b,
                           int8_t* output);

// Computes all outputs. `loops` follows the parameters.
void InvokeBinary(const InvokeContext& context, const Broadcast& broadcast,
                  const BroadcastLoop* loops, BinaryRun run);

// The same for other types; operation: T from two T.
template <typename T, typename Operation>
void InvokeBinaryOf(const InvokeContext& context, const Broadcast& broadcast,
                    const BroadcastLoop* loops, const Operation& operation) {
  const T* a = context.Data<T>(BinaryOp::kInputA);
  const T* b = context.Data<T>(BinaryOp::kInputB);
  T* output = context.MutableData<T>(BinaryOp::kOutput);
  int32_t counters[kMaxRank] = {};
  for (;;) {
    for (int32_t i = broadcast.run; i > 0; --i) {
      *output++ = operation(LoadAs<T>(a), LoadAs<T>(b));
      a += broadcast.steps[0];
      b += broadcast.steps[1];
    }
    int loop = 0;
    while (loop < broadcast.loops && ++counters[loop] == loops[loop].count) counters[loop++] = 0;
    if (loop == broadcast.loops) return;
    a += loops[loop].jumps[0];
    b += loops[loop].jumps[1];
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_
