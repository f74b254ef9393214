// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/model/model.h"

namespace kws {
namespace {

// Field slots of schema.fbs.
enum ModelSlot {
  kModelVersion = 0,
  kModelOperatorCodes = 1,
  kModelSubgraphs = 2,
  kModelBuffers = 4
};
enum OperatorCodeSlot { kCodeDeprecated = 0, kCodeCustom = 1, kCodeBuiltin = 3 };
enum SubgraphSlot { kGraphTensors = 0, kGraphInputs = 1, kGraphOutputs = 2, kGraphOperators = 3 };
enum TensorSlot {
  kTensorShape = 0,
  kTensorType = 1,
  kTensorBuffer = 2,
  kTensorName = 3,
  kTensorQuantization = 4,
  kTensorIsVariable = 5,
  kTensorSparsity = 6,
};
enum QuantizationSlot {
  kQuantScale = 2,
  kQuantZeroPoint = 3,
  kQuantDetails = 5,
  kQuantDimension = 6
};
enum OperatorSlot {
  kOpCodeIndex = 0,
  kOpInputs = 1,
  kOpOutputs = 2,
  kOpOptionsType = 3,
  kOpOptions = 4,
  kOpIntermediates = 8,
};
enum BufferSlot { kBufferData = 0, kBufferOffset = 1 };

constexpr uint32_t kFileIdentifier = 0x334c4654;  // "TFL3", the first character lowest
constexpr uint32_t kMaxModelBytes = 1u << 30;     // positions fit in 31 bits
constexpr uint32_t kMaxTensorBytes = 1u << 28;    // sums of sizes fit in 31 bits
constexpr int8_t kDeprecatedMax = 127;            // the code is in the 32-bit field only

}  // namespace

Model::Model(const void* data, size_t size) {
  if (data == nullptr) return;
  status_ = Status::kBadModel;
  if (size < 16 || size > kMaxModelBytes) return;
  buffer_ = FlatBuffer(data, static_cast<uint32_t>(size));
  if (buffer_.At<uint32_t>(4) != kFileIdentifier) {
    status_ = Status::kWrongSchemaVersion;
    return;
  }
  FlatTable root;
  if (!buffer_.Root(&root)) return;
  if (buffer_.Unsigned(root, kModelVersion) != kSchemaVersion) {
    status_ = Status::kWrongSchemaVersion;
    return;
  }
  if (!buffer_.Vector(root, kModelOperatorCodes, &operator_codes_) ||
      !buffer_.Vector(root, kModelSubgraphs, &subgraphs_) ||
      !buffer_.Vector(root, kModelBuffers, &buffers_) || subgraphs_.count == 0) {
    return;
  }
  status_ = Status::kOk;
}

Status Model::GetSubgraph(uint32_t index, Subgraph* out) const {
  FlatTable table;
  if (!buffer_.TableElement(subgraphs_, index, &table) ||
      !buffer_.Vector(table, kGraphTensors, &out->tensors) ||
      !buffer_.Vector(table, kGraphInputs, &out->inputs) ||
      !buffer_.Vector(table, kGraphOutputs, &out->outputs) ||
      !buffer_.Vector(table, kGraphOperators, &out->operators)) {
    return Status::kBadModel;
  }
  return Status::kOk;
}

Status Model::GetOperator(const Subgraph& graph, uint32_t index, Operator* out) const {
  FlatTable table;
  FlatTable code;
  if (!buffer_.TableElement(graph.operators, index, &table) ||
      !buffer_.TableElement(operator_codes_, buffer_.Unsigned(table, kOpCodeIndex), &code) ||
      !buffer_.Vector(table, kOpInputs, &out->inputs) ||
      !buffer_.Vector(table, kOpOutputs, &out->outputs) ||
      !buffer_.Vector(table, kOpIntermediates, &out->intermediates) ||
      !buffer_.Table(table, kOpOptions, &out->options)) {
    return Status::kBadModel;
  }
  out->options_type = buffer_.Scalar<uint8_t>(table, kOpOptionsType, 0);
  // Old files: the code is in a byte. New files: in 32 bits, with 127 or the code in the byte.
  const int32_t byte_code = static_cast<int8_t>(buffer_.Scalar<uint8_t>(code, kCodeDeprecated, 0));
  const int32_t wide_code = buffer_.Scalar<int32_t>(code, kCodeBuiltin, 0);
  out->builtin_code = byte_code < kDeprecatedMax && wide_code < byte_code ? byte_code : wide_code;
  return Status::kOk;
}

Status Model::GetTensor(const Subgraph& graph, uint32_t index, Tensor* out) const {
  *out = Tensor{};
  FlatTable table;
  FlatTable quantization;
  FlatTable sparsity;
  FlatVector shape;
  if (!buffer_.TableElement(graph.tensors, index, &table) ||
      !buffer_.Vector(table, kTensorShape, &shape) ||
      !buffer_.Table(table, kTensorQuantization, &quantization) ||
      !buffer_.Table(table, kTensorSparsity, &sparsity)) {
    return Status::kBadModel;
  }
  if (sparsity.position != 0) return Status::kUnsupportedOption;
  out->type = static_cast<TensorType>(buffer_.Scalar<uint8_t>(table, kTensorType, 0));
  out->is_variable = buffer_.Scalar<uint8_t>(table, kTensorIsVariable, 0) != 0;

  if (shape.count > kMaxRank) return Status::kUnsupportedShape;
  out->rank = static_cast<uint8_t>(shape.count);
  uint32_t elements = 1;
  for (uint32_t i = 0; i < shape.count; ++i) {
    const int32_t dim = buffer_.Element<int32_t>(shape, i);
    if (dim <= 0 || static_cast<uint32_t>(dim) > kMaxTensorBytes / elements) {
      return Status::kUnsupportedShape;
    }
    out->dims[i] = dim;
    elements *= static_cast<uint32_t>(dim);
  }
  out->elements = elements;
  out->bytes = elements * ElementSize(out->type);  // at most 2^31
  if (out->bytes > kMaxTensorBytes) return Status::kUnsupportedShape;

  if (quantization.position != 0) {
    FlatVector scales;
    FlatVector zero_points;
    if (!buffer_.Vector(quantization, kQuantScale, &scales) ||
        !buffer_.Vector(quantization, kQuantZeroPoint, 8, &zero_points)) {
      return Status::kBadModel;
    }
    out->scales = scales.position;
    out->scale_count = scales.count;
    out->quantized_dimension = buffer_.Scalar<int32_t>(quantization, kQuantDimension, 0);
    if (scales.count > 0) out->scale = buffer_.Element<float>(scales, 0);
    if (zero_points.count > 0) {
      const int64_t zero_point = buffer_.Element<int64_t>(zero_points, 0);
      out->zero_point = static_cast<int32_t>(zero_point);
      if (zero_point != out->zero_point) return Status::kBadQuantization;
    }
  }

  const uint32_t buffer_index = buffer_.Unsigned(table, kTensorBuffer);
  if (buffer_index == 0 && buffers_.count == 0) return Status::kOk;
  FlatTable data_table;
  FlatVector data;
  if (!buffer_.TableElement(buffers_, buffer_index, &data_table) ||
      !buffer_.Vector(data_table, kBufferData, 1, &data)) {
    return Status::kBadModel;
  }
  // Data after the flatbuffer (models over 2 GB). The lower half of the 64 bits tells.
  if (buffer_.Unsigned(data_table, kBufferOffset) > 1) return Status::kUnsupportedOption;
  if (data.count > 0) {
    if (data.count < out->bytes) return Status::kBadModel;
    out->data = data.position;
  }
  return Status::kOk;
}

Status Model::GetTensorName(const Subgraph& graph, uint32_t index, FlatVector* name) const {
  FlatTable table;
  if (!buffer_.TableElement(graph.tensors, index, &table) ||
      !buffer_.Vector(table, kTensorName, 1, name)) {
    return Status::kBadModel;
  }
  return Status::kOk;
}

}  // namespace kws
