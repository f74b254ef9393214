// SPDX-License-Identifier: Apache-2.0
// The audio frontend: from 30 ms of sound to one frame of 40 int8 features.
//
// By default bit-exact with TensorFlow Lite Micro's `audio_preprocessor_int8.tflite`, which removes
// noise and levels the gain; a model may have learned with the noise kept instead. docs/frontend.md
// explains the stages. Integer arithmetic only: no heap, no libm, no tables built at run time.
#ifndef KWS_FRONTEND_FRONTEND_H_
#define KWS_FRONTEND_FRONTEND_H_

#include <cstdint>

namespace kws {

class Frontend {
 public:
  static constexpr int kSampleRate = 16000;   // Hz, mono int16
  static constexpr int kWindowSamples = 480;  // 30 ms
  static constexpr int kNewestSamples = 160;  // the `newest` part of the window
  static constexpr int kStrideSamples = 320;  // 20 ms between frames
  static constexpr int kChannels = 40;        // features in a frame
  static constexpr int8_t kNoEnergy = -128;   // the feature of a channel without signal
  static constexpr int kFftSize = 512;        // the window, padded with zeros

  // `keep_noise`: a feature is the logarithm of a channel's amplitude, in steps of 0.54 dB,
  // without noise removal and gain.
  constexpr explicit Frontend(bool keep_noise = false) : keep_noise_(keep_noise) {}

  // Clears the noise estimate at the start of a clip, which restores the state of a new Frontend.
  void Reset();

  // Computes one frame: kChannels features, lowest frequency first. The window has two parts, both
  // oldest first: `newest` holds its last kNewestSamples samples, `before` the samples before them.
  // The noise estimate depends on all earlier frames: call it in order, every kStrideSamples. Not
  // reentrant.
  void ProcessFrame(const int16_t* before, const int16_t* newest, int8_t* out);

  // The same with one window of kWindowSamples samples.
  void ProcessFrame(const int16_t* window, int8_t* out) {
    ProcessFrame(window, window + kWindowSamples - kNewestSamples, out);
  }

  // The same as TFLM's microfrontend in C computes it, whether or not this Frontend keeps the
  // noise: 64 times the natural logarithm of each channel, 0 or more. A feature is (256 x value +
  // 333) / 666 - 128, at most 127; a few in a thousand differ from those above, because filter
  // weights are rounded here and truncated there.
  void ProcessFrame(const int16_t* window, uint16_t* out);

  // The noise estimate of each of the kChannels channels: its amplitude, smoothed over 0.8 s in
  // even channels and 0.3 s in odd ones. 10 fractional bits; 0 before the first frame.
  const uint32_t* noise() const { return noise_; }

 private:
  bool keep_noise_;
  uint32_t noise_[kChannels] = {};    // noise estimate, 10 fractional bits
  uint32_t work_[kFftSize / 2] = {};  // within a frame: complex samples, then spectral energies
};

}  // namespace kws

#endif  // KWS_FRONTEND_FRONTEND_H_
