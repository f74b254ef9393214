// SPDX-License-Identifier: Apache-2.0
// Functions of loops/complex16.h for one lane, based on Load and Store: included after them.
#ifndef KWS_FRONTEND_LOOPS_PORTABLE_ONE_LANE_H_
#define KWS_FRONTEND_LOOPS_PORTABLE_ONE_LANE_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"

namespace kws {
namespace frontend {

constexpr int kLanes = 1;

// Lane l is packed[l x stride].
KWS_INLINE Complex LoadStrided(const uint32_t* packed, int) { return Load(packed); }

// Lanes in reverse order.
KWS_INLINE Complex Reverse(Complex a) { return a; }

// Energies, one per lane, stored like packed numbers.
using Energies = uint32_t;

KWS_INLINE void Store(Energies energies, uint32_t* out) { *out = energies; }
KWS_INLINE Energies Reverse(Energies energies) { return energies; }

// Four numbers per lane.
struct Four {
  Complex a, b, c, d;
};

// 4 x kLanes consecutive numbers: lane l gets packed[4 l] to packed[4 l + 3].
KWS_INLINE Four LoadFour(const uint32_t* packed) {
  return {Load(packed), Load(packed + 1), Load(packed + 2), Load(packed + 3)};
}

KWS_INLINE void StoreFour(const Four& x, uint32_t* packed) {
  Store(x.a, packed);
  Store(x.b, packed + 1);
  Store(x.c, packed + 2);
  Store(x.d, packed + 3);
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_PORTABLE_ONE_LANE_H_
