// SPDX-License-Identifier: Apache-2.0
// Hears words: push samples, get detections. `kws export` writes the bundle, here yes_no.h.
//
//   #include "kws/spotter.h"
//   #include "yes_no.h"
//
//   alignas(16) static uint8_t memory[kws::bundle_yes_no_bytes];
//   static kws::Spotter spotter(kws::bundle_yes_no, memory, sizeof(memory));
//
//   spotter.Start();
//   spotter.Push(samples, count, [](const kws::Detection& hit) {
//     printf("%s %d @%u ms\n", spotter.label(hit.label), hit.score, hit.time_ms);
//   });
//
// C++11, no heap, no operating system, no floating point after Start. The same samples give the
// same detections on every machine, however they are split.
#ifndef KWS_SPOTTER_H_
#define KWS_SPOTTER_H_

#include <cstddef>
#include <cstdint>

#include "kws/detection.h"
#include "kws/gate/gate.h"
#include "kws/pipeline/mismatch.h"
#include "kws/pipeline/pipeline.h"
#include "kws/pipeline/second_look.h"
#include "kws/runtime/compiled_model.h"
#include "kws/runtime/interpreted_model.h"
#include "kws/runtime/model_runner.h"
#include "kws/status.h"

namespace kws {

// A model with its labels and settings, in a generated file. All pointers have static storage.
struct Bundle {
  // Constructs the model's runner at `place`, of `runner_bytes` aligned to 16.
  using MakeRunner = ModelRunner* (*)(void* place, uint8_t* arena, size_t arena_bytes);
  // The same for a second look, of `look_bytes`.
  using MakeLook = KeywordCheck* (*)(void* place, uint8_t* arena, size_t arena_bytes);

  constexpr Bundle(const PipelineConfig& settings, int rise, int frames, size_t arena,
                   size_t runner, MakeRunner make, size_t look = 0, MakeLook second = nullptr)
      : config(settings),
        gate_rise(rise),
        kept_frames(frames),
        arena_bytes(arena),
        runner_bytes(runner),
        make_runner(make),
        look_bytes(look),
        make_look(second) {}

  // Bytes of a Spotter's memory.
  constexpr size_t bytes() const {
    return BytesFor(arena_bytes, runner_bytes, kept_frames, look_bytes);
  }
  static constexpr size_t BytesFor(size_t arena, size_t runner, int frames, size_t look = 0) {
    return Rounded(arena) + Rounded(runner) + Rounded(look) +
           static_cast<size_t>(frames * Frontend::kChannels);
  }
  static constexpr size_t Rounded(size_t bytes) { return (bytes + 15) / 16 * 16; }

  PipelineConfig config;
  int gate_rise;  // Gate's argument; 0: no gate
  int kept_frames;
  size_t arena_bytes;
  size_t runner_bytes;
  MakeRunner make_runner;
  size_t look_bytes;   // 0: no second look
  MakeLook make_look;  // or null
};

// A second look with its model and its arena, or without one if it uses the first model's.
template <size_t kOwnArenaBytes>
class CompiledLook {
 public:
  CompiledLook(const CompiledModel& model, const SecondLookSettings& settings,
               const uint8_t* output_order, uint8_t* arena, size_t arena_bytes)
      : runner_(model, kOwnArenaBytes > 0 ? own_ : arena,
                kOwnArenaBytes > 0 ? sizeof(own_) : arena_bytes),
        look_(&runner_, settings, output_order, kOwnArenaBytes == 0) {}
  KeywordCheck* look() { return &look_; }

 private:
  alignas(16) uint8_t own_[kOwnArenaBytes > 0 ? kOwnArenaBytes : 1];
  CompiledRunner runner_;
  SecondLook look_;
};

// Not for interrupt context: an inference takes milliseconds. One thread.
class Spotter {
 public:
  static constexpr int kSampleRate = Frontend::kSampleRate;  // Hz

  // `memory`: bundle.bytes() or more, aligned to 16. Both must outlive the spotter.
  Spotter(const Bundle& bundle, void* memory, size_t bytes);
  Spotter(const Spotter&) = delete;
  Spotter& operator=(const Spotter&) = delete;

  // Call it once, before Push. kArenaTooSmall: too little memory, or not aligned; kBadArgument:
  // mismatch() says why.
  Status Start();

  // Takes samples (16 kHz, mono) up to the first detection, and returns how many. `hit->label` is
  // Detection::kNothing if there is none. After an error, which status() keeps, it takes all.
  size_t Push(const int16_t* samples, size_t count, Detection* hit);

  // Takes all samples and calls heard(const Detection&) for each detection.
  template <typename Heard>
  Status Push(const int16_t* samples, size_t count, const Heard& heard) {
    while (count > 0) {
      Detection hit;
      const size_t used = Push(samples, count, &hit);
      if (hit.label != Detection::kNothing) heard(hit);
      if (status_ != Status::kOk) return status_;
      samples += used;
      count -= used;
    }
    return status_;
  }

  // Restores the state after Start, except the thresholds: the next sample is the first.
  Status Reset();

  Status status() const { return status_; }
  Mismatch mismatch() const { return pipeline_.mismatch(); }

  int label_count() const { return pipeline_.label_count(); }
  const char* label(int index) const { return pipeline_.label(index); }

  // A label's mean score has to exceed its threshold, 0..255; 255: it is never reported.
  uint8_t threshold(int label) const { return pipeline_.threshold(label); }
  void SetThreshold(int label, uint8_t threshold) { pipeline_.SetThreshold(label, threshold); }

  // The mean score of a label after the last Push, 0..255.
  uint8_t MeanScore(int label) const { return pipeline_.MeanScore(label); }

  // Bytes of the arena that the model uses.
  size_t arena_used_bytes() const { return pipeline_.arena_used_bytes(); }

 private:
  struct Parts {
    ModelRunner* runner;
    FrameMemory frames;
    KeywordCheck* look;
  };
  static Parts Divide(const Bundle& bundle, void* memory, size_t bytes);

  Spotter(const Bundle& bundle, const Parts& parts);

  bool has_gate_;
  Status status_ = Status::kNotAllocated;
  int filled_ = 0;  // number of hop_
  Gate gate_;
  Pipeline pipeline_;
  int16_t hop_[Frontend::kStrideSamples];
};

}  // namespace kws

#endif  // KWS_SPOTTER_H_
