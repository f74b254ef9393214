// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_FRONTEND_LOOPS_BINS_H_
#define KWS_FRONTEND_LOOPS_BINS_H_

#include <cstdint>

namespace kws {
namespace frontend {

// Position in the spectrum.
struct Bins {
  const uint32_t* energy;
  const uint16_t* weight;
};

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_BINS_H_
