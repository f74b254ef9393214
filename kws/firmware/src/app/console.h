// SPDX-License-Identifier: Apache-2.0
// Commands that a user types on the serial line, to tune a device without building it again:
//   gain N       sets the microphone's gain to N dB; `gain` alone shows it
//   threshold N  every label's score has to exceed N (0 to 255); `threshold` alone shows it
//   threshold LABEL N  the same for one label; without N it shows it
//   reset        gain and thresholds are the bundle's again
//   stats        how the device does
//   level        how loud the last second was
//   scores on    every inference writes the mean scores; `scores off` ends it
//   pcm N        sends what the microphone hears for N seconds, see Diagnostics::SendSamples
//   health       clock, cycles and the cause of the last reset, for `kws selftest`
// With two bundles a label's name means both bundles' label. Where the board has flash for them,
// gain and thresholds last over resets, until the bundle changes.
#ifndef KWS_APP_CONSOLE_H_
#define KWS_APP_CONSOLE_H_

#include <cstddef>
#include <cstdint>

#include "app/diagnostics.h"
#include "boards/audio_provider.h"
#include "app/level_meter.h"
#include "app/settings_store.h"
#include "output.h"
#include "pipeline/pipeline.h"

namespace kws {

// All pointers stay the caller's and must outlive the console.
class Console {
 public:
  static constexpr size_t kMaxCommand = 31;  // characters in a line

  Console(Pipeline* pipeline, const AudioProvider* audio, const LevelMeter* meter,
          Diagnostics* diagnostics, Output* output)
      : pipeline_(pipeline),
        audio_(audio),
        meter_(meter),
        diagnostics_(diagnostics),
        output_(output) {}

  // Call once, after board::Start: sets what was set before the last reset, and writes it as a
  // line: `settings: gain 6 dB, threshold 180`. Nothing was set: no line.
  void Restore();

  // Takes one received character. A line's end (LF, CR or both) runs the command; what it answers
  // is one line: `gain 6 dB`, `threshold 180`, `threshold yes 180` (one label; a list with commas
  // where they differ), `settings: gain -10 dB, threshold 200` (after `reset`), `stats: 500 hops, 0
  // samples lost, 83.2 % idle, 10752 k cycles per second, 0 of 225 inferences skipped, arena 5800
  // bytes, stack 1412 of 8192 bytes` (idle and cycles since the last `stats`), `level: peak 1200,
  // RMS 310, offset -12, 0.0 % clipped`, `scores on`, `pcm: 5 s at 1000000 bit/s`, `health: qemu up
  // 61234 ms, 64000 kHz, hop 31012, inference 1203455 cycles, reset power` (cycles
  // since the last `health`), or one that starts with `error: `.
  void Put(char received);

 private:
  void Run();
  Status Keep();
  void Report(Status kept);
  void Apply(const UserSettings& settings);
  void WriteSettings();
  void WriteThresholds(const char* name);
  void Reset();
  void Gain(const char* argument);
  void Threshold(const char* argument);
  void Stats();
  void ShowLevel();
  void Scores(const char* argument);
  void Pcm(const char* argument);
  void Health();

  Pipeline* pipeline_;
  const AudioProvider* audio_;
  const LevelMeter* meter_;
  Diagnostics* diagnostics_;
  Output* output_;
  SettingsStore store_;
  uint32_t owner_ = 0;     // of the settings in the store: the bundle, and all that is its own
  uint32_t stats_ms_ = 0;  // Milliseconds() and SleepMilliseconds() at the last `stats`
  uint32_t stats_sleep_ms_ = 0;
  size_t length_ = 0;  // kMaxCommand + 1: the line was too long
  char line_[kMaxCommand + 1] = {};
  UserSettings settings_;
  UserSettings bundles_;  // the settings at the start
};

}  // namespace kws

#endif  // KWS_APP_CONSOLE_H_
