// SPDX-License-Identifier: Apache-2.0
// The firmware's main loop: from the board's microphone through the pipeline to its serial port.
// model_data.h, model_settings.h and op_resolver.h are generated from the built-in bundle, the
// folder then/ from a second bundle for commands after a wake word.
#include "app/console.h"
#include "app/diagnostics.h"
#include "app/level_meter.h"
#include "boards/audio_ring.h"
#include "boards/board.h"
#include "kws/bundle_config.h"
#include "kws/gate/gate.h"
#include "kws/output.h"
#include "kws/pipeline/pipeline.h"
#include "kws/serial_lines.h"
#include "model_settings.h"
#ifdef KWS_COMPILED
#include "compiled_model.h"
#else
#include "kws/runtime/model/model.h"
#include "model_data.h"
#include "op_resolver.h"
#endif
#if __has_include("then/commands.h")
#define KWS_HAS_COMMANDS
#include "then/commands.h"
#ifdef KWS_COMPILED
#include "then/compiled_model.h"
#else
#include "then/model_data.h"
#include "then/op_resolver.h"
#endif
#endif
#if __has_include("pins.h")
#define KWS_HAS_PINS
#include "pins.h"
#endif

namespace {

namespace board = kws::board;
namespace settings = kws::settings;

class BoardOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { board::Write(text, size); }
  void SetLed(int label) override { board::SetLed(label); }
};

// The microphone delivers a hop every 20 ms; after this time without a hop it counts as broken.
constexpr uint32_t kNoSamplesMs = 1000;

// The minimum time between reports of lost samples, since reports take time too.
constexpr uint32_t kLostReportMs = 1000;

#ifdef KWS_HAS_COMMANDS
// One bundle is active at a time, so both share the arena.
constexpr size_t kArenaBytes = settings::kArenaBytes > kws::commands::kArenaBytes
                                   ? settings::kArenaBytes
                                   : kws::commands::kArenaBytes;
constexpr int kKeptFrames = settings::kInputFrames > kws::commands::kInputFrames
                                ? settings::kInputFrames
                                : kws::commands::kInputFrames;
#else
constexpr size_t kArenaBytes = settings::kArenaBytes;
constexpr int kKeptFrames = settings::kInputFrames;
#endif

alignas(16) uint8_t arena[kArenaBytes];
int8_t frames[kKeptFrames * kws::Frontend::kChannels];
kws::AudioRing audio;
kws::LevelMeter meter;

}  // namespace

// Never returns. Only large objects are static, because the guard of a static object needs flash.
int main() {
  board::Init();
  static BoardOutput output;
#ifdef KWS_COMPILED
  static constexpr kws::Network network{settings::kCompiledModel};
#else
  const kws::Model model = kws::GetModel(g_model);
  settings::ModelOpResolver resolver;
  const kws::Network network{model, resolver};
#endif
  static constexpr kws::PipelineConfig config = kws::BundleConfig(KWS_VERSION, board::kName);
  static kws::Pipeline pipeline(config, network, arena, sizeof(arena), {frames, kKeptFrames},
                                &output);

#ifdef KWS_HAS_COMMANDS
#ifdef KWS_COMPILED
  static constexpr kws::Network commands_network{kws::commands::kCompiledModel};
#else
  const kws::Model commands_model = kws::GetModel(g_commands_model);
  kws::commands::ModelOpResolver commands_resolver;
  const kws::Network commands_network{commands_model, commands_resolver};
#endif
  kws::Commands commands = {kws::commands::kConfig, commands_network, kws::commands::kListenMs, {}};
  pipeline.UseCommands(&commands);
#endif

  if constexpr (settings::kGateRise > 0) {
    static kws::Gate gate(settings::kGateRise);
    pipeline.UseGate(&gate);
  }

#ifdef KWS_HAS_PINS
  static kws::PinPulses pulses(kws::kLabelPins, sizeof(kws::kLabelPins) / sizeof(kws::LabelPin));
  pulses.Start();
#endif

  kws::Diagnostics diagnostics(&pipeline, &audio, &output);
  kws::Console console(&pipeline, &audio, &meter, &diagnostics, &output);

  if (pipeline.Start() != kws::Status::kOk) board::Halt(board::Fault::kModel);
  if (board::Start(&audio) != kws::Status::kOk) {
    kws::WriteText(&output, kws::lines::kNoStart);
    board::Halt(board::Fault::kMicrophone);
  }
  console.Restore();
  uint32_t last_hop_ms = board::Milliseconds();
  uint32_t lost_report_ms = last_hop_ms - kLostReportMs;
  for (;;) {
    int16_t hop[kws::AudioRing::kHopSamples];
    // One hop per round, so that a target that does not keep up still reports losses and answers.
    const bool heard = audio.PopHop(hop);
    if (heard) {
      meter.Add(hop, kws::AudioRing::kHopSamples);
      if (diagnostics.ProcessHop(hop) != kws::Status::kOk) board::Halt(board::Fault::kModel);
#ifdef KWS_HAS_PINS
      if (pipeline.heard() != kws::Responder::kNothing) {
        pulses.Hear(pipeline.label(pipeline.heard()), board::Milliseconds());
      }
#endif
      board::FeedWatchdog();
      last_hop_ms = board::Milliseconds();
    }
    if (board::Milliseconds() - lost_report_ms >= kLostReportMs) {
      const uint32_t lost = audio.TakeLost();
      if (lost > 0) {
        pipeline.ReportLost(lost);
        lost_report_ms = board::Milliseconds();
      }
    }
    if (board::Milliseconds() - last_hop_ms > kNoSamplesMs) {
      kws::WriteText(&output, kws::lines::kNoSamples);
      board::Halt(board::Fault::kMicrophone);
    }
#ifdef KWS_HAS_PINS
    pulses.Tick(board::Milliseconds());
#endif
    char received;
    while (board::Read(&received, 1) > 0) console.Put(received);
    if (!heard) board::Sleep();
  }
}
