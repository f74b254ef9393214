// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/feature_provider.h"

#include <cstddef>
#include <cstring>

namespace kws {
namespace {

constexpr int kKept = FeatureProvider::kHopSamples;  // samples: one or two strides
static_assert(kKept + Frontend::kNewestSamples == Frontend::kWindowSamples,
              "a window is the kept samples and the first new ones");

}  // namespace

void FeatureProvider::Reset() {
  frontend_.Reset();
  filled_ = 0;
  next_ = 0;
  queued_ = 0;
  queued_frames_ = 0;
  frames_ = 0;
  audible_ = 0;
}

bool FeatureProvider::Queue(const int16_t* samples) {
  const bool whole = filled_ == kKept;
  if (whole) {
    const int slot = next_ + queued_frames_++;
    frontend_.ProcessFrame(samples_, samples,
                           Slot(slot < memory_.frames ? slot : slot - memory_.frames));
    filled_ -= stride_;
    if (filled_ != 0) std::memcpy(samples_, samples_ + kKept / 2, kKept / 2 * sizeof(int16_t));
  }
  std::memcpy(samples_ + filled_, samples, static_cast<size_t>(stride_) * sizeof(int16_t));
  filled_ += stride_;
  ++queued_;
  return whole;
}

bool FeatureProvider::Take() {
  const bool has_frame = queued_frames_ == queued_;
  --queued_;
  if (!has_frame) return false;
  --queued_frames_;
  next_ = next_ + 1 < memory_.frames ? next_ + 1 : 0;
  if (frames_ < UINT32_MAX) ++frames_;
  if (audible_ < UINT32_MAX) ++audible_;
  return true;
}

void FeatureProvider::CopyNewest(int frames, int8_t* dst, int skipped) const {
  const int oldest = frames + skipped;
  int slot = next_ >= oldest ? next_ - oldest : next_ + memory_.frames - oldest;
  for (int age = oldest; age > skipped; --age, dst += Frontend::kChannels) {
    if (static_cast<uint32_t>(age) > audible_) {
      std::memset(dst, Frontend::kNoEnergy, Frontend::kChannels);
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
