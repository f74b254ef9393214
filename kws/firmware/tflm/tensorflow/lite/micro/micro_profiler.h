// SPDX-License-Identifier: Apache-2.0
// Measures ops with the clock of micro_time.h.
#ifndef TFLM_MICRO_MICRO_PROFILER_H_
#define TFLM_MICRO_MICRO_PROFILER_H_

#include <cstdint>

namespace tflite {

class MicroProfilerInterface {
 public:
  virtual ~MicroProfilerInterface() {}
  // Returns a handle for EndEvent. `tag` has static storage.
  virtual uint32_t BeginEvent(const char* tag) = 0;
  virtual void EndEvent(uint32_t handle) = 0;
};

// Keeps the first kMaxEvents events since ClearEvents; the log has the number of further events.
class MicroProfiler : public MicroProfilerInterface {
 public:
  static constexpr int kMaxEvents = 128;

  uint32_t BeginEvent(const char* tag) override;
  void EndEvent(uint32_t handle) override;
  void ClearEvents() { count_ = 0; }

  // The sum over all stored events.
  uint32_t GetTotalTicks() const;
  // A line for each event.
  void Log() const;
  void LogCsv() const;
  // A line for each tag, with the sum of its events.
  void LogTicksPerTagCsv() const;

 private:
  struct Event {
    const char* tag;
    uint32_t start;
    uint32_t ticks;
  };
  int kept() const { return count_ < kMaxEvents ? count_ : kMaxEvents; }
  void LogLost() const;

  Event events_[kMaxEvents];
  int count_ = 0;
};

// Measures a scope; null: nothing.
class ScopedMicroProfiler {
 public:
  ScopedMicroProfiler(const char* tag, MicroProfilerInterface* profiler) : profiler_(profiler) {
    if (profiler_ != nullptr) handle_ = profiler_->BeginEvent(tag);
  }
  ~ScopedMicroProfiler() {
    if (profiler_ != nullptr) profiler_->EndEvent(handle_);
  }
  ScopedMicroProfiler(const ScopedMicroProfiler&) = delete;
  ScopedMicroProfiler& operator=(const ScopedMicroProfiler&) = delete;

 private:
  MicroProfilerInterface* profiler_;
  uint32_t handle_ = 0;
};

}  // namespace tflite

#endif  // TFLM_MICRO_MICRO_PROFILER_H_
