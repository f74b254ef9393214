// SPDX-License-Identifier: Apache-2.0
// Tensors, for callers (TensorView) and for kernels in prepare (Tensor).
#ifndef KWS_RUNTIME_MODEL_TENSOR_H_
#define KWS_RUNTIME_MODEL_TENSOR_H_

#include <cstdint>

#include "kws/runtime/model/schema.h"

namespace kws {

constexpr int kMaxRank = 6;

// An input or output of a model. `data` points into the interpreter's arena. Invoke may overwrite
// inputs (as in TFLM): write every input before each call.
struct TensorView {
  TensorType type = TensorType::kFloat32;
  int rank = 0;
  int32_t dims[kMaxRank] = {};
  float scale = 0.0f;  // real = scale * (quantized - zero_point); 0: not quantized
  int32_t zero_point = 0;
  uint32_t bytes = 0;
  void* data = nullptr;  // null: the tensor does not exist

  template <typename T>
  T* As() const {
    return static_cast<T*>(data);
  }
};

// A tensor's description in the model, checked. Positions count from the model's start.
struct Tensor {
  TensorType type;
  uint8_t rank;
  bool is_variable;
  int32_t dims[kMaxRank];
  uint32_t elements;
  uint32_t bytes;
  uint32_t data;         // constant data's position; 0: not a constant
  uint32_t scales;       // float[scale_count], position
  uint32_t scale_count;  // 0: not quantized; 1: per tensor; more: per channel
  int32_t quantized_dimension;
  float scale;         // the first
  int32_t zero_point;  // the first

  bool is_constant() const { return data != 0; }
  // Elements of all dimensions but the last.
  uint32_t outer_elements() const {
    return rank == 0 ? 1 : elements / static_cast<uint32_t>(dims[rank - 1]);
  }
  int32_t last_dim() const { return rank == 0 ? 1 : dims[rank - 1]; }
};

}  // namespace kws

#endif  // KWS_RUNTIME_MODEL_TENSOR_H_
