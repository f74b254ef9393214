// SPDX-License-Identifier: Apache-2.0
// Converts hops of samples to the spectrogram of the newest sound.
#ifndef KWS_PIPELINE_FEATURE_PROVIDER_H_
#define KWS_PIPELINE_FEATURE_PROVIDER_H_

#include <cstdint>

#include "kws/frontend/frontend.h"

namespace kws {

// The caller's memory for the newest frames: `frames` (> 0) times Frontend::kChannels bytes.
struct FrameMemory {
  int8_t* bytes;
  int frames;
};

// Owns the frontend and the samples of the next window, and keeps a ring of the newest frames in
// the caller's memory, which must outlive it. No heap. One thread; not for interrupt context.
//
// Windows start at the first sample and then every stride, as in a clip that is computed at once: a
// one-second clip of 50 hops yields 49 frames. The stride is a hop (20 ms) or half a hop (10 ms).
// With 20 ms, a frame needs the previous hop and the first half of the newest.
class FeatureProvider {
 public:
  static constexpr int kHopSamples = Frontend::kStrideSamples;

  // `stride_samples` is kHopSamples or half of it.
  constexpr FeatureProvider(FrameMemory memory, int stride_samples)
      : memory_(memory), stride_(stride_samples) {}

  // The next hop is the start of a clip.
  void Reset();

  // From now on all frames so far count as silence. The noise estimate and frames() are kept.
  void Silence() { audible_ = 0; }

  // Takes the next stride of samples. Returns true if it completed a frame: every stride does after
  // the first window.
  bool Push(const int16_t* samples);

  // Frames since the start, at most 2^32 - 1.
  uint32_t frames() const { return frames_; }

  // Maximum number of frames kept.
  int capacity() const { return memory_.frames; }

  // Copies the newest `frames` (> 0) frames, oldest first, to `dst` of frames x kChannels, without
  // the `skipped` (>= 0) newest ones; both together are at most capacity(). Frames before the start
  // and before Silence() are -128 (no energy).
  void CopyNewest(int frames, int8_t* dst, int skipped = 0) const;

  // The frontend's noise estimates after the newest frame.
  const uint32_t* noise() const { return frontend_.noise(); }

  // The newest frame: kChannels features, valid until the next Push. frames() must be > 0.
  const int8_t* newest() const;

 private:
  int8_t* Slot(int index) const { return memory_.bytes + index * Frontend::kChannels; }

  FrameMemory memory_;
  int stride_;
  int filled_ = 0;  // number of samples_
  int next_ = 0;    // ring index of the next frame
  uint32_t frames_ = 0;
  uint32_t audible_ = 0;  // frames since Silence()
  Frontend frontend_;
  int16_t samples_[kHopSamples] = {};  // the start of the next window
};

}  // namespace kws

#endif  // KWS_PIPELINE_FEATURE_PROVIDER_H_
