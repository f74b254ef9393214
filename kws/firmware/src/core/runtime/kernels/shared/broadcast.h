// SPDX-License-Identifier: Apache-2.0
// Element-wise ops of two int8 tensors whose shapes are broadcast against each other: each
// dimension is the output's, or 1 (missing ones count as 1).
#ifndef KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_
#define KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_

#include <cstdint>
#include <cstring>

#include "runtime/kernel_context.h"

namespace kws {

// The innermost loop of the walk: runs of elements. First member of such an op's parameters.
struct Broadcast {
  int32_t run;       // outputs in a row
  uint8_t steps[2];  // how each input goes on from one to the next: 1, or 0 where it stays
  uint8_t loops;     // around it, kept behind the parameters, innermost first
};

struct BroadcastLoop {
  int32_t count;
  int32_t jumps[2];  // of each input, from where it stands when the loop goes round
};

struct BinaryOp {
  enum References { kInputA, kInputB, kOutput, kReferences };

  Tensor a;
  Tensor b;
  Tensor output;
  Broadcast broadcast;
  BroadcastLoop loops[kMaxRank - 1];

  // Reads and checks the tensors' types and shapes and plans the walk.
  Status Read(const PrepareContext& context);

  // Makes the record of Params, whose first member is a Broadcast named `broadcast`.
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

// Makes `broadcast.run` outputs.
using BinaryRun = void (*)(const InvokeContext& context, const int8_t* a, const int8_t* b,
                           int8_t* output);

// Walks the output; `loops` is what follows the parameters.
void InvokeBinary(const InvokeContext& context, const Broadcast& broadcast,
                  const BroadcastLoop* loops, BinaryRun run);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BROADCAST_H_
