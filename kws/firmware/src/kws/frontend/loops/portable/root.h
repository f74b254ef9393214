// SPDX-License-Identifier: Apache-2.0
// The definition of loops/root.h.
#ifndef KWS_FRONTEND_LOOPS_PORTABLE_ROOT_H_
#define KWS_FRONTEND_LOOPS_PORTABLE_ROOT_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/high_word.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {

// value = root^2 + rest
struct Root {
  uint32_t root;
  int32_t rest;
};

// If the root is one too large, rest is negative.
KWS_INLINE Root Corrected(uint32_t root, int32_t rest) {
  if (rest >= 0) return {root, rest};
  return {root - 1, rest + static_cast<int32_t>(2 * root - 1)};
}

// Extends a root by 8 bits, for 16 more bits of the value: the new bits are the rest divided by
// twice the root, or one less (Zimmermann, "Karatsuba Square Root", 1999).
KWS_INLINE Root Extended(Root high, uint32_t next_bits) {
  const uint32_t dividend = (static_cast<uint32_t>(high.rest) << 8) | (next_bits >> 8);
  const uint32_t quotient = dividend / (2 * high.root);
  const uint32_t remainder = dividend - quotient * (2 * high.root);
  return Corrected(
      (high.root << 8) + quotient,
      static_cast<int32_t>(((remainder << 8) | (next_bits & 0xFF)) - quotient * quotient));
}

// Rounded square root of x < 2^48; for x < 2^32 at most 65535, as in the reference.
KWS_INLINE uint32_t RoundedSqrt(uint64_t x) {
  if (x == 0) return 0;
  // Shift by an even number of bits, so that the value has 47 or 48 bits.
  const int shift = (__builtin_clzll(x) - 16) & ~1;
  const uint64_t value = x << shift;
  const auto high = static_cast<uint32_t>(value >> 16);
  const uint32_t start = kRootStart[(high >> 24) - 64];
  Root root = Corrected(start, static_cast<int32_t>((high >> 16) - start * start));
  root = Extended(root, high & 0xFFFF);
  root = Extended(root, static_cast<uint32_t>(value) & 0xFFFF);
  if (shift == 0) return root.root + (static_cast<uint32_t>(root.rest) > root.root ? 1 : 0);
  // The root has shift / 2 fractional bits; the first of them rounds up.
  const int fraction_bits = shift / 2;
  const uint32_t rounded = (root.root + (1u << (fraction_bits - 1))) >> fraction_bits;
  return HighWord(x) == 0 && rounded > 0xFFFF ? 0xFFFF : rounded;
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_PORTABLE_ROOT_H_
