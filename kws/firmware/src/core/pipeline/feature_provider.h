// SPDX-License-Identifier: Apache-2.0
// Turns hops of samples into the spectrogram of the newest sound.
#ifndef KWS_PIPELINE_FEATURE_PROVIDER_H_
#define KWS_PIPELINE_FEATURE_PROVIDER_H_

#include <cstdint>

#include "frontend/frontend.h"

namespace kws {

// Where the newest frames are kept: `frames` (> 0) times Frontend::kChannels bytes of the caller's.
struct FrameMemory {
  int8_t* bytes;
  int frames;
};

// Owns the frontend and the samples that the next window needs, and keeps a ring of the newest
// frames in memory of the caller's, which has to outlive it. No heap. To be used from one thread;
// never from an interrupt (a frame takes a while).
//
// Windows start at the first sample and then every stride, as they do when a clip is computed at
// once: after the 50 hops of a one-second clip, the 49 frames are that clip's. Strides are a hop
// (20 ms) or half of one (10 ms). With 20 ms a frame needs the whole hop before the newest one and
// the first half of the newest.
class FeatureProvider {
 public:
  static constexpr int kHopSamples = Frontend::kStrideSamples;

  // `stride_samples` is kHopSamples or half of it.
  constexpr FeatureProvider(FrameMemory memory, int stride_samples)
      : memory_(memory), stride_(stride_samples) {}

  // Forgets all sound: the next hop is the start of a clip.
  void Reset();

  // All frames so far count as silence from now on. The noise estimate runs on, frames() stays.
  void Silence() { audible_ = 0; }

  // Takes the next stride of samples. Returns true if they completed a frame: each stride does,
  // save the first ones after the start, because a window is longer than a stride.
  bool Push(const int16_t* samples);

  // Frames made since the start (it stops counting at 2^32 - 1).
  uint32_t frames() const { return frames_; }

  // How many of them are kept at most.
  int capacity() const { return memory_.frames; }

  // Copies the newest `frames` (1..capacity()) frames, oldest first, into `dst` of frames x
  // kChannels. Frames that were never made, and those before Silence(), are -128 (no energy).
  void CopyNewest(int frames, int8_t* dst) const;

  // The frontend's noise estimates after the newest frame.
  const uint32_t* noise() const { return frontend_.noise(); }

  // The newest frame: kChannels features, valid until the next Push. There must be one.
  const int8_t* newest() const;

 private:
  int8_t* Slot(int index) const { return memory_.bytes + index * Frontend::kChannels; }

  FrameMemory memory_;
  int stride_;
  int filled_ = 0;  // how many there are
  int next_ = 0;    // where in the ring the next frame goes; once full, that is the oldest
  uint32_t frames_ = 0;
  uint32_t audible_ = 0;  // of these, the newest that Silence() did not reach
  Frontend frontend_;
  int16_t samples_[kHopSamples] = {};  // the next window begins with the first
};

}  // namespace kws

#endif  // KWS_PIPELINE_FEATURE_PROVIDER_H_
