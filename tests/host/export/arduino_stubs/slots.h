// SPDX-License-Identifier: Apache-2.0
// An INMP441: the slots on stdin. The program exits at their end.
#ifndef KWS_TEST_SLOTS_H_
#define KWS_TEST_SLOTS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

inline void Demand(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "stub: %s\n", what);
  std::exit(4);
}

inline int32_t NextSlot() {
  int32_t slot;
  if (std::fread(&slot, sizeof(slot), 1, stdin) != 1) std::exit(0);
  return slot;
}

#endif  // KWS_TEST_SLOTS_H_
