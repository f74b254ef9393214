// SPDX-License-Identifier: Apache-2.0
// Lays tensors and scratch into one block of memory, so that what is alive at the same time does
// not collide, save where an op allows its output to run over its input.
#ifndef KWS_RUNTIME_PLANNING_MEMORY_PLANNER_H_
#define KWS_RUNTIME_PLANNING_MEMORY_PLANNER_H_

#include <cstdint>

namespace kws {

// One tensor of the graph, or one op's scratch.
struct PlanEntry {
  // How an op that makes this tensor may lay it over one of its inputs: it works from the start to
  // the end where the output starts at least `forward` bytes before the input, and from the end to
  // the start where it starts at least `backward` bytes, at least one, behind it. kFar: not in this
  // direction.
  struct Overlap {
    int32_t forward;
    int32_t backward;
    bool in_place;  // or where both start at the same byte
  };
  // Of ops that work from the start to the end and read an element before they write it.
  static const Overlap kInOrder;
  // What the graph's builder knows of a resource variable (VAR_HANDLE).
  struct Variable {
    uint32_t container;  // positions of two strings in the model, which name it; 0: absent
    uint32_t name;
    int16_t next;   // another variable's entry, or kNone
    bool assigned;  // an op that writes it is known
  };
  static constexpr int32_t kFar = 1 << 29;  // beyond the end of any tensor
  static constexpr int16_t kNone = -1;
  static constexpr int16_t kForever = INT16_MAX;
  static constexpr int32_t kUnplaced = -1;

  uint32_t bytes;
  int32_t offset;   // result, from the block's start; kUnplaced before
  int16_t first;    // the op that writes it; kNone: not to be planned
  int16_t last;     // the op that reads it last
  int16_t same_as;  // lies in the very bytes of this entry (its lifetime counts there); or kNone
  int16_t over;     // the input that it may run over, or kNone
  int16_t of_variable;  // the resource variable that it was read from or is assigned to, or kNone
  union {
    Overlap overlap;    // where `over` names an entry
    Variable variable;  // of resource variables, which run over nothing
  };

  // A constant or a variable: not planned, `offset` is its data reference.
  bool IsFixed() const { return first == kNone && offset != kUnplaced; }
};

inline constexpr PlanEntry::Overlap PlanEntry::kInOrder{0, PlanEntry::kFar, true};

constexpr uint32_t kPlanAlignment = 4;

constexpr uint32_t AlignUp(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Entry i is at table[-1 - i]: the table grows down from the arena's end while it is made.
class PlanTable {
 public:
  PlanTable() = default;
  explicit PlanTable(PlanEntry* end) : end_(end) {}
  PlanEntry& operator[](int index) const { return end_[-1 - index]; }

 private:
  PlanEntry* end_ = nullptr;
};

constexpr uint32_t kPlanFailed = UINT32_MAX;

// Places the entries that have a `first`, no `same_as` and no place yet, largest first, each at the
// lowest place that is free. Returns the bytes of the block, kPlanFailed where they would be more
// than `limit`. Takes time with the cube of `count` at worst.
uint32_t PlanMemory(const PlanTable& table, int count, uint32_t limit);

}  // namespace kws

#endif  // KWS_RUNTIME_PLANNING_MEMORY_PLANNER_H_
