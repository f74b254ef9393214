// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL: products of the matrices in the last two dimensions; the others broadcast.
#ifndef KWS_RUNTIME_KERNELS_SHARED_BATCH_MATMUL_H_
#define KWS_RUNTIME_KERNELS_SHARED_BATCH_MATMUL_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/exact_floats.h"

namespace kws {

struct MatrixSteps {
  int32_t row;  // elements between neighbouring rows of the product, or columns of the second one
  int32_t depth;
  int32_t batch[kMaxRank - 2];  // outermost first; 0: broadcast
};

struct BatchMatMul {
  enum References { kA, kB, kOutput, kReferences };

  int32_t rows;
  int32_t columns;
  int32_t depth;
  int32_t batches[kMaxRank - 2];
  MatrixSteps a;
  MatrixSteps b;

  // Reads and checks the tensors, which have this type.
  Status Read(const PrepareContext& context, TensorType type, Tensor* a_tensor, Tensor* b_tensor,
              Tensor* output);
  static void Bind(PrepareContext& context) {
    context.BindInput(kA, 0);
    context.BindInput(kB, 1);
    context.BindOutput(kOutput, 0);
  }
};

// Writes all outputs: dot(first of a's row, first of b's column).
template <typename T, typename Dot>
void RunBatchMatMul(const InvokeContext& context, const BatchMatMul& op, const Dot& dot) {
  static_assert(kMaxRank - 2 == 4, "the loops are written out");
  const T* a = context.Data<T>(BatchMatMul::kA);
  const T* b = context.Data<T>(BatchMatMul::kB);
  T* output = context.MutableData<T>(BatchMatMul::kOutput);
  const int32_t matrices = op.batches[0] * op.batches[1] * op.batches[2] * op.batches[3];
  for (int32_t matrix = 0; matrix < matrices; ++matrix) {
    int32_t rest = matrix;
    int32_t from_a = 0;
    int32_t from_b = 0;
    for (int i = 3; i >= 0; --i) {
      const int32_t index = rest % op.batches[i];
      rest /= op.batches[i];
      from_a += index * op.a.batch[i];
      from_b += index * op.b.batch[i];
    }
    for (int32_t row = 0; row < op.rows; ++row) {
      for (int32_t column = 0; column < op.columns; ++column) {
        *output++ = dot(a + from_a + row * op.a.row, b + from_b + column * op.b.row);
      }
    }
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BATCH_MATMUL_H_
