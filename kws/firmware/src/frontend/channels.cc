#include "frontend/channels.h"

#include "frontend/tables.h"

namespace kws::frontend {
namespace {

constexpr uint32_t Fraction(double x) { return static_cast<uint32_t>(x * (1 << kSubtractionBits)); }
constexpr uint32_t kFractionOne = 1u << kSubtractionBits;

// (a x b) >> kSubtractionBits for a fraction b of as many bits: the high word of a x (b << 18).
constexpr int kToHighWord = 32 - kSubtractionBits;

uint32_t HighWord(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// A square root and what is left: value = root^2 + rest.
struct Root {
  uint32_t root;
  int32_t rest;
};

// Takes 16 more bits of the value into a root, which gets 8 bits longer: the next 8 bits are the
// rest divided by twice the root, or one less (Zimmermann, "Karatsuba Square Root", 1999).
inline Root Extend(Root high, uint32_t next_bits) {
  const uint32_t dividend = (static_cast<uint32_t>(high.rest) << 8) | (next_bits >> 8);
  const uint32_t quotient = dividend / (2 * high.root);
  const uint32_t remainder = dividend - quotient * (2 * high.root);
  Root result;
  result.root = (high.root << 8) + quotient;
  result.rest = static_cast<int32_t>(((remainder << 8) | (next_bits & 0xFF)) - quotient * quotient);
  if (result.rest < 0) {
    --result.root;
    result.rest += static_cast<int32_t>(2 * result.root + 1);
  }
  return result;
}

}  // namespace

uint32_t RoundedSqrt(uint64_t x) {
  if (x == 0) return 0;
  // Shifted by an even number of bits, x fills 48 bits.
  const int shift = (__builtin_clzll(x) - 16) & ~1;
  const uint64_t value = x << shift;
  const auto high = static_cast<uint32_t>(value >> 16);
  Root root;
  root.root = kRootStart[(high >> 24) - 64];
  root.rest = static_cast<int32_t>((high >> 16) - root.root * root.root);
  if (root.rest < 0) {
    --root.root;
    root.rest += static_cast<int32_t>(2 * root.root + 1);
  }
  root = Extend(root, high & 0xFFFF);
  root = Extend(root, static_cast<uint32_t>(value) & 0xFFFF);
  if (shift == 0) return root.root + (static_cast<uint32_t>(root.rest) > root.root ? 1 : 0);
  // Half the shift are bits behind the point; the first of them is the half that rounds up.
  const int fraction_bits = shift / 2;
  const uint32_t rounded = (root.root + (1u << (fraction_bits - 1))) >> fraction_bits;
  return (x >> 32) == 0 && rounded > 0xFFFF ? 0xFFFF : rounded;
}

uint32_t SubtractNoise(uint32_t signal, uint32_t smoothing, uint32_t* noise) {
  // The shift may lose bits of a very loud signal, in the reference too.
  const uint32_t scaled_signal = signal << kNoiseBits;
  *noise = HighWord(static_cast<uint64_t>(scaled_signal) * (smoothing << kToHighWord) +
                    static_cast<uint64_t>(*noise) * ((kFractionOne - smoothing) << kToHighWord));
  const uint32_t above_noise = scaled_signal > *noise ? scaled_signal - *noise : 0;
  const uint32_t subtracted = above_noise >> kNoiseBits;
  constexpr uint32_t kFloor = Fraction(kMinSignalRemaining) << kToHighWord;
  const uint32_t floor = HighWord(static_cast<uint64_t>(signal) * kFloor);
  return subtracted > floor ? subtracted : floor;
}

uint32_t GainFor(uint32_t noise) {
  const int zeros = noise == 0 ? 32 : __builtin_clz(noise);
  const GainSegment& segment = kGain[32 - zeros];
  // The 10 bits below the highest; none for noise = 0, whose segment is flat.
  const auto fraction = static_cast<int32_t>(((noise << (zeros & 31)) >> 21) & 0x3FF);
  const int32_t slope = ((segment.curve * fraction) >> 5) + segment.slope * 32;
  return static_cast<uint32_t>(segment.start + ((slope * fraction + (1 << 14)) >> 15));
}

uint32_t Shrink(uint32_t snr) {
  if (snr < (2u << kSnrBits)) return (snr * snr) >> (2 + 2 * kSnrBits - kShrunkBits);
  return (snr >> (kSnrBits - kShrunkBits)) - (1u << kShrunkBits);
}

int8_t LogFeature(uint32_t x) {
  const uint32_t scaled = x << kCorrectionBits;
  if (scaled == 0) return -128;  // 1 is -128 too, but the lowest bits of `scaled` are zero
  // log2 with 16 fractional bits: a straight line between powers of two, and what that misses.
  const int zeros = __builtin_clz(scaled);
  const uint32_t fraction = (scaled << zeros << 1) >> 16;
  const uint32_t segment = fraction >> 9;
  const int32_t start = kLogCorrection[segment];
  const int32_t end = kLogCorrection[segment + 1];
  const int32_t correction = start + (((end - start) * static_cast<int32_t>(fraction & 511)) >> 16);
  const uint32_t log2 =
      (static_cast<uint32_t>(31 - zeros) << 16) + fraction + static_cast<uint32_t>(correction);
  // ln = log2 x ln 2, rounded to 16 fractional bits; then times kLogScale, rounded to an integer.
  constexpr uint64_t kLn2 = 45426;
  const auto ln = static_cast<uint32_t>((log2 * kLn2 + (1 << 15)) >> 16);
  const uint32_t log = (ln * kLogScale + (1 << 15)) >> 16;
  const uint32_t steps = (log * kFeatureSteps + kFeatureDivisor / 2) / kFeatureDivisor;
  return static_cast<int8_t>(steps > 255 ? 127 : static_cast<int32_t>(steps) - 128);
}

void ComputeFeatures(const uint32_t* energies, int scale, uint32_t* noise, int8_t* features) {
  const uint32_t* energy = energies + kFirstBin;
  const uint16_t* weight = kFilterWeights.data();
  uint64_t rising = 0;  // the part of the next channel that its rising band collects
  for (int band = 0; band < kBands; ++band) {
    uint64_t sum = rising;
    rising = 0;
    for (int i = kBandWidths[band]; i > 0; --i) {
      const uint64_t e = *energy++;
      const uint32_t falling_weight = *weight++;
      sum += e * falling_weight;
      rising += e * (kFilterOne - falling_weight);
    }
    if (band == 0) continue;
    const int channel = band - 1;
    const uint32_t signal = RoundedSqrt(sum) >> scale;
    const uint32_t smoothing =
        (channel & 1) == 0 ? Fraction(kEvenSmoothing) : Fraction(kOddSmoothing);
    const uint32_t clean = SubtractNoise(signal, smoothing, &noise[channel]);
    const uint64_t snr = (static_cast<uint64_t>(clean) * GainFor(noise[channel])) >> kSnrShift;
    features[channel] = LogFeature(Shrink(static_cast<uint32_t>(snr)));
  }
}

}  // namespace kws::frontend
