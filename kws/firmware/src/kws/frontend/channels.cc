// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/channels.h"

#include "kws/frontend/always_inline.h"
#include "kws/frontend/channel_steps.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {
namespace {

// Position in the spectrum.
struct Bins {
  const uint32_t* energy;
  const uint16_t* weight;
};

// Adds the weighted energies of a band's bins (at least one) to the falling channel. Returns the
// weighted energies of the rising channel.
#if defined(__ARM_FEATURE_DSP) && !defined(KWS_FRONTEND_PORTABLE)

// In assembly, because the compiler needs too many registers. Two bins per round; an odd number
// starts in the middle.
template <uint32_t kOne>
KWS_INLINE uint64_t AddBand(uint32_t width, Bins* bins, uint64_t* falling) {
#define KWS_ADD_BIN                        \
  "ldrh %[w], [%[weight]], #2\n"           \
  "ldr %[e], [%[energy]], #4\n"            \
  "umlal %Q[fall], %R[fall], %[e], %[w]\n" \
  "rsb %[w], %[w], %[one]\n"               \
  "umlal %Q[rise], %R[rise], %[e], %[w]\n"
  uint64_t rising;
  uint32_t w, e;
  asm("mov %Q[rise], #0\n"
      "mov %R[rise], #0\n"
      "lsrs %[width], #1\n"
      "adc %[width], #0\n"
      "bcs 2f\n"
      "1:\n"              //
      KWS_ADD_BIN "2:\n"  //
      KWS_ADD_BIN
      "subs %[width], #1\n"
      "bne 1b\n"
      : [width] "+l"(width), [energy] "+r"(bins->energy), [weight] "+r"(bins->weight),
        [fall] "+r"(*falling), [rise] "=&r"(rising), [w] "=&r"(w), [e] "=&r"(e)
      : [one] "r"(kOne)
      : "cc", "memory");
#undef KWS_ADD_BIN
  return rising;
}

#else

template <uint32_t kOne>
KWS_INLINE uint64_t AddBand(uint32_t width, Bins* bins, uint64_t* falling) {
  uint64_t rising = 0;
  for (; width != 0; --width) {
    const uint64_t energy = *bins->energy++;
    const uint32_t weight = *bins->weight++;
    *falling += energy * weight;
    rising += energy * (kOne - weight);
  }
  return rising;
}

#endif

// Overwrites the first energies with the channels' amplitudes. The first amplitude is unused: the
// first band has no falling channel.
template <uint32_t kOne>
KWS_INLINE void SumChannels(uint32_t* work, int scale, const uint16_t* weights) {
  Bins bins = {work + kFirstBin, weights};
  uint64_t rising = 0;
  for (int band = 0; band < kBands; ++band) {
    uint64_t sum = rising;
    rising = AddBand<kOne>(kBandWidths.data()[band], &bins, &sum);
    work[band] = RoundedSqrt(sum) >> scale;
  }
}

KWS_INLINE void Finish(uint32_t log, int8_t* out) { *out = Feature(log); }
KWS_INLINE void Finish(uint32_t log, uint16_t* out) { *out = static_cast<uint16_t>(log); }

// After SumChannels: in two passes, because one would need more registers than the Cortex-M4 has.
template <typename Out>
KWS_INLINE void ApplySteps(const uint32_t* work, uint32_t* noise, Out* out) {
  uint32_t smoothing = Fraction(kEvenSmoothing);
  for (int channel = 0; channel < kChannels; ++channel) {
    const uint32_t clean = SubtractNoise(work[channel + 1], smoothing, &noise[channel]);
    smoothing = Fraction(kEvenSmoothing) + Fraction(kOddSmoothing) - smoothing;
    const uint64_t snr = static_cast<uint64_t>(clean) * GainFor(noise[channel]) >> kSnrShift;
    Finish(ScaledLog(Shrink(static_cast<uint32_t>(snr))), &out[channel]);
  }
}

}  // namespace

void ComputeFeatures(uint32_t* work, int scale, uint32_t* noise, int8_t* features) {
  SumChannels<kFilterOne>(work, scale, kFilterWeights.data());
  ApplySteps(work, noise, features);
}

void ComputeLogarithms(uint32_t* work, int scale, uint32_t* noise, uint16_t* logarithms) {
  SumChannels<kRoundedOne>(work, scale, kRoundedWeights.data());
  ApplySteps(work, noise, logarithms);
}

}  // namespace frontend
}  // namespace kws
