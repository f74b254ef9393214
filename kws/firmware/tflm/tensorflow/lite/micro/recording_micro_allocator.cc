// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/micro/recording_micro_allocator.h"

#include <new>

#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {

void* MicroAllocator::Place(uint8_t* arena, size_t arena_bytes, uint8_t** rest,
                            size_t* rest_bytes) {
  constexpr size_t kAlignment = 16;
  constexpr size_t kBytes = (sizeof(MicroAllocator) + kAlignment - 1) / kAlignment * kAlignment;
  const size_t skip = (0 - reinterpret_cast<uintptr_t>(arena)) % kAlignment;
  if (arena == nullptr || arena_bytes < skip + kBytes) return nullptr;
  *rest = arena + skip + kBytes;
  *rest_bytes = arena_bytes - skip - kBytes;
  return arena + skip;
}

MicroAllocator* MicroAllocator::Create(uint8_t* arena, size_t arena_bytes) {
  return RecordingMicroAllocator::Create(arena, arena_bytes);
}

RecordingMicroAllocator* RecordingMicroAllocator::Create(uint8_t* arena, size_t arena_bytes) {
  static_assert(sizeof(RecordingMicroAllocator) == sizeof(MicroAllocator), "Place has one size");
  uint8_t* rest;
  size_t rest_bytes;
  void* place = Place(arena, arena_bytes, &rest, &rest_bytes);
  return place == nullptr ? nullptr : new (place) RecordingMicroAllocator(rest, rest_bytes);
}

void RecordingMicroAllocator::PrintAllocations() const {
  MicroPrintf("arena: %u bytes used", static_cast<unsigned>(used_bytes()));
}

MicroResourceVariables* MicroResourceVariables::Create(MicroAllocator* allocator, int) {
  static MicroResourceVariables none;
  return allocator != nullptr ? &none : nullptr;
}

}  // namespace tflite
