// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/micro/micro_interpreter.h"

#include <new>

#include "kws/runtime/model/op_names.h"

namespace tflite {
namespace {

static_assert(sizeof(TfLiteIntArray().data) == kws::kMaxRank * sizeof(int), "c/common.h is C");

constexpr size_t kUnknownBytes = 1u << 30;  // the largest model that kws reads

kws::Model Read(const Model* model) {
  return kws::GetModel(static_cast<const void*>(model), kUnknownBytes);
}

size_t Count(const kws::Model& model, kws::FlatVector kws::Model::Subgraph::*tensors) {
  kws::Model::Subgraph graph;
  if (model.status() != kws::Status::kOk || model.GetSubgraph(0, &graph) != kws::Status::kOk) {
    return 0;
  }
  return (graph.*tensors).count;
}

// The start of `bytes` at the arena's end. Null: no space.
void* AtEnd(uint8_t* arena, size_t arena_bytes, size_t bytes) {
  if (arena == nullptr || arena_bytes < bytes) return nullptr;
  uint8_t* start = arena + arena_bytes - bytes;
  const size_t unaligned = reinterpret_cast<uintptr_t>(start) % alignof(void*);
  return static_cast<size_t>(start - arena) < unaligned ? nullptr : start - unaligned;
}

TfLiteType LiteType(kws::TensorType type) {
  // TFLM counts from 1 and leaves float16 out of the schema's order; see c/common.h.
  switch (type) {
    case kws::TensorType::kFloat32:
      return kTfLiteFloat32;
    case kws::TensorType::kFloat16:
      return kTfLiteFloat16;
    case kws::TensorType::kResource:
      return kTfLiteResource;
    default:
      return static_cast<TfLiteType>(type);
  }
}

TfLiteStatus Result(kws::Status status) {
  return status == kws::Status::kOk ? kTfLiteOk : kTfLiteError;
}

}  // namespace

uint32_t Model::version() const {
  return Read(this).status() == kws::Status::kOk ? TFLITE_SCHEMA_VERSION : 0;
}

MicroInterpreter::MicroInterpreter(const Model* model, const MicroOpResolver& resolver,
                                   uint8_t* arena, size_t arena_bytes, MicroResourceVariables*,
                                   MicroProfilerInterface* profiler, bool preserve_all_tensors)
    : model_(Read(model)),
      inputs_(Count(model_, &kws::Model::Subgraph::inputs)),
      outputs_(Count(model_, &kws::Model::Subgraph::outputs)),
      slots_(static_cast<Slot*>(AtEnd(arena, arena_bytes, (inputs_ + outputs_) * sizeof(Slot)))),
      interpreter_(
          model_, resolver.kernels(), arena,
          slots_ == nullptr ? 0 : static_cast<size_t>(reinterpret_cast<uint8_t*>(slots_) - arena)),
      events_(profiler),
      status_(preserve_all_tensors ? kTfLiteError : Result(model_.status())) {
  if (profiler != nullptr) interpreter_.SetProfiler(&events_);
  if (preserve_all_tensors) MicroPrintf("kws's interpreter cannot preserve all tensors");
}

MicroInterpreter::MicroInterpreter(const Model* model, const MicroOpResolver& resolver,
                                   MicroAllocator* allocator, MicroResourceVariables* variables,
                                   MicroProfilerInterface* profiler)
    : MicroInterpreter(model, resolver, allocator != nullptr ? allocator->rest_ : nullptr,
                       allocator != nullptr ? allocator->rest_bytes_ : 0, variables, profiler) {
  allocator_ = allocator;
}

TfLiteStatus MicroInterpreter::AllocateTensors() {
  allocated_ = false;
  if (status_ != kTfLiteOk) return status_;
  kws::Status status = kws::Status::kArenaTooSmall;
  if (slots_ != nullptr) status = interpreter_.AllocateTensors();
  if (status != kws::Status::kOk) {
    const kws::ErrorDetail& detail = interpreter_.error();
    if (detail.op_index >= 0) {
      MicroPrintf("op %d, %s: %s", static_cast<int>(detail.op_index),
                  kws::BuiltinOpName(detail.builtin_code), kws::StatusMessage(status));
    } else {
      MicroPrintf("%s", kws::StatusMessage(status));
    }
    return kTfLiteError;
  }
  for (size_t i = 0; i < inputs_ + outputs_; ++i) {
    const kws::TensorView view =
        i < inputs_ ? interpreter_.input(i) : interpreter_.output(i - inputs_);
    Slot* slot = new (&slots_[i]) Slot();
    slot->dims.size = view.rank;
    for (int axis = 0; axis < view.rank; ++axis) slot->dims.data[axis] = view.dims[axis];
    slot->tensor.type = LiteType(view.type);
    slot->tensor.data.data = view.data;
    slot->tensor.dims = &slot->dims;
    slot->tensor.params.scale = view.scale;
    slot->tensor.params.zero_point = view.zero_point;
    slot->tensor.bytes = view.bytes;
  }
  allocated_ = true;
  if (allocator_ != nullptr) allocator_->used_bytes_ = arena_used_bytes();
  return kTfLiteOk;
}

TfLiteStatus MicroInterpreter::Invoke() {
  // As in TFLM, the first Invoke allocates the tensors if the program has not.
  if (!allocated_) TF_LITE_ENSURE_STATUS(AllocateTensors());
  return Result(interpreter_.Invoke());
}

TfLiteStatus MicroInterpreter::Reset() { return Result(interpreter_.Reset()); }

size_t MicroInterpreter::arena_used_bytes() const {
  if (!allocated_) return 0;
  return interpreter_.arena_used_bytes() + (inputs_ + outputs_) * sizeof(Slot);
}

void MicroInterpreter::OpEvents::BeginOp(int, kws::BuiltinOp op) {
  handle_ = profiler_->BeginEvent(kws::BuiltinOpName(static_cast<int32_t>(op)));
}

void MicroInterpreter::OpEvents::EndOp(int) { profiler_->EndEvent(handle_); }

}  // namespace tflite
