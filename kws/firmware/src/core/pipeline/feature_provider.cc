// SPDX-License-Identifier: Apache-2.0
#include "pipeline/feature_provider.h"

#include <cstddef>
#include <cstring>

namespace kws {
namespace {

constexpr int8_t kNoEnergy = -128;  // the feature of a channel without any signal

}  // namespace

void FeatureProvider::Reset() {
  frontend_.Reset();
  filled_ = 0;
  next_ = 0;
  frames_ = 0;
  audible_ = 0;
}

bool FeatureProvider::Push(const int16_t* samples) {
  const int missing = Frontend::kWindowSamples - filled_;
  const bool makes_frame = stride_ >= missing;
  int used = 0;
  if (makes_frame) {
    std::memcpy(window_ + filled_, samples, static_cast<size_t>(missing) * sizeof(int16_t));
    frontend_.ProcessFrame(window_, Slot(next_));
    next_ = next_ + 1 < memory_.frames ? next_ + 1 : 0;
    if (frames_ < UINT32_MAX) ++frames_;
    if (audible_ < UINT32_MAX) ++audible_;
    used = missing;
    filled_ = Frontend::kWindowSamples - stride_;
    std::memmove(window_, window_ + stride_, static_cast<size_t>(filled_) * sizeof(int16_t));
  }
  const int rest = stride_ - used;
  std::memcpy(window_ + filled_, samples + used, static_cast<size_t>(rest) * sizeof(int16_t));
  filled_ += rest;
  return makes_frame;
}

void FeatureProvider::CopyNewest(int frames, int8_t* dst) const {
  int slot = next_ >= frames ? next_ - frames : next_ + memory_.frames - frames;
  for (int age = frames; age > 0; --age, dst += Frontend::kChannels) {
    if (static_cast<uint32_t>(age) > audible_) {
      std::memset(dst, kNoEnergy, Frontend::kChannels);
    } else {
      std::memcpy(dst, Slot(slot), Frontend::kChannels);
    }
    slot = slot + 1 < memory_.frames ? slot + 1 : 0;
  }
}

const int8_t* FeatureProvider::newest() const {
  return Slot(next_ > 0 ? next_ - 1 : memory_.frames - 1);
}

}  // namespace kws
