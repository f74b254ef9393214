// SPDX-License-Identifier: Apache-2.0
// Converts hops of samples to the spectrogram of the newest sound.
#ifndef KWS_PIPELINE_FEATURE_PROVIDER_H_
#define KWS_PIPELINE_FEATURE_PROVIDER_H_

#include <cstdint>

#include "kws/frontend/frontend.h"

namespace kws {

// The caller's memory for the newest frames: `frames` (> 0) times Frontend::kChannels bytes. The
// last `queued` (0..frames - 1) of them are for frames that are computed ahead, see
// Pipeline::Queue.
struct FrameMemory {
  constexpr FrameMemory(int8_t* memory, int count, int ahead = 0)
      : bytes(memory), frames(count), queued(ahead) {}

  int8_t* bytes;
  int frames;
  int queued;
};

// Owns the frontend and the samples of the next window, and keeps a ring of the newest frames in
// the caller's memory, which must outlive it. No heap. One thread; not for interrupt context.
//
// Windows start at the first sample and then every stride, as in a clip that is computed at once: a
// one-second clip of 50 hops yields 49 frames. The stride is a hop (20 ms) or half a hop (10 ms).
// With 20 ms, a frame needs the previous hop and the first half of the newest.
//
// Frames may be computed ahead: what is queued counts only from Take on.
class FeatureProvider {
 public:
  static constexpr int kHopSamples = Frontend::kStrideSamples;

  // `stride_samples` is kHopSamples or half of it; `keep_noise`: see Frontend.
  constexpr FeatureProvider(FrameMemory memory, int stride_samples, bool keep_noise = false)
      : memory_(memory), stride_(stride_samples), frontend_(keep_noise) {}

  // The next hop is the start of a clip.
  void Reset();

  // From now on all frames so far count as silence. The noise estimate and frames() are kept.
  void Silence() { audible_ = 0; }

  // Takes the next stride of samples. Returns true if it completed a frame: every stride does after
  // the first window.
  bool Push(const int16_t* samples) {
    Queue(samples);
    return Take();
  }

  // The two halves of Push: Queue computes the frame, Take makes it the newest. At most
  // FrameMemory::queued strides may wait, and one more that is taken before CopyNewest.
  bool Queue(const int16_t* samples);
  bool Take();

  // Strides that wait, the frames among them, and how many strides may wait.
  int queued() const { return queued_; }
  int queued_frames() const { return queued_frames_; }
  int queue_capacity() const { return memory_.queued; }

  // Frames since the start, at most 2^32 - 1.
  uint32_t frames() const { return frames_; }

  // Maximum number of frames kept.
  int capacity() const { return memory_.frames - memory_.queued; }

  // Copies the newest `frames` (> 0) frames, oldest first, to `dst` of frames x kChannels, without
  // the `skipped` (>= 0) newest ones; both together are at most capacity(). Frames before the start
  // and before Silence() are -128 (no energy).
  void CopyNewest(int frames, int8_t* dst, int skipped = 0) const;

  // The frontend's noise estimates after the last Push or Queue.
  const uint32_t* noise() const { return frontend_.noise(); }

  // The newest frame: kChannels features, valid until the next Push or Queue. frames() must be > 0.
  const int8_t* newest() const;

 private:
  int8_t* Slot(int index) const { return memory_.bytes + index * Frontend::kChannels; }

  FrameMemory memory_;
  int stride_;
  int filled_ = 0;  // number of samples_
  int next_ = 0;    // ring index of the frame after the newest
  int queued_ = 0;
  int queued_frames_ = 0;  // from next_ on; fewer than queued_ if the first window is not full
  uint32_t frames_ = 0;
  uint32_t audible_ = 0;  // frames since Silence()
  Frontend frontend_;
  int16_t samples_[kHopSamples] = {};  // the start of the next window
};

}  // namespace kws

#endif  // KWS_PIPELINE_FEATURE_PROVIDER_H_
