// SPDX-License-Identifier: Apache-2.0
// Copies elements from one layout to another, for TRANSPOSE, SLICE, STRIDED_SLICE and PAD.
#ifndef KWS_RUNTIME_KERNELS_SHARED_STRIDED_COPY_H_
#define KWS_RUNTIME_KERNELS_SHARED_STRIDED_COPY_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/model/tensor.h"

namespace kws {

// One level of the loops, in bytes. Steps may be negative.
struct CopyLoop {
  int32_t count;
  int32_t from_step;
  int32_t to_step;
};

// In an op's record, followed by the loops, outermost first.
struct alignas(4) StridedCopy {
  int32_t from;  // the first byte
  int32_t run;   // contiguous bytes in both layouts
  int32_t to;
  int32_t loops;
};

// Elements are copied in the order of the target's loops.
struct StridedCopyPlan {
  StridedCopy copy;
  CopyLoop loops[kMaxRank];

  // Merges loops and runs as far as the layouts allow; updates `copy.loops`.
  void Simplify();
  uint32_t LoopBytes() const {
    return static_cast<uint32_t>(copy.loops) * static_cast<uint32_t>(sizeof(CopyLoop));
  }
};

// The stride of each dimension of a tensor, in bytes.
void ByteSteps(const Tensor& tensor, int32_t steps[kMaxRank]);

void RunStridedCopy(const StridedCopy& copy, const CopyLoop* loops, const uint8_t* from,
                    uint8_t* to);

// An op that copies input 0's elements to output 0 of the same rank, with one number per dimension
// in input 1.
struct ElementMove {
  Tensor input;
  Tensor output;
  int32_t numbers[kMaxRank];
  int32_t from_steps[kMaxRank];  // in bytes, as ByteSteps
  int32_t to_steps[kMaxRank];
  StridedCopyPlan plan;  // from the first element, runs of one element; loops not set

  Status Read(const PrepareContext& context, OptionsType options);
};

// Prepare and invoke of an op that copies input 0 to output 0.
Status AllocateStridedCopy(PrepareContext& context, const StridedCopyPlan& plan);
void InvokeStridedCopy(const InvokeContext& context);

// *values: the position in the model of input `i`, which must be a constant of `count` int32.
Status ConstantInts(const PrepareContext& context, int i, uint32_t count, uint32_t* values);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_STRIDED_COPY_H_
