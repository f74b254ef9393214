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
  has_hop_ = false;
  next_ = 0;
  frames_ = 0;
  audible_ = 0;
}

bool FeatureProvider::Push(const int16_t* hop) {
  constexpr int kOverlap = Frontend::kWindowSamples - kHopSamples;
  const bool makes_frame = has_hop_;
  if (makes_frame) {
    std::memcpy(window_ + kHopSamples, hop, kOverlap * sizeof(int16_t));
    frontend_.ProcessFrame(window_, ring_[next_]);
    next_ = next_ + 1 < kFrames ? next_ + 1 : 0;
    if (frames_ < UINT32_MAX) ++frames_;
    if (audible_ < UINT32_MAX) ++audible_;
  }
  std::memcpy(window_, hop, kHopSamples * sizeof(int16_t));
  has_hop_ = true;
  return makes_frame;
}

void FeatureProvider::CopyNewest(int frames, int8_t* dst) const {
  int slot = next_ >= frames ? next_ - frames : next_ + kFrames - frames;
  for (int age = frames; age > 0; --age, dst += sizeof(ring_[0])) {
    if (static_cast<uint32_t>(age) > audible_) {
      std::memset(dst, kNoEnergy, sizeof(ring_[0]));
    } else {
      std::memcpy(dst, ring_[slot], sizeof(ring_[0]));
    }
    slot = slot + 1 < kFrames ? slot + 1 : 0;
  }
}

const int8_t* FeatureProvider::newest() const { return ring_[next_ > 0 ? next_ - 1 : kFrames - 1]; }

}  // namespace kws
