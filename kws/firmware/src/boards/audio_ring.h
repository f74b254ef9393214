// SPDX-License-Identifier: Apache-2.0
// Storage for the sample ring. `kws build` picks its size based on the model: include this header
// only in files that are compiled for each bundle (platform/builder/main.py).
#ifndef KWS_BOARDS_AUDIO_RING_H_
#define KWS_BOARDS_AUDIO_RING_H_

#include <cstddef>
#include <cstdint>

#include "boards/audio_provider.h"
#ifdef KWS_EVERY_BUNDLE
#error "this file is compiled once for all bundles, so it cannot know the size of the ring"
#endif
#if __has_include("ring.h")
#include "ring.h"  // generated: kRingHops
#else
namespace kws {
inline constexpr size_t kRingHops = 13;  // 260 ms
}  // namespace kws
#endif

namespace kws {

class AudioRing final : public AudioProvider {
 public:
  // In samples. The ring fills during an inference.
  static constexpr size_t kCapacity = kRingHops * kHopSamples;

 private:
  friend class AudioProvider;
  int16_t ring_[kCapacity] = {};

  static_assert(kRingHops >= 2, "one hop is filled while the other is read");
};

}  // namespace kws

#endif  // KWS_BOARDS_AUDIO_RING_H_
