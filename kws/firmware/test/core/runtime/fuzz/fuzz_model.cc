// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: for any bytes, load, allocate and invoke return a status, without a crash, a
// hang or an access outside the model or the arena.
//
// AddressSanitizer checks: each input is an allocation of exactly its size, the arena has the size
// that the runtime reported, and while an op runs, all of the arena except its live tensors and
// scratch is poisoned.
#include <sanitizer/asan_interface.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/graph_builder.h"
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/micro_interpreter.h"

namespace {

// Enough for the seeds, and small enough that the largest tensor that fits is computed quickly.
constexpr size_t kArenaBytes = 32 << 10;

class Arena {
 public:
  explicit Arena(size_t size) : bytes_(new (std::align_val_t{16}) uint8_t[size]) {}
  ~Arena() { operator delete[](bytes_, std::align_val_t{16}); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  uint8_t* data() { return bytes_; }

 private:
  uint8_t* bytes_;
};

void Check(bool holds) {
  if (!holds) __builtin_trap();
}

// Poisons memory that an op must not access.
class Guard final : public kws::Profiler {
 public:
  // `builder` has just laid out `arena`.
  Guard(const kws::GraphBuilder& builder, const kws::ArenaLayout& layout,
        const kws::OpResolver& resolver, uint8_t* arena)
      : begin_(arena + builder.block()), end_(arena + layout.used) {
    for (int i = 0; i < builder.entries(); ++i) {
      const kws::PlanEntry& entry = builder.entry(i);
      if (entry.first == kws::PlanEntry::kNone || entry.same_as != kws::PlanEntry::kNone) continue;
      lives_.push_back({begin_ + entry.offset, entry.bytes, entry.first, entry.last});
    }
    FindTimes(builder, layout, resolver, arena);
  }

  void BeginOp(int index, kws::BuiltinOp) override {
    ASAN_POISON_MEMORY_REGION(begin_, static_cast<size_t>(end_ - begin_));
    const Time time = times_[static_cast<size_t>(index)];
    for (const Life& life : lives_) {
      if (life.first <= time.latest && life.last >= time.earliest) {
        ASAN_UNPOISON_MEMORY_REGION(life.start, life.bytes);
      }
    }
  }
  void EndOp(int) override {
    ASAN_UNPOISON_MEMORY_REGION(begin_, static_cast<size_t>(end_ - begin_));
  }

 private:
  struct Life {
    uint8_t* start;
    uint32_t bytes;
    int first;
    int last;
  };
  // When an op with a record runs: a range, because equal ops without a record make it ambiguous.
  struct Time {
    int earliest;
    int latest;
  };

  void FindTimes(const kws::GraphBuilder& builder, const kws::ArenaLayout& layout,
                 const kws::OpResolver& resolver, const uint8_t* arena) {
    std::vector<int32_t> records;
    const uint8_t* at = arena + layout.main_records;
    for (int i = layout.once_count; i < layout.record_count; ++i) {
      const kws::RecordHeader* record = reinterpret_cast<const kws::RecordHeader*>(at);
      records.push_back(static_cast<int32_t>(resolver.at(record->registration).code));
      at += 4 * record->words;
    }
    std::vector<int32_t> ops;
    kws::Model::Subgraph graph;
    kws::Model::Operator op;
    Check(builder.model().GetSubgraph(0, &graph) == kws::Status::kOk);
    for (uint32_t i = 0; i < graph.operators.count; ++i) {
      Check(builder.model().GetOperator(graph, i, &op) == kws::Status::kOk);
      ops.push_back(op.builtin_code);
    }
    const int once = builder.ops() - static_cast<int>(ops.size());
    times_.resize(records.size());
    size_t next = 0;
    for (size_t i = 0; i < records.size(); ++i) {
      while (ops[next] != records[i]) ++next;
      times_[i].earliest = once + static_cast<int>(next++);
    }
    next = ops.size();
    for (size_t i = records.size(); i-- > 0;) {
      while (ops[next - 1] != records[i]) --next;
      times_[i].latest = once + static_cast<int>(--next);
    }
  }

  uint8_t* begin_;
  uint8_t* end_;
  std::vector<Life> lives_;
  std::vector<Time> times_;
};

void Run(kws::MicroInterpreter& interpreter) {
  uint8_t value = 1;
  unsigned sum = 0;
  for (int call = 0; call < 2; ++call) {
    for (size_t i = 0; i < interpreter.inputs_size(); ++i) {
      const kws::TensorView input = interpreter.input(i);
      for (uint32_t b = 0; b < input.bytes; ++b) {
        value = static_cast<uint8_t>(value * 13 + 7);
        input.As<uint8_t>()[b] = value;
      }
    }
    if (interpreter.Invoke() != kws::Status::kOk) return;
    for (size_t i = 0; i < interpreter.outputs_size(); ++i) {
      const kws::TensorView output = interpreter.output(i);
      for (uint32_t b = 0; b < output.bytes; ++b) sum += output.As<uint8_t>()[b];
    }
  }
  static volatile unsigned sink;
  sink = sum;
  static_cast<void>(sink);
  Check(interpreter.Reset() == kws::Status::kOk);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const kws::Model model = kws::GetModel(data, size);
  const kws::AllOpsResolver resolver;
  size_t used;
  {
    Arena arena(kArenaBytes);
    kws::MicroInterpreter interpreter(model, resolver, arena.data(), kArenaBytes);
    if (interpreter.AllocateTensors() != kws::Status::kOk) return 0;
    used = interpreter.arena_used_bytes();
  }
  // An arena of the reported size is enough, and ends where the last tensor ends.
  Arena arena(used);
  kws::MicroInterpreter interpreter(model, resolver, arena.data(), used);
  kws::ArenaLayout layout{};
  kws::GraphBuilder builder(model, resolver, arena.data(), static_cast<uint32_t>(used), &layout);
  kws::ErrorDetail error;
  Check(builder.Build(&error) == kws::Status::kOk && layout.used == used);
  Guard guard(builder, layout, resolver, arena.data());
  Check(interpreter.AllocateTensors() == kws::Status::kOk);
  interpreter.SetProfiler(&guard);
  Check(interpreter.arena_used_bytes() == used);
  Run(interpreter);
  return 0;
}
