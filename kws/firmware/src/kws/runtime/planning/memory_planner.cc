// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/planning/memory_planner.h"

namespace kws {
namespace {

bool IsPlanned(const PlanEntry& entry) {
  return entry.first != PlanEntry::kNone && entry.same_as == PlanEntry::kNone;
}

bool AliveTogether(const PlanEntry& a, const PlanEntry& b) {
  return a.first <= b.last && b.first <= a.last;
}

// `over` may name an alias.
int Root(const PlanTable& table, int index) {
  return table[index].same_as == PlanEntry::kNone ? index : table[index].same_as;
}

// The op that writes `output` is the last reader of `input` and may overwrite it.
bool MayRunOver(const PlanTable& table, const PlanEntry& output, const PlanEntry& input) {
  return output.over != PlanEntry::kNone && &table[Root(table, output.over)] == &input &&
         input.last == output.first;
}

// The lowest start >= `start` at which `entry` does not collide with `placed`.
int32_t NextStart(const PlanTable& table, const PlanEntry& entry, const PlanEntry& placed,
                  int32_t start) {
  // Starts strictly between these collide.
  int32_t low = placed.offset - static_cast<int32_t>(entry.bytes);
  int32_t high = placed.offset + static_cast<int32_t>(placed.bytes);
  int32_t near_low = low;
  int32_t near_high = high;
  bool in_place = false;
  if (MayRunOver(table, entry, placed)) {
    near_low = placed.offset - entry.overlap.forward;
    near_high = placed.offset + entry.overlap.backward;
    in_place = entry.overlap.in_place;
  } else if (MayRunOver(table, placed, entry)) {
    near_low = placed.offset - placed.overlap.backward;
    near_high = placed.offset + placed.overlap.forward;
    in_place = placed.overlap.in_place;
  }
  if (near_low > low) low = near_low;
  if (near_high < high) high = near_high;
  if (start <= low || start >= high || (in_place && start == placed.offset)) return start;
  if (in_place && start < placed.offset) return placed.offset;
  return static_cast<int32_t>(AlignUp(static_cast<uint32_t>(high), kPlanAlignment));
}

int32_t LowestFreeStart(const PlanTable& table, int count, const PlanEntry& entry) {
  int32_t start = 0;
  bool moved = true;
  while (moved) {
    moved = false;
    for (int other = 0; other < count; ++other) {
      const PlanEntry& placed = table[other];
      if (!IsPlanned(placed) || placed.offset == PlanEntry::kUnplaced ||
          !AliveTogether(entry, placed)) {
        continue;
      }
      const int32_t next = NextStart(table, entry, placed, start);
      if (next != start) {
        start = next;
        moved = true;
      }
    }
  }
  return start;
}

}  // namespace

const PlanEntry::Overlap PlanEntry::kInOrder{0, PlanEntry::kFar, true};

uint32_t PlanMemory(const PlanTable& table, int count, uint32_t limit) {
  uint32_t total = 0;
  for (;;) {
    PlanEntry* next = nullptr;
    for (int i = 0; i < count; ++i) {
      PlanEntry& entry = table[i];
      if (IsPlanned(entry) && entry.offset == PlanEntry::kUnplaced &&
          (next == nullptr || entry.bytes > next->bytes)) {
        next = &entry;
      }
    }
    if (next == nullptr) break;
    const int32_t start = LowestFreeStart(table, count, *next);
    const uint32_t end = static_cast<uint32_t>(start) + next->bytes;
    if (end > limit) return kPlanFailed;
    next->offset = start;
    if (end > total) total = end;
  }
  for (int i = 0; i < count; ++i) {
    if (table[i].same_as != PlanEntry::kNone) table[i].offset = table[table[i].same_as].offset;
  }
  return AlignUp(total, kPlanAlignment);
}

}  // namespace kws
