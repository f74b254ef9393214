// SPDX-License-Identifier: Apache-2.0
// Where things lie in an interpreter's arena, in bytes from its start.
#ifndef KWS_RUNTIME_PLANNING_ARENA_LAYOUT_H_
#define KWS_RUNTIME_PLANNING_ARENA_LAYOUT_H_

#include <cstdint>

namespace kws {

struct ArenaLayout {
  uint32_t used;             // of the arena
  uint32_t variables_bytes;  // variables lie at the arena's start
  uint32_t ios;              // int32 pairs {tensor, data reference}: inputs, then outputs
  uint32_t records;          // the ops' records: first those that run once,
  uint32_t main_records;     // then those of each inference
  uint16_t record_count;     // all
  uint16_t once_count;
  uint16_t input_count;
  uint16_t output_count;
};

}  // namespace kws

#endif  // KWS_RUNTIME_PLANNING_ARENA_LAYOUT_H_
