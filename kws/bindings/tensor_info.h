// SPDX-License-Identifier: Apache-2.0
// A model's tensor, for Python.
#ifndef KWS_BINDINGS_TENSOR_INFO_H_
#define KWS_BINDINGS_TENSOR_INFO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "kws/runtime/model/schema.h"

namespace kws::bindings {

struct TensorInfo {
  std::string name;
  std::vector<int> shape;
  std::string dtype;
  float scale;
  int zero_point;
};

// NumPy's name for a type of the schema, including types that the runtime does not support.
inline const char* TypeName(kws::TensorType type) {
  static constexpr const char* kNames[] = {
      "float32", "float16",   "int32",  "uint8",   "int64",      "string", "bool",
      "int16",   "complex64", "int8",   "float64", "complex128", "uint64", "resource",
      "variant", "uint32",    "uint16", "int4",    "bfloat16"};
  const size_t code = static_cast<size_t>(type);
  return code < sizeof(kNames) / sizeof(kNames[0]) ? kNames[code] : "other";
}

}  // namespace kws::bindings

#endif  // KWS_BINDINGS_TENSOR_INFO_H_
