// SPDX-License-Identifier: Apache-2.0
// Notices that nothing but the room's own noise is heard, so that the model can rest.
#ifndef KWS_GATE_GATE_H_
#define KWS_GATE_GATE_H_

#include <cstdint>

#include "frontend/frontend.h"

namespace kws {

// The level of a frame is the mean, over the channels, of the logarithm of the energies that the
// frontend has smoothed over 0.3 and 0.8 s. The room's noise is the lowest level of the last
// kBlockFrames to 2 kBlockFrames frames. So the gate follows a fan that is switched on within 6 s,
// and one that is switched off at once. A frame is loud if its level is more than `rise` above the
// noise and has risen within kLookBackFrames: what only dies away in the averages is no new sound.
// The first kSettlingFrames frames are loud too, since the noise is not known yet.
//
// Whole numbers alone, so that all targets decide alike. No heap; one thread.
class Gate {
 public:
  static constexpr int kBlockFrames = 150;     // 3 s
  static constexpr int kSettlingFrames = 150;  // the frontend's averages have to settle first
  static constexpr int kLookBackFrames = 8;    // 0.16 s

  // `rise`: 1..255 tenths of a decibel.
  explicit constexpr Gate(int rise) : rise_(rise * kTenth) {}

  // Nothing was heard yet.
  void Reset() { state_ = State(); }

  // Takes the frontend's kChannels noise estimates after the next frame.
  void Process(const uint32_t* noise);

  // Whether there were `frames` frames or more, and none of the last `frames` was loud.
  bool IsQuiet(int frames) const { return state_.quiet_frames >= frames; }

 private:
  // Logarithms to base 2 with 6 fractional bits, added up over the channels. One is 6.0206 dB.
  static constexpr int kLogBits = 6;
  static constexpr int32_t kTenth = (Frontend::kChannels << kLogBits) * 1000 / 60206;

  struct State {
    int32_t levels[kLookBackFrames] = {};  // of the last frames; the oldest is at `next`
    int next = 0;
    int32_t lowest = INT32_MAX;         // level in this block
    int32_t lowest_before = INT32_MAX;  // level in the block before
    int frames_to_block_end = kBlockFrames;
    int frames_to_settle = kSettlingFrames;
    int quiet_frames = 0;  // since the last loud frame
  };

  static int32_t Level(const uint32_t* noise);

  int32_t rise_;
  State state_;
};

}  // namespace kws

#endif  // KWS_GATE_GATE_H_
