// SPDX-License-Identifier: Apache-2.0
// The numbers of TFLite's schema (version 3) that the runtime reads.
// Source: tensorflow/lite/schema/schema.fbs. A slot is a field's place in its table.
#ifndef KWS_RUNTIME_MODEL_SCHEMA_H_
#define KWS_RUNTIME_MODEL_SCHEMA_H_

#include <cstdint>

namespace kws {

constexpr uint32_t kSchemaVersion = 3;

// clang-format off
enum class TensorType : uint8_t {
  kFloat32 = 0, kFloat16 = 1, kInt32 = 2, kUInt8 = 3, kInt64 = 4, kString = 5, kBool = 6,
  kInt16 = 7, kInt8 = 9, kResource = 13,
};
// clang-format on

// clang-format off
enum class BuiltinOp : int16_t {
  kAdd = 0, kAveragePool2D = 1, kConcatenation = 2, kConv2D = 3, kDepthwiseConv2D = 4,
  kDequantize = 6, kFullyConnected = 9, kLogistic = 14, kMaxPool2D = 17, kMul = 18, kRelu = 19,
  kRelu6 = 21, kReshape = 22, kResizeBilinear = 23, kSoftmax = 25, kSvdf = 27, kTanh = 28,
  kCustom = 32, kPad = 34, kGather = 36, kBatchToSpaceNd = 37, kSpaceToBatchNd = 38,
  kTranspose = 39, kMean = 40, kSub = 41, kDiv = 42, kSqueeze = 43,
  kUnidirectionalSequenceLSTM = 44, kStridedSlice = 45, kSplit = 49, kLogSoftmax = 50, kPrelu = 54,
  kMaximum = 55, kArgMax = 56, kMinimum = 57, kPadV2 = 60, kSlice = 65, kTransposeConv = 67,
  kExpandDims = 70, kSum = 74, kSqrt = 75, kRsqrt = 76, kShape = 77, kReduceMax = 82, kPack = 83,
  kUnpack = 88, kReduceMin = 89, kResizeNearestNeighbor = 97, kLeakyRelu = 98,
  kSquaredDifference = 99, kAbs = 101, kSplitV = 102, kQuantize = 114, kHardSwish = 117,
  kBatchMatMul = 126, kCallOnce = 129, kVarHandle = 142, kReadVariable = 143, kAssignVariable = 144,
};
// clang-format on

enum class Padding : uint8_t { kSame = 0, kValid = 1 };

enum class Activation : uint8_t { kNone = 0, kRelu = 1, kReluN1To1 = 2, kRelu6 = 3 };

// Tag of an operator's options table.
// clang-format off
enum class OptionsType : uint8_t {
  kNone = 0, kConv2D = 1, kDepthwiseConv2D = 2, kPool2D = 5, kSvdf = 6, kFullyConnected = 8,
  kSoftmax = 9, kConcatenation = 10, kAdd = 11, kResizeBilinear = 15, kReshape = 17, kMul = 21,
  kPad = 22, kGather = 23, kBatchToSpaceNd = 24, kSpaceToBatchNd = 25, kTranspose = 26,
  kReducer = 27, kSub = 28, kDiv = 29, kSqueeze = 30, kStridedSlice = 32, kSplit = 35,
  kLogSoftmax = 36, kArgMax = 40, kPadV2 = 43, kSlice = 48, kTransposeConv = 49, kExpandDims = 52,
  kShape = 55, kPack = 59, kUnpack = 64, kUnidirectionalSequenceLstm = 71,
  kResizeNearestNeighbor = 74, kLeakyRelu = 75, kSquaredDifference = 76, kSplitV = 79,
  kBatchMatMul = 101, kCallOnce = 103, kVarHandle = 111, kReadVariable = 112, kAssignVariable = 113,
};
// clang-format on

// Bytes of one element; 0 for strings, resources and unknown types.
inline uint32_t ElementSize(TensorType type) {
  switch (type) {
    case TensorType::kInt8:
    case TensorType::kUInt8:
    case TensorType::kBool:
      return 1;
    case TensorType::kInt16:
    case TensorType::kFloat16:
      return 2;
    case TensorType::kFloat32:
    case TensorType::kInt32:
      return 4;
    case TensorType::kInt64:
      return 8;
    default:
      return 0;
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_MODEL_SCHEMA_H_
