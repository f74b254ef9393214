// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_FRONTEND_HIGH_WORD_H_
#define KWS_FRONTEND_HIGH_WORD_H_

#include <cstdint>

namespace kws {
namespace frontend {

// The result of a product with a fraction of 32 fractional bits.
constexpr uint32_t HighWord(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_HIGH_WORD_H_
