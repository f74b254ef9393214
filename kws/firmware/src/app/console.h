// SPDX-License-Identifier: Apache-2.0
// Commands on the serial port, one per line, and their answers (formats: serial_lines.h):
//   gain [N]               sets or shows the microphone's gain, dB    gain 6 dB
//   threshold [N]          of all labels, 0 to 255                    threshold 180
//   threshold LABEL [N]    of one label (in both bundles)             threshold yes 180
//   reset                  restores the bundle's gain and thresholds  settings: gain -10 dB, ...
//   stats                  load since the last `stats`                lines::kStats
//   level                  loudness of the last second                lines::kLevel
//   scores [on|off]        mean scores after each inference           scores on
//   pcm N                  microphone samples for N seconds           lines::kPcmBegin
//   health                 for `kws selftest`                         lines::kHealth
// A wrong command is answered with an `error: ` line. If the board has flash for settings, gain and
// thresholds are kept across resets until the bundle changes.
#ifndef KWS_APP_CONSOLE_H_
#define KWS_APP_CONSOLE_H_

#include <cstddef>
#include <cstdint>

#include "app/diagnostics.h"
#include "app/level_meter.h"
#include "app/settings_store.h"
#include "boards/audio_provider.h"
#include "kws/pipeline/pipeline.h"
#include "serial/text.h"

namespace kws {

// The caller owns all pointers, which must outlive the console.
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

  // Call once, after board::Start. Restores the settings from before the last reset; if there are
  // any, writes them: `settings: gain 6 dB, threshold 180`.
  void Restore();

  // Takes one received character. LF, CR or both end a line and run the command.
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
  uint32_t owner_ = 0;     // hash of the bundle and its default settings
  uint32_t stats_ms_ = 0;  // Milliseconds() and SleepMilliseconds() at the last `stats`
  uint32_t stats_sleep_ms_ = 0;
  size_t length_ = 0;  // kMaxCommand + 1: the line is too long
  char line_[kMaxCommand + 1];
  UserSettings settings_ = {};
  UserSettings bundles_;  // the default settings
};

}  // namespace kws

#endif  // KWS_APP_CONSOLE_H_
