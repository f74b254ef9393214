// SPDX-License-Identifier: Apache-2.0
// The audio frontend: 30 ms of sound in, one frame of 40 int8 features out.
//
// Bit-exact with TensorFlow Lite Micro's `audio_preprocessor_int8.tflite`; docs/frontend.md
// explains the stages. Integer arithmetic only: no heap, no libm, no tables built at run time.
#ifndef KWS_FRONTEND_FRONTEND_H_
#define KWS_FRONTEND_FRONTEND_H_

#include <cstdint>

namespace kws {

class Frontend {
 public:
  static constexpr int kSampleRate = 16000;   // Hz, mono int16
  static constexpr int kWindowSamples = 480;  // one frame looks at 30 ms
  static constexpr int kNewestSamples = 160;  // of these, what came last
  static constexpr int kStrideSamples = 320;  // frames start 20 ms apart
  static constexpr int kChannels = 40;        // features in a frame
  static constexpr int8_t kNoEnergy = -128;   // the feature of a channel without any signal
  static constexpr int kFftSize = 512;        // the window, padded with zeros

  // Forgets the noise estimate: what follows is the start of a clip. A new Frontend is in this
  // state.
  void Reset();

  // Computes one frame. The window is given in two parts, so that nobody has to put them side by
  // side: `newest` holds its last kNewestSamples samples, `before` those before them, both oldest
  // first. They are only read; `out` receives kChannels features, lowest frequency first. The noise
  // estimate runs on from frame to frame, so frames must come in order, kStrideSamples apart. Not
  // reentrant for one object.
  void ProcessFrame(const int16_t* before, const int16_t* newest, int8_t* out);

  // The same with both parts side by side: kWindowSamples samples.
  void ProcessFrame(const int16_t* window, int8_t* out) {
    ProcessFrame(window, window + kWindowSamples - kNewestSamples, out);
  }

  // The noise estimate of each of the kChannels channels: its amplitude, smoothed over 0.8 s in
  // even channels and 0.3 s in odd ones. 10 fractional bits; 0 before the first frame.
  const uint32_t* noise() const { return noise_; }

 private:
  uint32_t noise_[kChannels] = {};    // noise estimate, 10 fractional bits
  uint32_t work_[kFftSize / 2] = {};  // within a frame: complex samples, then spectral energies
};

}  // namespace kws

#endif  // KWS_FRONTEND_FRONTEND_H_
