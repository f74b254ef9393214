// SPDX-License-Identifier: Apache-2.0
// Detects that only background noise is present, so that inference can be skipped.
#ifndef KWS_GATE_GATE_H_
#define KWS_GATE_GATE_H_

#include <cstdint>

#include "kws/frontend/frontend.h"

namespace kws {

// A frame's level is the mean over channels of log energy, smoothed by the frontend over 0.3 and
// 0.8 s. The noise level is the minimum of the last kBlockFrames to 2 kBlockFrames frames: the gate
// adapts to rising noise within 6 s and to falling noise at once. A frame is loud if its level
// is more than `rise` above the noise level and has risen within kLookBackFrames. The first
// kSettlingFrames frames count as loud.
//
// Integer arithmetic, so that the decision is the same on all targets. No heap; one thread.
class Gate {
 public:
  static constexpr int kBlockFrames = 150;     // 3 s
  static constexpr int kSettlingFrames = 150;  // until the frontend's averages have settled
  static constexpr int kLookBackFrames = 8;    // 0.16 s

  // `rise`: 1..255 tenths of a decibel.
  explicit Gate(int rise) : rise_(rise * kTenth) { Reset(); }

  void Reset();

  // Takes the frontend's kChannels noise estimates after the next frame.
  void Process(const uint32_t* noise);

  // Whether the last `frames` frames exist and none was loud.
  bool IsQuiet(int frames) const { return state_.quiet_frames >= frames; }

 private:
  // Sums over channels of base-2 logarithms with 6 fractional bits. 1.0 is 6.0206 dB.
  static constexpr int kLogBits = 6;
  static constexpr int32_t kTenth = (Frontend::kChannels << kLogBits) * 1000 / 60206;

  struct State {
    int32_t levels[kLookBackFrames];  // ring; the oldest is at `next`
    int next;
    int32_t lowest;         // level in this block
    int32_t lowest_before;  // level in the block before
    int frames_to_block_end;
    int frames_to_settle;
    int quiet_frames;  // since the last loud frame
  };

  static int32_t Level(const uint32_t* noise);

  int32_t rise_;
  State state_;
};

}  // namespace kws

#endif  // KWS_GATE_GATE_H_
