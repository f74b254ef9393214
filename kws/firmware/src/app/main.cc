// SPDX-License-Identifier: Apache-2.0
// The firmware's main loop: from the board's microphone through the pipeline to its serial port.
// model_data.h, model_settings.h and op_resolver.h are generated from the built-in bundle, the
// folder then/ from a second bundle for commands after a wake word.
#include <new>

#include "app/bundle_config.h"
#include "app/console.h"
#include "app/diagnostics.h"
#include "app/level_meter.h"
#include "app/status_led.h"
#include "boards/audio_ring.h"
#include "boards/board.h"
#include "kws/gate/gate.h"
#include "kws/pipeline/pipeline.h"
#include "model_settings.h"
#include "serial/lines.h"
#include "serial/responder.h"
#include "serial/text.h"
#ifdef KWS_COMPILED
#include "compiled_model.h"
#else
#include "kws/runtime/micro_interpreter.h"
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
#if __has_include("look/second_look.h")
#define KWS_HAS_LOOK
#include "look/second_look.h"
#endif
#if __has_include("then/look/second_look.h")
#define KWS_HAS_COMMANDS_LOOK
#include "then/look/second_look.h"
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
};

// The microphone delivers a hop every 20 ms; after this time without a hop it counts as broken.
constexpr uint32_t kNoSamplesMs = 1000;

// The minimum time between reports of lost samples, since reports take time too.
constexpr uint32_t kLostReportMs = 1000;

// The maximum time until commands are read. A board that does not keep up reads them then.
constexpr uint32_t kReadLateMs = 1000;

constexpr size_t Larger(size_t a, size_t b) { return a > b ? a : b; }

// One model runs at a time, so they share the arena. The second look of a streaming model has its
// own, because the first model keeps its state there.
constexpr size_t ArenaBytes() {
  size_t bytes = settings::kArenaBytes;
#ifdef KWS_HAS_LOOK
  if (kws::settings_look::kSharesArena) bytes = Larger(bytes, kws::settings_look::kArenaBytes);
#endif
#ifdef KWS_HAS_COMMANDS
  bytes = Larger(bytes, kws::commands::kArenaBytes);
#endif
#ifdef KWS_HAS_COMMANDS_LOOK
  if (kws::commands_look::kSharesArena) bytes = Larger(bytes, kws::commands_look::kArenaBytes);
#endif
  return bytes;
}

constexpr int KeptFrames() {
  size_t frames = settings::kInputFrames;
#ifdef KWS_HAS_LOOK
  frames = Larger(frames, kws::settings_look::kKeptFrames);
#endif
#ifdef KWS_HAS_COMMANDS
  frames = Larger(frames, kws::commands::kInputFrames);
#endif
#ifdef KWS_HAS_COMMANDS_LOOK
  frames = Larger(frames, kws::commands_look::kKeptFrames);
#endif
  return static_cast<int>(frames);
}

// Hops whose frames may wait while a second look runs: 640 ms. real_time.py knows it.
#if defined(KWS_HAS_LOOK) || defined(KWS_HAS_COMMANDS_LOOK)
constexpr int kQueuedHops = 32;
#else
constexpr int kQueuedHops = 0;
#endif

constexpr size_t kArenaBytes = ArenaBytes();
constexpr int kQueuedFrames = kQueuedHops * kws::AudioRing::kHopSamples / settings::kStrideSamples;
constexpr int kKeptFrames = KeptFrames() + kQueuedFrames;

alignas(16) uint8_t arena[kArenaBytes];
int8_t frames[kKeptFrames * kws::Frontend::kChannels];
kws::AudioRing audio;
kws::LevelMeter meter;

#if defined(KWS_HAS_LOOK) || defined(KWS_HAS_COMMANDS_LOOK)
// A second look's model in the shared arena, or in its own.
template <typename Runner, bool kSharesArena, size_t kBytes>
kws::ModelRunner* LookRunner() {
  alignas(Runner) static uint8_t place[sizeof(Runner)];
  uint8_t* memory = arena;
  size_t bytes = sizeof(arena);
  if constexpr (!kSharesArena) {
    alignas(16) static uint8_t own[kBytes];
    memory = own;
    bytes = sizeof(own);
  }
  return (new (place) Runner(memory, bytes))->runner();
}
#endif

// Computes the features of the microphone's samples while a second look runs.
class Listening final : public kws::BackgroundTask {
 public:
  explicit Listening(kws::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}
  void Run() override {
    int16_t hop[kws::AudioRing::kHopSamples];
    while (diagnostics_->HasRoom() && audio.PopHop(hop)) {
      meter.Add(hop, kws::AudioRing::kHopSamples);
      diagnostics_->Queue(hop);
    }
  }

 private:
  kws::Diagnostics* diagnostics_;
};

}  // namespace

