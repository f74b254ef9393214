// SPDX-License-Identifier: Apache-2.0
#include "kws/spotter.h"

#include <cstring>

namespace kws {
namespace {

// Of a spotter without memory, so that its pipeline has a model.
class NoModel final : public ModelRunner {
 public:
  Status AllocateTensors() override { return Status::kArenaTooSmall; }
  Status Invoke() override { return Status::kNotAllocated; }
  Status Reset() override { return Status::kNotAllocated; }
  size_t inputs_size() const override { return 0; }
  size_t outputs_size() const override { return 0; }
  TensorView input(size_t) const override { return TensorView(); }
  TensorView output(size_t) const override { return TensorView(); }
  size_t arena_used_bytes() const override { return 0; }
  const ErrorDetail& error() const override { return error_; }

 private:
  ErrorDetail error_;
};

NoModel g_no_model;

}  // namespace

Spotter::Parts Spotter::Divide(const Bundle& bundle, void* memory, size_t bytes) {
  Parts parts = {&g_no_model, {nullptr, bundle.kept_frames}, nullptr};
  const bool aligned = (reinterpret_cast<uintptr_t>(memory) & 15) == 0;
  if (memory == nullptr || !aligned || bytes < bundle.bytes()) return parts;
  uint8_t* arena = static_cast<uint8_t*>(memory);
  uint8_t* runner = arena + Bundle::Rounded(bundle.arena_bytes);
  parts.runner = bundle.make_runner(runner, arena, bundle.arena_bytes);
  uint8_t* look = runner + Bundle::Rounded(bundle.runner_bytes);
  if (bundle.make_look != nullptr) parts.look = bundle.make_look(look, arena, bundle.arena_bytes);
  parts.frames.bytes = reinterpret_cast<int8_t*>(look + Bundle::Rounded(bundle.look_bytes));
  return parts;
}

Spotter::Spotter(const Bundle& bundle, void* memory, size_t bytes)
    : Spotter(bundle, Divide(bundle, memory, bytes)) {}

Spotter::Spotter(const Bundle& bundle, const Parts& parts)
    : has_gate_(bundle.gate_rise > 0),
      gate_(has_gate_ ? bundle.gate_rise : 1),
      pipeline_(bundle.config, parts.runner, parts.frames) {
  pipeline_.UseSecondLook(0, parts.look);
}

Status Spotter::Start() {
  if (has_gate_) pipeline_.UseGate(&gate_);
  filled_ = 0;
  return status_ = pipeline_.Start();
}

size_t Spotter::Push(const int16_t* samples, size_t count, Detection* hit) {
  hit->label = Detection::kNothing;
  size_t used = 0;
  while (used < count && status_ == Status::kOk) {
    const size_t room = static_cast<size_t>(Frontend::kStrideSamples - filled_);
    const size_t part = count - used < room ? count - used : room;
    std::memcpy(hop_ + filled_, samples + used, part * sizeof(int16_t));
    used += part;
    filled_ += static_cast<int>(part);
    if (filled_ < Frontend::kStrideSamples) break;
    filled_ = 0;
    status_ = pipeline_.ProcessHop(hop_);
    if (pipeline_.detection().label != Detection::kNothing) {
      *hit = pipeline_.detection();
      break;
    }
  }
  return status_ == Status::kOk ? used : count;  // so that a loop over samples ends
}

Status Spotter::Reset() {
  if (status_ == Status::kNotAllocated) return status_;
  filled_ = 0;
  return status_ = pipeline_.Reset();
}

}  // namespace kws
