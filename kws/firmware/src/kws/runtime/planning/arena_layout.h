// SPDX-License-Identifier: Apache-2.0
// Results of AllocateTensors.
#ifndef KWS_RUNTIME_PLANNING_ARENA_LAYOUT_H_
#define KWS_RUNTIME_PLANNING_ARENA_LAYOUT_H_

#include <cstdint>

namespace kws {

// Positions in an interpreter's arena, in bytes from its start.
struct ArenaLayout {
  uint32_t used;             // bytes
  uint32_t variables_bytes;  // variables lie at the arena's start
  uint32_t ios;              // int32 pairs {tensor, data reference}: inputs, then outputs
  uint32_t records;          // op records: first CALL_ONCE's ops,
  uint32_t main_records;     // then the ops of each inference
  uint16_t record_count;     // of both
  uint16_t once_count;
  uint16_t input_count;
  uint16_t output_count;
};

// An op's record in the arena: this header, its data references, then the kernel's parameters.
struct RecordHeader {
  uint16_t words;        // of the whole record, 4 bytes each
  uint8_t registration;  // place in the op resolver
  uint8_t references;
};
static_assert(sizeof(RecordHeader) == 4, "records are counted in words");

// Data reference: >= 0: byte offset into the arena; < 0: byte offset into the model, with the sign
// bit set (position 0: no data).
constexpr int32_t kNoData = INT32_MIN;
inline int32_t ModelReference(uint32_t position) {
  return static_cast<int32_t>(position | 0x80000000u);
}

}  // namespace kws

#endif  // KWS_RUNTIME_PLANNING_ARENA_LAYOUT_H_