// Never returns. Only large objects are static. They are constructed in place, because the guard of
// a static object needs flash.
int main() {
  board::Init();
  static BoardOutput output;
#ifdef KWS_COMPILED
  kws::CompiledRunner runner(settings::kCompiledModel, arena, sizeof(arena));
#else
  const kws::Model model = kws::GetModel(g_model);
  settings::ModelOpResolver resolver;
  kws::MicroInterpreter runner(model, resolver, arena, sizeof(arena));
#endif
  static constexpr kws::PipelineConfig config = kws::BundleConfig();
  alignas(kws::Pipeline) static uint8_t pipeline_place[sizeof(kws::Pipeline)];
  kws::Pipeline& pipeline =
      *new (pipeline_place) kws::Pipeline(config, &runner, {frames, kKeptFrames, kQueuedFrames});

  kws::Responder responder(&pipeline, &output, KWS_VERSION, board::kName, sizeof(arena));
  kws::Diagnostics diagnostics(&pipeline, &responder, &audio, &output);
  Listening listening(&diagnostics);

#ifdef KWS_HAS_COMMANDS
#ifdef KWS_COMPILED
  kws::CompiledRunner commands_runner(kws::commands::kCompiledModel, arena, sizeof(arena));
#else
  const kws::Model commands_model = kws::GetModel(g_commands_model);
  kws::commands::ModelOpResolver commands_resolver;
  kws::MicroInterpreter commands_runner(commands_model, commands_resolver, arena, sizeof(arena));
#endif
  kws::Commands commands = {kws::commands::kConfig, &commands_runner, kws::commands::kListenMs, {}};
  pipeline.UseCommands(&commands);
  responder.UseCommands();
#endif

#ifdef KWS_HAS_LOOK
  namespace look = kws::settings_look;
  kws::SecondLook second(LookRunner<look::Runner, look::kSharesArena, look::kArenaBytes>(),
                         look::kSettings, look::kOutputOrder, look::kSharesArena);
  second.UseBackgroundTask(&listening);
  pipeline.UseSecondLook(0, &second);
#endif
#ifdef KWS_HAS_COMMANDS_LOOK
  namespace then_look = kws::commands_look;
  kws::SecondLook then_second(
      LookRunner<then_look::Runner, then_look::kSharesArena, then_look::kArenaBytes>(),
      then_look::kSettings, then_look::kOutputOrder, then_look::kSharesArena);
  then_second.UseBackgroundTask(&listening);
  pipeline.UseSecondLook(1, &then_second);
#endif

  if constexpr (settings::kGateRise > 0) {
    alignas(kws::Gate) static uint8_t gate_place[sizeof(kws::Gate)];
    pipeline.UseGate(new (gate_place) kws::Gate(settings::kGateRise));
  }

#ifdef KWS_HAS_PINS
  static kws::PinPulses pulses(kws::kLabelPins, sizeof(kws::kLabelPins) / sizeof(kws::LabelPin));
  pulses.Start();
#endif

  kws::StatusLed led(board::SetLed);
  kws::Console console(&pipeline, &audio, &meter, &diagnostics, &output);

  if (responder.AfterStart(pipeline.Start()) != kws::Status::kOk) board::Halt(board::Fault::kModel);
  led.Reset();
  if (board::Start(&audio) != kws::Status::kOk) {
    kws::WriteText(&output, kws::lines::kNoStart);
    board::Halt(board::Fault::kMicrophone);
  }
  console.Restore();
  uint32_t last_hop_ms = board::Milliseconds();
  uint32_t lost_report_ms = last_hop_ms - kLostReportMs;
  uint32_t read_ms = last_hop_ms;
  for (;;) {
    int16_t hop[kws::AudioRing::kHopSamples];
    // One hop per round, so that a target that does not keep up still reports losses and answers.
    const bool waits = kQueuedHops > 0 && pipeline.queued() > 0;
    if (waits) listening.Run();
    const bool heard = waits || audio.PopHop(hop);
    if (heard) {
      if (!waits) meter.Add(hop, kws::AudioRing::kHopSamples);
      const kws::Status status = waits ? diagnostics.ProcessQueued() : diagnostics.ProcessHop(hop);
      if (status != kws::Status::kOk) board::Halt(board::Fault::kModel);
      last_hop_ms = board::Milliseconds();
      led.AfterHop(pipeline, last_hop_ms);
#ifdef KWS_HAS_PINS
      const int heard_label = pipeline.detection().label;
      if (heard_label != kws::Detection::kNothing) {
        pulses.Hear(pipeline.label(heard_label), last_hop_ms);
      }
#endif
      board::FeedWatchdog();
    }
    if (board::Milliseconds() - lost_report_ms >= kLostReportMs) {
      const uint32_t lost = audio.TakeLost();
      if (lost > 0) {
        responder.WriteLost(lost);
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
    // A command takes effect after the hops that wait, unless they wait all the time.
    const bool is_late = board::Milliseconds() - read_ms > kReadLateMs;
    if (kQueuedHops > 0 && pipeline.queued() > 0 && !is_late) continue;
    read_ms = board::Milliseconds();
    char received;
    while (board::Read(&received, 1) > 0) console.Put(received);
    if (!heard) board::Sleep();
  }
}
