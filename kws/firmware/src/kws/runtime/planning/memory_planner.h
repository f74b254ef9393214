// SPDX-License-Identifier: Apache-2.0
// Places tensors and scratch in one block of memory. Entries that are alive at the same time do not
// overlap, except where an op allows its output to overlap its input.
#ifndef KWS_RUNTIME_PLANNING_MEMORY_PLANNER_H_
#define KWS_RUNTIME_PLANNING_MEMORY_PLANNER_H_

#include <cstdint>

namespace kws {

// One tensor of the graph, or one op's scratch.
struct PlanEntry {
  // Allowed overlap of an op's output with one of its inputs. The op works from start to end if the
  // output starts at least `forward` bytes before the input, and from end to start if the output
  // starts at least `backward` (>= 1) bytes after the input. kFar: not in this direction.
  struct Overlap {
    int32_t forward;
    int32_t backward;
    bool in_place;  // allowed also if both start at the same byte
  };
  // GraphBuilder's data of a resource variable (VAR_HANDLE).
  struct Variable {
    uint32_t container;  // positions of two strings in the model, which name it; 0: absent
    uint32_t name;
    int16_t next;   // another variable's entry, or kNone
    bool assigned;  // an op writes it
  };
  static constexpr int32_t kFar = 1 << 29;  // beyond the end of any tensor
  static constexpr int16_t kNone = -1;
  static constexpr int16_t kForever = INT16_MAX;
  static constexpr int32_t kUnplaced = -1;

  // For ops that work from start to end and read each element before they write it.
  static const Overlap kInOrder;

  uint32_t bytes;
  int32_t offset;       // result, from the block's start; kUnplaced before
  int16_t first;        // the op that writes it; kNone: not to be planned
  int16_t last;         // the op that reads it last
  int16_t same_as;      // an alias of this entry, whose lifetime includes its own; or kNone
  int16_t over;         // the input that it may overlap, or kNone
  int16_t of_variable;  // the resource variable that it was read from or is assigned to, or kNone
  union {
    Overlap overlap;    // if `over` is not kNone
    Variable variable;  // of resource variables, which overlap no input
  };

  // A constant or a variable: not planned; `offset` is its data reference.
  bool IsFixed() const { return first == kNone && offset != kUnplaced; }
};

constexpr uint32_t kPlanAlignment = 4;

constexpr uint32_t AlignUp(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Grows down from the arena's end: entry i is at end[-1 - i].
class PlanTable {
 public:
  PlanTable() = default;
  explicit PlanTable(PlanEntry* end) : end_(end) {}
  PlanEntry& operator[](int index) const { return end_[-1 - index]; }

 private:
  PlanEntry* end_ = nullptr;
};

constexpr uint32_t kPlanFailed = UINT32_MAX;

// Greedy: places entries with a `first`, without `same_as` and not yet placed, largest first, each
// at the lowest free offset. Returns the bytes of the block; kPlanFailed if they exceed `limit`.
// Worst-case time is cubic in `count`.
uint32_t PlanMemory(const PlanTable& table, int count, uint32_t limit);

}  // namespace kws

#endif  // KWS_RUNTIME_PLANNING_MEMORY_PLANNER_H_
