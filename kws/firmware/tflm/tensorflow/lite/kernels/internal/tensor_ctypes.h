// SPDX-License-Identifier: Apache-2.0
// A tensor's data by the type of its elements.
#ifndef TFLM_KERNELS_INTERNAL_TENSOR_CTYPES_H_
#define TFLM_KERNELS_INTERNAL_TENSOR_CTYPES_H_

#include "tensorflow/lite/c/common.h"

namespace tflite {

// Null for no tensor. The type is not checked.
template <typename T>
T* GetTensorData(TfLiteTensor* tensor) {
  return tensor != nullptr ? static_cast<T*>(tensor->data.data) : nullptr;
}
template <typename T>
const T* GetTensorData(const TfLiteTensor* tensor) {
  return tensor != nullptr ? static_cast<const T*>(tensor->data.data) : nullptr;
}

}  // namespace tflite

#endif  // TFLM_KERNELS_INTERNAL_TENSOR_CTYPES_H_
