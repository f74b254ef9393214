// SPDX-License-Identifier: Apache-2.0
// Reads an untrusted .tflite file in memory.
#ifndef KWS_RUNTIME_MODEL_MODEL_H_
#define KWS_RUNTIME_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/model/flatbuffer.h"
#include "kws/runtime/model/schema.h"
#include "kws/runtime/model/tensor.h"
#include "kws/status.h"

namespace kws {

// A view of the caller's bytes, which must outlive it. Cheap to copy. Every reader checks all
// offsets and returns kBadModel if one points outside the file.
class Model {
 public:
  // Positions in the file.
  struct Operator {
    int32_t builtin_code;  // BuiltinOperator of the schema
    FlatVector inputs;     // int32 tensor indices, -1 = optional input left out
    FlatVector outputs;
    FlatVector intermediates;
    uint8_t options_type;  // BuiltinOptions of the schema
    FlatTable options;     // position 0: absent
  };
  struct Subgraph {
    FlatVector tensors;
    FlatVector inputs;
    FlatVector outputs;
    FlatVector operators;
  };

  Model() = default;
  Model(const void* data, size_t size);

  // kOk, kBadArgument, kBadModel or kWrongSchemaVersion.
  Status status() const { return status_; }
  const uint8_t* data() const { return buffer_.data(); }
  uint32_t size() const { return buffer_.size(); }
  const FlatBuffer& buffer() const { return buffer_; }

  uint32_t subgraph_count() const { return subgraphs_.count; }
  Status GetSubgraph(uint32_t index, Subgraph* out) const;
  Status GetOperator(const Subgraph& graph, uint32_t index, Operator* out) const;
  Status GetTensor(const Subgraph& graph, uint32_t index, Tensor* out) const;
  // Characters of the tensor's name, not terminated; length 0 if it has no name.
  Status GetTensorName(const Subgraph& graph, uint32_t index, FlatVector* name) const;

 private:
  FlatBuffer buffer_;
  FlatVector operator_codes_{};
  FlatVector subgraphs_{};
  FlatVector buffers_{};
  Status status_ = Status::kBadArgument;
};

// TFLM's GetModel, plus the size for checks: identifier "TFL3" and schema version 3. Check status()
// before use; MicroInterpreter checks it too.
inline Model GetModel(const void* data, size_t size) { return Model(data, size); }

template <size_t kSize>
Model GetModel(const unsigned char (&data)[kSize]) {
  return Model(data, kSize);
}

}  // namespace kws

#endif  // KWS_RUNTIME_MODEL_MODEL_H_
