// SPDX-License-Identifier: Apache-2.0
// A classifier's tensors: one input of frames, one output with a score per label.
#ifndef KWS_PIPELINE_SCORES_H_
#define KWS_PIPELINE_SCORES_H_

#include <cstdint>

#include "kws/runtime/model/tensor.h"

namespace kws {

inline bool IsSingle(const TensorView& tensor, TensorType type, int bytes) {
  return tensor.data != nullptr && tensor.type == type &&
         tensor.bytes == static_cast<uint32_t>(bytes);
}

// Whether `order` names each of `count` outputs once, or is null: the labels' order.
inline bool IsPermutation(const uint8_t* order, int count) {
  if (order == nullptr) return true;
  for (int output = 0; output < count; ++output) {
    int label = 0;
    while (order[label] != output) {
      if (++label == count) return false;
    }
  }
  return true;
}

// XOR mask from an output's type to int8.
inline uint8_t FlipOf(const TensorView& output) {
  return output.type == TensorType::kUInt8 ? 0x80 : 0;  // uint8's 0 is -128
}

inline void CopyScores(const uint8_t* raw, uint8_t flip, const uint8_t* order, int count,
                       int8_t* scores) {
  for (int i = 0; i < count; ++i) {
    scores[i] = static_cast<int8_t>(raw[order != nullptr ? order[i] : i] ^ flip);
  }
}

}  // namespace kws

#endif  // KWS_PIPELINE_SCORES_H_
