// SPDX-License-Identifier: Apache-2.0
// The C++ core for a browser: browser_core.py compiles it to WebAssembly without imports, and
// site/core.js calls it. Models are loaded at run time, so that one kws.wasm runs every bundle;
// with KWS_COMPILED, compiled models are built in.
//
// No heap: the caller owns the memory from kws_memory() on and grows it for models, arena and
// names. Arguments of kws_bundle, kws_second_look and kws_start must stay valid until the next
// kws_bundle. One thread.
#include <cstddef>
#include <cstdint>
#include <new>

#include "kws/frontend/frontend.h"
#include "kws/pipeline/near_misses.h"
#include "kws/pipeline/pipeline.h"
#include "kws/pipeline/second_look.h"
#include "serial/responder.h"
#include "serial/text.h"
#ifdef KWS_COMPILED
#include "compiled_model.h"
#if __has_include("then/compiled_model.h")
#define KWS_HAS_COMMANDS
#include "then/compiled_model.h"
#endif
#if __has_include("look/compiled_model.h")
#define KWS_HAS_LOOK
#include "look/compiled_model.h"
#endif
#if __has_include("then/look/compiled_model.h")
#define KWS_HAS_COMMANDS_LOOK
#include "then/look/compiled_model.h"
#elif __has_include("then/look/second_look.h")
#define KWS_SHARES_LOOK  // the first bundle's has the same model
#endif
#else
#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/op_resolver.h"
#endif

extern "C" uint8_t __heap_base;  // set by the linker: the first byte after data and stack

namespace {

constexpr int kMaxText = 512;  // longest: two boot lines with names of 32 bytes, or an error line
constexpr int kMaxBundles = 2;
constexpr int kMaxModels = 2 * kMaxBundles;  // of the bundles, then of their second looks

// Collects the text of the serial port. Text that does not fit is cut.
class PageOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override {
    for (size_t i = 0; i < size && size_ < kMaxText; ++i) text_[size_++] = text[i];
  }
  const char* text() const { return text_; }
  int size() const { return size_; }
  void ClearText() { size_ = 0; }

 private:
  char text_[kMaxText];
  int size_ = 0;
};

// Storage for a T that is constructed repeatedly, without a heap or a static constructor.
template <typename T>
class Place {
 public:
  template <typename... Arguments>
  T* Make(Arguments&&... arguments) {
    return new (bytes_) T(static_cast<Arguments&&>(arguments)...);
  }

 private:
  alignas(T) uint8_t bytes_[sizeof(T)];
};

// The arguments of kws_bundle.
struct Part {
  kws::PipelineConfig config;
  const char* labels[kws::Recognizer::kMaxLabels];
  bool is_set;
  int32_t gate_rise;
  // The arguments of kws_second_look.
  bool has_look;
  kws::SecondLookSettings look;
  const uint8_t* look_order;
  uint8_t* look_arena;  // null: shared
  size_t look_arena_bytes;
};

Part g_parts[kMaxBundles];

#ifdef KWS_COMPILED
constexpr const kws::CompiledModel* kModels[kMaxModels] = {
    &kws::settings::kCompiledModel,
#ifdef KWS_HAS_COMMANDS
    &kws::commands::kCompiledModel,
#else
    nullptr,
#endif
#ifdef KWS_HAS_LOOK
    &kws::settings_look::kCompiledModel,
#else
    nullptr,
#endif
#if defined(KWS_HAS_COMMANDS_LOOK)
    &kws::commands_look::kCompiledModel,
#elif defined(KWS_SHARES_LOOK)
    &kws::settings_look::kCompiledModel,
#else
    nullptr,
#endif
};
Place<kws::CompiledRunner> g_runners[kMaxModels];

kws::Status ReadModel(int32_t which, const uint8_t*, uint32_t) {
  return kModels[which] != nullptr ? kws::Status::kOk : kws::Status::kBadModel;
}

kws::ModelRunner* MakeRunner(int32_t which, uint8_t* arena, size_t arena_bytes) {
  return g_runners[which].Make(*kModels[which], arena, arena_bytes);
}
#else
Place<kws::Model> g_models[kMaxModels];
const kws::Model* g_read[kMaxModels];
// Models of bundles are int8: without kernels of other types, the page is a third smaller.
class Int8OpsResolver : public kws::MicroMutableOpResolver<64> {
 public:
  Int8OpsResolver() {
#define KWS_OP(Name) Add##Name();
#include "kws/runtime/kernels/op_list.inc"
#undef KWS_OP
  }
};

