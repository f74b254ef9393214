// SPDX-License-Identifier: Apache-2.0
// Counts the instructions of a frontend hop and of a model's inference, for `kws bench --board
// qemu`. kws/host/measure/benchmark.py writes its input and reads its output.
//
// PSRAM holds, little-endian uint32: magic, the model's size; at offset 16 the model.
// With `-icount shift=6` an instruction takes 64 ns of the emulator's time, more than a tick of the
// 25 MHz timer, so figures are exact to the instruction and reproducible. In a trace of executed
// instructions, calls of the marks below surround the same work.
#include <cstring>

#include "boards/board.h"
#include "boards/qemu/mps2_an386.h"
#include "kws/pipeline/feature_provider.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model/model.h"
#include "serial/text.h"

// A trace shows their names. The assembly comments keep the compiler from merging them.
#define KWS_MARK(name) \
  extern "C" __attribute__((noinline, used)) void name() { asm volatile("@ " #name); }
KWS_MARK(KwsMarkNothing)
KWS_MARK(KwsMarkHop)
KWS_MARK(KwsMarkAllocation)
KWS_MARK(KwsMarkInference)
KWS_MARK(KwsMarkOp)
KWS_MARK(KwsMarkEnd)
KWS_MARK(KwsMarkDone)

namespace {

namespace board = kws::board;

constexpr uint32_t kMagic = 0x4253574b;  // "KWSB"
constexpr uint32_t kModelOffset = 16;
constexpr uint32_t kNsPerInstruction = 1u << 6;  // of `-icount shift=6`
constexpr uint32_t kNsPerTick = 1000000000 / board::kSystemClock;
constexpr int kHops = 64;
constexpr int kMaxOps = 512;
constexpr uint32_t kPaint = 0xdeadbeef;

class BoardOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { board::Write(text, size); }
};

BoardOutput output;
// After the model, where start-up code does not clear it, which would dominate a trace.
constexpr uint32_t kArenaOffset = 8u << 20;
constexpr uint32_t kArenaBytes = 3u << 20;

// The timer counts down.
inline uint32_t Ticks() { return ~board::Register(board::kTimerValue); }

uint32_t Instructions(uint32_t ticks) {
  return static_cast<uint32_t>((static_cast<uint64_t>(ticks) * kNsPerTick + kNsPerInstruction / 2) /
                               kNsPerInstruction);
}

// Instructions of `work`, including reading the timer.
template <typename Work>
uint32_t Count(void (*mark)(), const Work& work) {
  mark();
  const uint32_t start = Ticks();
  work();
  const uint32_t ticks = Ticks() - start;
  KwsMarkEnd();
  return Instructions(ticks);
}

// The overhead of counting.
uint32_t Empty() {
  return Count(KwsMarkNothing, [] {});
}

class OpTimes final : public kws::Profiler {
 public:
  void BeginOp(int index, kws::BuiltinOp op) override {
    if (index >= kMaxOps) return;
    count = index + 1;
    codes[index] = op;
    KwsMarkOp();
    start_ = Ticks();
  }
  void EndOp(int index) override {
    if (index >= kMaxOps) return;
    ticks[index] = Ticks() - start_;
    KwsMarkEnd();
  }

  int count = 0;
  kws::BuiltinOp codes[kMaxOps] = {};
  uint32_t ticks[kMaxOps] = {};

 private:
  uint32_t start_ = 0;
};

void WriteFigure(const char* name, uint32_t value) {
  kws::WriteText(&output, name);
  kws::WriteText(&output, " ");
  kws::WriteNumber(&output, value);
  kws::WriteText(&output, "\n");
}

[[noreturn]] void Fail(const char* what) {
  kws::WriteError(&output, what);
  board::Halt(board::Fault::kModel);
}

// Bytes of stack that `work` needs below this frame.
template <typename Work>
__attribute__((noinline)) uint32_t StackOf(const Work& work) {
  uint32_t* top;
  asm volatile("mov %0, sp" : "=r"(top));
  for (volatile uint32_t* p = &kws_stack_bottom; p < top; ++p) *p = kPaint;
  work();
  const volatile uint32_t* p = &kws_stack_bottom;
  while (p < top && *p == kPaint) ++p;
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(top) - reinterpret_cast<uintptr_t>(p));
}

void BenchFrontend() {
  static int8_t frame[kws::Frontend::kChannels];
  static kws::FeatureProvider features({frame, 1}, kws::FeatureProvider::kHopSamples);
  int16_t hop[kws::FeatureProvider::kHopSamples];
  uint32_t random = 1;
  uint64_t sum = 0;
  uint32_t most = 0;
  for (int run = -1; run < kHops; ++run) {
    for (int16_t& sample : hop) {
      random = random * 1664525u + 1013904223u;  // Numerical Recipes' generator
      // Levels from a whisper to full scale.
      sample = static_cast<int16_t>(static_cast<int32_t>(random) >> (16 + (run & 7)));
    }
    const uint32_t spent = Count(KwsMarkHop, [&] { features.Push(hop); }) - Empty();
    if (run < 0) continue;  // the first hop makes no frame
    sum += spent;
    if (spent > most) most = spent;
  }
  WriteFigure("hop", static_cast<uint32_t>(sum / kHops));
  WriteFigure("hop_max", most);
  WriteFigure("hop_stack", StackOf([&] { features.Push(hop); }));
}

// The same noise before each run, since an inference may overwrite its input.
void FillInputs(const kws::MicroInterpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs_size(); ++i) {
    const kws::TensorView input = interpreter.input(i);
    uint32_t random = 1;
    for (uint32_t b = 0; b < input.bytes; ++b) {
      random = random * 1664525u + 1013904223u;
      input.As<uint8_t>()[b] = static_cast<uint8_t>(random >> 24);
    }
  }
}

