// SPDX-License-Identifier: Apache-2.0
// Moving elements from one layout to another: what TRANSPOSE, SLICE, STRIDED_SLICE and
// PAD do.
#ifndef KWS_RUNTIME_KERNELS_SHARED_STRIDED_COPY_H_
#define KWS_RUNTIME_KERNELS_SHARED_STRIDED_COPY_H_

#include <cstdint>

#include "runtime/kernel_context.h"
#include "runtime/model/tensor.h"

namespace kws {

// Copies from the first byte to the last: the ranges may overlap where `to` is not behind `from`.
void CopyForward(uint8_t* to, const uint8_t* from, int32_t bytes);

// One level of the loops, in bytes. Steps may be negative.
struct CopyLoop {
  int32_t count;
  int32_t from_step;
  int32_t to_step;
};

// What lies in an op's record, the loops (outermost first) behind it.
struct alignas(4) StridedCopy {
  int32_t from;  // the first byte
  int32_t run;   // bytes that lie together in both layouts
  int32_t to;
  int32_t loops;
};

// The same while it is made. Elements are visited in the order of the target's loops.
struct StridedCopyPlan {
  StridedCopy copy;
  CopyLoop loops[kMaxRank];

  // Joins loops and runs as far as the layouts allow; `copy.loops` loops are given and left.
  void Simplify();
  uint32_t LoopBytes() const {
    return static_cast<uint32_t>(copy.loops) * static_cast<uint32_t>(sizeof(CopyLoop));
  }
};

// The distances, in bytes, between neighbours in each dimension of a tensor.
void ByteSteps(const Tensor& tensor, int32_t steps[kMaxRank]);

void RunStridedCopy(const StridedCopy& copy, const CopyLoop* loops, const uint8_t* from,
                    uint8_t* to);

// An op that makes output 0 of input 0's elements, as many dimensions in both, with one number a
// dimension in input 1.
struct ElementMove {
  Tensor input;
  Tensor output;
  int32_t numbers[kMaxRank];
  int32_t from_steps[kMaxRank];  // in bytes, as ByteSteps
  int32_t to_steps[kMaxRank];
  StridedCopyPlan plan;  // from the first element, one element a run; no loops yet

  Status Read(const PrepareContext& context, OptionsType options);
};

// A whole op that copies input 0 to output 0: its record, and its invoke.
Status AllocateStridedCopy(PrepareContext& context, const StridedCopyPlan& plan);
void InvokeStridedCopy(const InvokeContext& context);

// `count` int32 values of input `i`, which has to be a constant. *values is their position in the
// model.
Status ConstantInts(const PrepareContext& context, int i, uint32_t count, uint32_t* values);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_STRIDED_COPY_H_