Place<Int8OpsResolver> g_resolver;
Place<kws::MicroInterpreter> g_runners[kMaxModels];

// Reads a model, which stays in the caller's memory.
kws::Status ReadModel(int32_t which, const uint8_t* model, uint32_t bytes) {
  g_read[which] = g_models[which].Make(kws::GetModel(model, bytes));
  return g_read[which]->status();
}

kws::ModelRunner* MakeRunner(int32_t which, uint8_t* arena, size_t arena_bytes) {
  return g_runners[which].Make(*g_read[which], *g_resolver.Make(), arena, arena_bytes);
}
#endif

Place<kws::Pipeline> g_pipeline;
Place<kws::Responder> g_responder_place;
Place<kws::Commands> g_commands;
Place<kws::Gate> g_gate;
Place<kws::SecondLook> g_looks[kMaxBundles];
kws::SecondLook* g_second[kMaxBundles];  // null: none
uint32_t g_looks_before[kMaxBundles];    // before the last hop
kws::NearMisses g_near;
kws::NearMiss g_near_miss;  // the last one of kws_near
PageOutput g_output;
kws::Pipeline* g_running = nullptr;     // null before the first good kws_start
kws::Responder* g_responder = nullptr;  // of g_running
int16_t g_hop[kws::Frontend::kStrideSamples];

const char* AfterEnd(const char* text) {
  while (*text != '\0') ++text;
  return text + 1;
}

// Whether the model could be read; if not, kws_text holds an `error: ` line.
int32_t Read(int32_t which, const uint8_t* model, uint32_t bytes) {
  const kws::Status status = ReadModel(which, model, bytes);
  if (status == kws::Status::kOk) return 1;
  kws::WriteError(&g_output, kws::StatusMessage(status));
  return 0;
}

void UseSecondLook(kws::Pipeline* pipeline, int32_t which, uint8_t* arena, size_t arena_bytes) {
  const Part& part = g_parts[which];
  g_second[which] = nullptr;
  g_looks_before[which] = 0;
  if (!part.has_look) return;
  const bool shares = part.look_arena == nullptr;
  kws::ModelRunner* runner = MakeRunner(kMaxBundles + which, shares ? arena : part.look_arena,
                                        shares ? arena_bytes : part.look_arena_bytes);
  g_second[which] = g_looks[which].Make(runner, part.look, part.look_order, shares);
  pipeline->UseSecondLook(which, g_second[which]);
}

uint32_t LooksOf(int32_t which) {
  return g_second[which] != nullptr ? g_second[which]->looks() : 0;
}

bool IsLabel(int32_t label) {
  return g_running != nullptr && label >= 0 && label < g_running->label_count();
}

}  // namespace

#define KWS_EXPORT(name) __attribute__((export_name(#name))) name

