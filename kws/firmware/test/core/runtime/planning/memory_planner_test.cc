// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/planning/memory_planner.h"

#include <gtest/gtest.h>

#include <random>

namespace kws {
namespace {

PlanEntry Entry(uint32_t bytes, int first, int last) {
  PlanEntry entry{};
  entry.bytes = bytes;
  entry.offset = PlanEntry::kUnplaced;
  entry.first = static_cast<int16_t>(first);
  entry.last = static_cast<int16_t>(last);
  entry.same_as = PlanEntry::kNone;
  entry.over = PlanEntry::kNone;
  return entry;
}

constexpr uint32_t kNoLimit = 1u << 30;

// Entries in the order that the planner counts them.
class Plan {
 public:
  PlanEntry& Add(const PlanEntry& entry) { return table()[count_++] = entry; }
  uint32_t Make(uint32_t limit = kNoLimit) { return PlanMemory(table(), count_, limit); }
  PlanTable table() { return PlanTable(storage_ + kMax); }
  PlanEntry& operator[](int i) { return table()[i]; }
  int count() const { return count_; }

 private:
  static constexpr int kMax = 64;
  PlanEntry storage_[kMax];
  int count_ = 0;
};

TEST(MemoryPlanner, ReusesMemoryOfDeadEntries) {
  Plan plan;
  plan.Add(Entry(100, 0, 1));
  plan.Add(Entry(60, 1, 2));
  plan.Add(Entry(80, 2, 3));
  EXPECT_EQ(plan.Make(), 160u);
  EXPECT_EQ(plan[2].offset, plan[0].offset);
}

TEST(MemoryPlanner, OverlapsOutputAndInputAsAllowed) {
  Plan plan;
  plan.Add(Entry(1960, 0, 1));
  PlanEntry& output = plan.Add(Entry(4000, 1, 2));
  output.over = 0;
  output.overlap = {2040, PlanEntry::kFar, false};
  EXPECT_EQ(plan.Make(), 4000u);
  EXPECT_EQ(plan[1].offset, 0);
  EXPECT_EQ(plan[0].offset, 2040);
}

TEST(MemoryPlanner, KeepsAnInputThatIsReadLater) {
  Plan plan;
  plan.Add(Entry(100, 0, 2));
  PlanEntry& output = plan.Add(Entry(100, 1, 2));
  output.over = 0;
  output.overlap = {0, 0, false};
  EXPECT_EQ(plan.Make(), 200u);
}

TEST(MemoryPlanner, PlacesInPlaceIfOnlyThatIsAllowed) {
  Plan plan;
  plan.Add(Entry(100, 0, 1));
  PlanEntry& output = plan.Add(Entry(100, 1, 2));
  output.over = 0;
  output.overlap = {PlanEntry::kFar, PlanEntry::kFar, true};
  EXPECT_EQ(plan.Make(), 100u);
  EXPECT_EQ(plan[1].offset, plan[0].offset);
}

TEST(MemoryPlanner, AliasesShareOnePlace) {
  Plan plan;
  plan.Add(Entry(40, 0, 3));
  plan.Add(Entry(8, 0, 3));
  plan.Add(Entry(8, 1, 1)).same_as = 1;
  EXPECT_EQ(plan.Make(), 48u);
  EXPECT_EQ(plan[2].offset, plan[1].offset);
}

TEST(MemoryPlanner, FailsBeyondTheLimit) {
  Plan plan;
  plan.Add(Entry(100, 0, 1));
  plan.Add(Entry(100, 0, 1));
  EXPECT_EQ(plan.Make(199), kPlanFailed);
  EXPECT_EQ(plan.Make(200), 200u);
}

TEST(MemoryPlanner, NeverCollides) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    Plan plan;
    const int count = 2 + static_cast<int>(random() % 40);
    for (int i = 0; i < count; ++i) {
      const int first = static_cast<int>(random() % 20);
      PlanEntry& entry =
          plan.Add(Entry(1 + random() % 1000, first, first + static_cast<int>(random() % 5)));
      if (i == 0 || random() % 2 != 0) continue;
      entry.over = static_cast<int16_t>(random() % static_cast<uint32_t>(i));
      entry.overlap = {static_cast<int32_t>(random() % 300), static_cast<int32_t>(random() % 300),
                       random() % 2 == 0};
    }
    const uint32_t total = plan.Make();
    for (int i = 0; i < count; ++i) {
      const PlanEntry& a = plan[i];
      const int32_t a_end = a.offset + static_cast<int32_t>(a.bytes);
      EXPECT_EQ(a.offset % 4, 0);
      EXPECT_LE(static_cast<uint32_t>(a_end), total);
      for (int k = 0; k < i; ++k) {
        const PlanEntry& b = plan[k];
        const int32_t b_end = b.offset + static_cast<int32_t>(b.bytes);
        if (a.first > b.last || b.first > a.last) continue;
        const bool apart = a_end <= b.offset || b_end <= a.offset;
        // Entry a is the later one: only it can be an output that runs over b.
        const bool allowed =
            a.over == k && b.last == a.first &&
            ((a.overlap.in_place && a.offset == b.offset) ||
             a.offset <= b.offset - a.overlap.forward || a.offset >= b.offset + a.overlap.backward);
        EXPECT_TRUE(apart || allowed) << "round " << round << ": " << i << " and " << k;
      }
    }
  }
}

}  // namespace
}  // namespace kws
