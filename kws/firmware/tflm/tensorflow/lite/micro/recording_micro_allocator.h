// SPDX-License-Identifier: Apache-2.0
// Objects that stand for an arena in TFLM's interface. kws's interpreter plans the arena itself, so
// they only store its address and its used size.
#ifndef TFLM_MICRO_RECORDING_MICRO_ALLOCATOR_H_
#define TFLM_MICRO_RECORDING_MICRO_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>

namespace tflite {

class MicroAllocator {
 public:
  // Uses a few bytes at the start of the arena. Null: there is no space for them.
  static MicroAllocator* Create(uint8_t* arena, size_t arena_bytes);

  // After AllocateTensors of an interpreter that uses it.
  size_t used_bytes() const { return used_bytes_; }

 protected:
  MicroAllocator(uint8_t* rest, size_t rest_bytes) : rest_(rest), rest_bytes_(rest_bytes) {}
  static void* Place(uint8_t* arena, size_t arena_bytes, uint8_t** rest, size_t* rest_bytes);

 private:
  friend class MicroInterpreter;
  uint8_t* rest_;  // of the arena
  size_t rest_bytes_;
  size_t used_bytes_ = 0;
};

class RecordingMicroAllocator : public MicroAllocator {
 public:
  static RecordingMicroAllocator* Create(uint8_t* arena, size_t arena_bytes);

  // Prints used_bytes().
  void PrintAllocations() const;

 private:
  using MicroAllocator::MicroAllocator;
};

// Resource variables are part of an interpreter's arena, so there is nothing to create.
class MicroResourceVariables {
 public:
  // Not null unless `allocator` is. The number of variables has no limit.
  static MicroResourceVariables* Create(MicroAllocator* allocator, int count);
};

}  // namespace tflite

#endif  // TFLM_MICRO_RECORDING_MICRO_ALLOCATOR_H_
