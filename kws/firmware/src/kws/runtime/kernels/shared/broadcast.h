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

  // Checks the tensors' types and shapes and plans the loops.
  Status Read(const PrepareContext& context);

  // Allocates the record of Params, whose first member is a Broadcast named `broadcast`.
  template <typename Params>
  Status Allocate(PrepareContext& context, Params** params) const {
    const uint32_t bytes = broadcast.loops * static_cast<uint32_t>(sizeof(BroadcastLoop));
    KWS_RETURN_IF_ERROR(context.Allocate(kReferences, params, bytes));
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

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_
