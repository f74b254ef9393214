// SPDX-License-Identifier: Apache-2.0
#include "kws/gate/gate.h"

namespace kws {
namespace {

// Added to each channel's estimate (10 fractional bits), so that inaudible differences, such as a
// converter's last bits, do not change the level.
constexpr uint32_t kInaudible = 16 << 10;

constexpr int kMostQuietFrames = 1 << 30;

}  // namespace

void Gate::Reset() {
  state_ = State();
  state_.lowest = state_.lowest_before = INT32_MAX;
  state_.frames_to_block_end = kBlockFrames;
  state_.frames_to_settle = kSettlingFrames;
}

int32_t Gate::Level(const uint32_t* noise) {
  int32_t level = 0;
  for (int channel = 0; channel < Frontend::kChannels; ++channel) {
    // Halved, so that the sum fits. The logarithm is linear between powers of two.
    const uint32_t value = noise[channel] / 2 + kInaudible / 2;
    const int zeros = __builtin_clz(value);
    level +=
        ((31 - zeros) << kLogBits) + static_cast<int32_t>((value << zeros << 1) >> (32 - kLogBits));
  }
  return level;
}

void Gate::Process(const uint32_t* noise) {
  const int32_t level = Level(noise);
  int32_t& oldest = state_.levels[state_.next];
  const bool rises = level > oldest;
  oldest = level;
  state_.next = state_.next + 1 < kLookBackFrames ? state_.next + 1 : 0;
  if (state_.frames_to_settle > 0) {
    --state_.frames_to_settle;
    return;
  }
  if (state_.frames_to_block_end-- == 0) {
    state_.lowest_before = state_.lowest;
    state_.lowest = INT32_MAX;
    state_.frames_to_block_end = kBlockFrames - 1;
  }
  if (level < state_.lowest) state_.lowest = level;
  const int32_t room = state_.lowest < state_.lowest_before ? state_.lowest : state_.lowest_before;
  if (rises && level > room + rise_) {
    state_.quiet_frames = 0;
  } else if (state_.quiet_frames < kMostQuietFrames) {
    ++state_.quiet_frames;
  }
}

}  // namespace kws
