// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/micro/micro_profiler.h"

#include <cstring>

#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_time.h"

namespace tflite {

constexpr int MicroProfiler::kMaxEvents;

uint32_t MicroProfiler::BeginEvent(const char* tag) {
  const int index = count_++;
  if (index < kMaxEvents) events_[index] = Event{tag, GetCurrentTimeTicks(), 0};
  return static_cast<uint32_t>(index);
}

void MicroProfiler::EndEvent(uint32_t handle) {
  if (handle >= static_cast<uint32_t>(kept())) return;
  events_[handle].ticks = GetCurrentTimeTicks() - events_[handle].start;
}

uint32_t MicroProfiler::GetTotalTicks() const {
  uint32_t total = 0;
  for (int i = 0; i < kept(); ++i) total += events_[i].ticks;
  return total;
}

void MicroProfiler::Log() const {
  for (int i = 0; i < kept(); ++i) {
    MicroPrintf("%s took %u ticks (%u ms)", events_[i].tag, static_cast<unsigned>(events_[i].ticks),
                static_cast<unsigned>(TicksToMs(events_[i].ticks)));
  }
  LogLost();
}

void MicroProfiler::LogCsv() const {
  MicroPrintf("event,tag,ticks");
  for (int i = 0; i < kept(); ++i) {
    MicroPrintf("%d,%s,%u", i, events_[i].tag, static_cast<unsigned>(events_[i].ticks));
  }
  LogLost();
}

void MicroProfiler::LogTicksPerTagCsv() const {
  MicroPrintf("tag,ticks");
  for (int i = 0; i < kept(); ++i) {
    bool is_first = true;
    for (int before = 0; before < i; ++before) {
      is_first = is_first && std::strcmp(events_[before].tag, events_[i].tag) != 0;
    }
    if (!is_first) continue;
    uint32_t ticks = 0;
    for (int j = i; j < kept(); ++j) {
      if (std::strcmp(events_[j].tag, events_[i].tag) == 0) ticks += events_[j].ticks;
    }
    MicroPrintf("%s,%u", events_[i].tag, static_cast<unsigned>(ticks));
  }
  MicroPrintf("total,%u", static_cast<unsigned>(GetTotalTicks()));
  LogLost();
}

void MicroProfiler::LogLost() const {
  if (count_ > kMaxEvents) MicroPrintf("%d more events were not kept", count_ - kMaxEvents);
}

}  // namespace tflite
