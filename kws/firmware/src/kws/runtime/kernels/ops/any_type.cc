// SPDX-License-Identifier: Apache-2.0
// The kernels for any type of an op.
#include "kws/runtime/kernels/shared/any_type.h"

#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/batch_matmul.h"
#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/transpose_conv.h"
#include "kws/runtime/kernels/shared/weighted_op.h"

namespace kws {

// `references`: of the int8 kernel; the others in the order of their marks.
#define KWS_TYPES(Op, references, ...)                              \
  using Any##Op = AnyType<references, kernels::k##Op, __VA_ARGS__>; \
  KWS_REGISTER_TYPE(Op, AnyType, Any##Op::Prepare, Any##Op::Invoke)

KWS_TYPES(Add, BinaryOp::kReferences, kernels::kAddFloat32, kernels::kAddInt16)
KWS_TYPES(AveragePool2D, 2, kernels::kAveragePool2DFloat32, kernels::kAveragePool2DInt16)
KWS_TYPES(BatchMatMul, BatchMatMul::kReferences, kernels::kBatchMatMulFloat32)
KWS_TYPES(Conv2D, WeightedOp::kReferences, kernels::kConv2DFloat32, kernels::kConv2DInt16)
KWS_TYPES(DepthwiseConv2D, WeightedOp::kReferences, kernels::kDepthwiseConv2DFloat32,
          kernels::kDepthwiseConv2DInt16)
KWS_TYPES(FullyConnected, WeightedOp::kScratch, kernels::kFullyConnectedFloat32,
          kernels::kFullyConnectedInt16)
KWS_TYPES(LeakyRelu, LookupTable::kReferences, kernels::kLeakyReluFloat32, kernels::kLeakyReluInt16)
KWS_TYPES(LogSoftmax, 2, kernels::kLogSoftmaxFloat32)
KWS_TYPES(Logistic, LookupTable::kReferences, kernels::kLogisticFloat32)
KWS_TYPES(MaxPool2D, 2, kernels::kMaxPool2DFloat32, kernels::kMaxPool2DInt16)
KWS_TYPES(Maximum, BinaryOp::kReferences, kernels::kMaximumFloat32)
KWS_TYPES(Mean, 2, kernels::kMeanFloat32)
KWS_TYPES(Minimum, BinaryOp::kReferences, kernels::kMinimumFloat32)
KWS_TYPES(Mul, BinaryOp::kReferences, kernels::kMulFloat32, kernels::kMulInt16)
KWS_TYPES(Prelu, BinaryOp::kReferences, kernels::kPreluFloat32)
KWS_TYPES(Relu, LookupTable::kReferences, kernels::kReluFloat32)
KWS_TYPES(Relu6, 2, kernels::kRelu6Float32)
KWS_TYPES(ResizeBilinear, 2, kernels::kResizeBilinearFloat32)
KWS_TYPES(Softmax, 3, kernels::kSoftmaxFloat32, kernels::kSoftmaxInt8ToInt16,
          kernels::kSoftmaxInt16)
KWS_TYPES(Sub, BinaryOp::kReferences, kernels::kSubFloat32, kernels::kSubInt16)
KWS_TYPES(Sum, 2, kernels::kSumFloat32)
KWS_TYPES(Tanh, LookupTable::kReferences, kernels::kTanhFloat32)
KWS_TYPES(TransposeConv, kTransposeConvReferences, kernels::kTransposeConvFloat32,
          kernels::kTransposeConvInt16)

// With state. Its int8 kernel has 16 references.
using AnyLSTM =
    AnyType<16, kernels::kUnidirectionalSequenceLSTM, kernels::kUnidirectionalSequenceLSTMFloat32>;
constexpr Registration kernels::kUnidirectionalSequenceLSTMAnyType{
    BuiltinOp::kUnidirectionalSequenceLSTM, AnyLSTM::Prepare, AnyLSTM::Invoke, AnyLSTM::Reset};
void kernels::invoke::UnidirectionalSequenceLSTMAnyType(const InvokeContext& context) {
  AnyLSTM::Invoke(context);
}
void kernels::reset::UnidirectionalSequenceLSTMAnyType(const InvokeContext& context) {
  AnyLSTM::Reset(context);
}

#undef KWS_TYPES

}  // namespace kws
