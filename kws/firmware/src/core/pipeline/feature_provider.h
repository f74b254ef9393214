// SPDX-License-Identifier: Apache-2.0
// Turns hops of samples into the spectrogram of the last second.
#ifndef KWS_PIPELINE_FEATURE_PROVIDER_H_
#define KWS_PIPELINE_FEATURE_PROVIDER_H_

#include <cstdint>

#include "frontend/frontend.h"

namespace kws {

// Owns the frontend, the samples that the next window needs and a ring of the newest frames. No
// heap. To be used from one thread; never from an interrupt (a frame takes a while).
//
// Windows start at the first sample and then every kHopSamples, as they do when a clip is computed
// at once: after the 50 hops of a one-second clip, the spectrogram is that clip's. A frame needs
// the whole hop before the newest one and the first half of the newest.
class FeatureProvider {
 public:
  static constexpr int kHopSamples = Frontend::kStrideSamples;
  static constexpr int kFrames = 49;  // frames in the spectrogram: 30 ms + 48 x 20 ms = 990 ms

  // Forgets all sound: the next hop is the start of a clip.
  void Reset();

  // All frames so far count as silence from now on. The noise estimate runs on, and ready() stays.
  void Silence() { audible_ = 0; }

  // Takes the next kHopSamples samples. Returns true if they completed a frame: each hop does, save
  // the first after the start, because a window is longer than a hop.
  bool Push(const int16_t* hop);

  // Frames made since the start (it stops counting at 2^32 - 1).
  uint32_t frames() const { return frames_; }

  // Whether the last kFrames frames are there.
  bool ready() const { return frames_ >= static_cast<uint32_t>(kFrames); }

  // Copies the newest `frames` (1..kFrames) frames, oldest first, into `dst` of frames x kChannels;
  // kFrames of them are the spectrogram. Frames that were never made, and those before
  // Silence(), are -128 (no energy).
  void CopyNewest(int frames, int8_t* dst) const;

  // The frontend's noise estimates after the newest frame.
  const uint32_t* noise() const { return frontend_.noise(); }

  // The newest frame: kChannels features, valid until the next Push. There must be one.
  const int8_t* newest() const;

 private:
  Frontend frontend_;
  int16_t window_[Frontend::kWindowSamples] = {};  // begins with the last hop
  bool has_hop_ = false;
  int next_ = 0;  // where in the ring the next frame goes; once full, that is the oldest
  uint32_t frames_ = 0;
  uint32_t audible_ = 0;  // of these, the newest that Silence() did not reach
  int8_t ring_[kFrames][Frontend::kChannels] = {};
};

}  // namespace kws

#endif  // KWS_PIPELINE_FEATURE_PROVIDER_H_