extern "C" {

// The core's constants: samples per second, samples of a hop, values of a frame.
int32_t KWS_EXPORT(kws_sample_rate)() { return kws::Frontend::kSampleRate; }
int32_t KWS_EXPORT(kws_hop_samples)() { return kws::Frontend::kStrideSamples; }
int32_t KWS_EXPORT(kws_channels)() { return kws::Frontend::kChannels; }

// The first byte of the caller's memory, 16-byte aligned.
uint8_t* KWS_EXPORT(kws_memory)() {
  return &__heap_base + (-reinterpret_cast<uintptr_t>(&__heap_base) & 15);
}

// Sets a bundle for the next kws_start. `which`: 0, or 1 for the second bundle, which listens for
// commands. `names`: the bundle's name, the first 8 digits of the model's SHA-256, then the labels,
// each zero-terminated. `thresholds`, `output_order`: one value per label, or null.
// `report_unknown`, `keep_noise`: 1 or 0. `gate_rise`: Gate's argument, or 0 for no gate; ignored
// for the second bundle. `model`: ignored if models are built in. Removes a second look. Returns 1;
// 0: the model is damaged, and kws_text holds an `error: ` line.
int32_t KWS_EXPORT(kws_bundle)(int32_t which, const uint8_t* model, uint32_t model_bytes,
                               const char* names, int32_t label_count, int32_t inference_stride,
                               int32_t average_window_ms, int32_t detection_threshold,
                               int32_t suppression_ms, int32_t minimum_count,
                               const uint8_t* thresholds, int32_t report_unknown, int32_t gate_rise,
                               int32_t window_frames, int32_t stride_samples, int32_t keep_noise,
                               int32_t first_keyword, const uint8_t* output_order) {
  if (which < 0 || which >= kMaxBundles) return 0;
  g_running = nullptr;
  g_output.ClearText();
  Part& part = g_parts[which];
  kws::PipelineConfig& config = part.config;
  config.model_name = names;
  config.model_sha8 = AfterEnd(names);
  const char* label = AfterEnd(config.model_sha8);
  for (int32_t i = 0; i < label_count && i < kws::Recognizer::kMaxLabels; ++i) {
    part.labels[i] = label;
    label = AfterEnd(label);
  }
  config.labels = part.labels;
  config.label_count = label_count;
  config.inference_stride = inference_stride;
  config.recognizer.average_window_ms = average_window_ms;
  config.recognizer.detection_threshold = static_cast<uint8_t>(detection_threshold);
  config.recognizer.suppression_ms = suppression_ms;
  config.recognizer.minimum_count = minimum_count;
  config.recognizer.thresholds = thresholds;
  config.report_unknown = report_unknown != 0;
  config.window_frames = window_frames;
  config.stride_samples = stride_samples;
  config.keep_noise = keep_noise != 0;
  config.first_keyword = first_keyword;
  config.output_order = output_order;
  part.gate_rise = gate_rise;
  part.has_look = false;
  const int32_t is_good = Read(which, model, model_bytes);
  part.is_set = is_good != 0;
  return is_good;
}

// Adds a second look to a bundle, after its kws_bundle; see SecondLook and kws_bundle. `arena`: its
// own, 16-byte aligned; null: it uses the first model's.
int32_t KWS_EXPORT(kws_second_look)(int32_t which, const uint8_t* model, uint32_t model_bytes,
                                    const uint8_t* output_order, int32_t proposal, int32_t looks,
                                    int32_t every, int32_t earlier, uint8_t* arena,
                                    uint32_t arena_bytes) {
  if (which < 0 || which >= kMaxBundles) return 0;
  g_running = nullptr;
  g_output.ClearText();
  Part& part = g_parts[which];
  part.look = kws::SecondLookSettings(static_cast<uint8_t>(proposal), looks, every, earlier);
  part.look_order = output_order;
  part.look_arena = arena;
  part.look_arena_bytes = arena_bytes;
  const int32_t is_good = Read(kMaxBundles + which, model, model_bytes);
  part.has_look = is_good != 0;
  return is_good;
}

// Starts the pipeline of the bundles set by kws_bundle, at time 0. `arena` is 16-byte aligned.
// `frames`: `frame_count` x kws_channels() bytes for the largest window of the models. The second
// bundle listens for `listen_ms`; 0: no second bundle. Returns 1: kws_text holds the boot lines; 0:
// kws_text holds an `error: ` line. The pipeline checks the settings, as on a device.
int32_t KWS_EXPORT(kws_start)(uint8_t* arena, uint32_t arena_bytes, int8_t* frames,
                              int32_t frame_count, uint32_t listen_ms) {
  g_running = nullptr;
  g_output.ClearText();
  const Part& first = g_parts[0];
  const Part& second = g_parts[1];
  if (!first.is_set || (listen_ms > 0 && !second.is_set)) return 0;
  kws::Pipeline* pipeline = g_pipeline.Make(first.config, MakeRunner(0, arena, arena_bytes),
                                            kws::FrameMemory{frames, frame_count});
  g_responder = g_responder_place.Make(pipeline, &g_output, KWS_VERSION, "browser", arena_bytes);
  if (listen_ms > 0) {
    kws::ModelRunner* runner = MakeRunner(1, arena, arena_bytes);
    pipeline->UseCommands(g_commands.Make(kws::Commands{second.config, runner, listen_ms, {}}));
    g_responder->UseCommands();
  }
  g_second[1] = nullptr;
  UseSecondLook(pipeline, 0, arena, arena_bytes);
  if (listen_ms > 0) UseSecondLook(pipeline, 1, arena, arena_bytes);
  if (first.gate_rise > 0) pipeline->UseGate(g_gate.Make(first.gate_rise));
  if (g_responder->AfterStart(pipeline->Start()) != kws::Status::kOk) {
    if (pipeline->mismatch() != kws::Mismatch::kNone) {  // the line has only its number
      g_output.ClearText();
      kws::WriteError(&g_output, kws::MismatchMessage(pipeline->mismatch()));
    }
    return 0;
  }
  g_near = kws::NearMisses(pipeline, g_second[0], g_second[1]);
  g_running = pipeline;
  return 1;
}

// The buffer for the next kws_hop_samples() samples, to be filled before kws_hop.
int16_t* KWS_EXPORT(kws_samples)() { return g_hop; }

// Processes the samples in kws_samples; time advances by one hop. Returns 1 if the model ran and
// kws_scores and kws_mean are new, 0 if not, -1 on an error, whose line is in kws_text.
int32_t KWS_EXPORT(kws_hop)() {
  if (g_running == nullptr) return -1;
  for (int32_t which = 0; which < kMaxBundles; ++which) g_looks_before[which] = LooksOf(which);
  if (g_responder->AfterHop(g_running->ProcessHop(g_hop)) != kws::Status::kOk) return -1;
  g_near.AfterHop();
  return g_running->inferred() ? 1 : 0;
}

// Pipeline::Reset. Returns 1; 0 before a successful kws_start.
int32_t KWS_EXPORT(kws_reset)() {
  if (g_running == nullptr || g_running->Reset() != kws::Status::kOk) return 0;
  g_near.Reset();
  return 1;
}

// The label that the last hop reported; -1: none. Labels of the first bundle count from 0, then the
// labels of the second. kws_score: its mean score, 0..255.
int32_t KWS_EXPORT(kws_heard)() {
  return g_running != nullptr ? g_running->detection().label : kws::Detection::kNothing;
}
int32_t KWS_EXPORT(kws_score)() { return g_running != nullptr ? g_running->detection().score : 0; }

// Takes a near miss, see NearMisses; to be called after each hop until it returns -1. `is_end`: 1
// at the end of the sound, else 0. Returns its label, numbered as in kws_heard; -1: there is none.
int32_t KWS_EXPORT(kws_near)(int32_t is_end) {
  if (g_running == nullptr) return kws::Detection::kNothing;
  const bool is_there = is_end != 0 ? g_near.TakeLast(&g_near_miss) : g_near.Take(&g_near_miss);
  return is_there ? g_near_miss.label : kws::Detection::kNothing;
}
// Its score and the threshold, 0..255, and its time in ms. How long after this time a near miss may
// become certain.
int32_t KWS_EXPORT(kws_near_score)() { return g_near_miss.score; }
int32_t KWS_EXPORT(kws_near_threshold)() { return g_near_miss.threshold; }
uint32_t KWS_EXPORT(kws_near_time_ms)() { return g_near_miss.time_ms; }
int32_t KWS_EXPORT(kws_near_delay_ms)() { return kws::NearMissRule::kApartMs; }

// Text since kws_clear_text or kws_start: UTF-8, not terminated.
const char* KWS_EXPORT(kws_text)() { return g_output.text(); }
int32_t KWS_EXPORT(kws_text_bytes)() { return g_output.size(); }
void KWS_EXPORT(kws_clear_text)() { g_output.ClearText(); }

// End of the newest hop in ms; wraps after 49.7 days.
uint32_t KWS_EXPORT(kws_time_ms)() {
  return g_running != nullptr ? g_running->hops() * kws::Pipeline::kHopMs : 0;
}

// The newest frame, kws_channels() int8, valid until the next hop; null before the first.
const int8_t* KWS_EXPORT(kws_frame)() {
  return g_running != nullptr ? g_running->newest_frame() : nullptr;
}

// Whether the second bundle is active: 1 or 0.
int32_t KWS_EXPORT(kws_listening)() {
  return g_running != nullptr && g_running->listening() ? 1 : 0;
}

// The last scores, an int8 per label of the active bundle.
const int8_t* KWS_EXPORT(kws_scores)() {
  return g_running != nullptr ? g_running->scores() : nullptr;
}

// The mean score of a label (numbered as in kws_heard; 0 if its bundle is inactive), and its
// threshold: 0..255. -1: no such label.
int32_t KWS_EXPORT(kws_mean)(int32_t label) {
  return IsLabel(label) ? g_running->MeanScore(label) : -1;
}
int32_t KWS_EXPORT(kws_threshold)(int32_t label) {
  return IsLabel(label) ? g_running->threshold(label) : -1;
}

// The second model's score (0..255) of a label if it looked in the last hop, else -1.
int32_t KWS_EXPORT(kws_looked)(int32_t label) {
  if (!IsLabel(label)) return -1;
  const int which = g_running->bundle_of(label);
  if (LooksOf(which) == g_looks_before[which]) return -1;
  return g_second[which]->seen()[which == 0 ? label : label - g_parts[0].config.label_count] + 128;
}

// `threshold`: 0..255. Other values and unknown labels are ignored.
void KWS_EXPORT(kws_set_threshold)(int32_t label, int32_t threshold) {
  if (!IsLabel(label) || threshold < 0 || threshold > 255) return;
  g_running->SetThreshold(label, static_cast<uint8_t>(threshold));
}

}  // extern "C"