void BenchModel(const kws::Model& model) {
  static kws::AllOpsResolver resolver;
  uint8_t* const arena = reinterpret_cast<uint8_t*>(board::kPsram + kArenaOffset);
  static kws::MicroInterpreter interpreter(model, resolver, arena, kArenaBytes);
  KwsMarkAllocation();
  const kws::Status allocated = interpreter.AllocateTensors();
  KwsMarkEnd();
  if (allocated != kws::Status::kOk) Fail("the model cannot be allocated");
  WriteFigure("arena", static_cast<uint32_t>(interpreter.arena_used_bytes()));

  FillInputs(interpreter);
  const uint32_t inference = Count(KwsMarkInference, [] { interpreter.Invoke(); }) - Empty();
  WriteFigure("inference", inference);

  static OpTimes times;
  kws::Profiler* volatile profiler = &times;
  profiler->BeginOp(0, kws::BuiltinOp::kAdd);
  profiler->EndOp(0);
  const uint32_t empty = Instructions(times.ticks[0]);  // the overhead per op
  FillInputs(interpreter);
  interpreter.SetProfiler(&times);
  interpreter.Invoke();
  interpreter.SetProfiler(nullptr);
  KwsMarkDone();
  uint32_t ops = 0;
  for (int i = 0; i < times.count; ++i) {
    const uint32_t cost = Instructions(times.ticks[i]) - empty;
    ops += cost;
    kws::WriteText(&output, "op ");
    kws::WriteNumber(&output, static_cast<uint32_t>(times.codes[i]));
    WriteFigure("", cost);
  }
  WriteFigure("interpreter", inference > ops ? inference - ops : 0);
  WriteFigure("inference_stack", StackOf([&] { interpreter.Invoke(); }));
}

}  // namespace

int main() {
  board::Init();
  board::Register(board::kTimerControl) = board::kTimerEnable | board::kTimer32Bit;
  const uint32_t* header = reinterpret_cast<const uint32_t*>(board::kPsram);
  if (header[0] != kMagic) Fail("no model in memory");
  if (header[1] > kArenaOffset - kModelOffset) Fail("the model is larger than 8 MB");
  static const kws::Model model =
      kws::GetModel(reinterpret_cast<const void*>(board::kPsram + kModelOffset), header[1]);
  BenchFrontend();
  BenchModel(model);
  board::Exit();
}
