// SPDX-License-Identifier: Apache-2.0
// Compares loops/complex16.h, whichever version was compiled, with its definition, in plain
// arithmetic. For tests on the host and on the emulated board.
#ifndef KWS_TEST_CORE_FRONTEND_COMPLEX16_CHECK_H_
#define KWS_TEST_CORE_FRONTEND_COMPLEX16_CHECK_H_

#include <cstdint>

#include "core/frontend/frontend_signals.h"
#include "kws/frontend/loops/complex16.h"

namespace kws::test {

// A number as two ints; Packed() wraps them around to int16.
struct Parts {
  int64_t re;
  int64_t im;

  uint32_t Packed() const {
    return (static_cast<uint32_t>(re) & 0xFFFF) | (static_cast<uint32_t>(im) << 16);
  }
};

inline Parts Unpacked(uint32_t packed) {
  return {static_cast<int16_t>(packed), static_cast<int16_t>(packed >> 16)};
}

inline int64_t Rounded(int64_t product) { return (product + (1 << 14)) >> 15; }

inline uint32_t Energy(int64_t re, int64_t im) { return static_cast<uint32_t>(re * re + im * im); }

// int16 parts; every other one is at a limit or next to one.
class RandomParts {
 public:
  uint32_t Next() { return Part() | Part() << 16; }

 private:
  uint32_t Part() {
    static constexpr int16_t kLimits[] = {-32768, -32767, -16385, -16384, -8192, -2,    -1,
                                          0,      1,      2,      8191,   16384, 32766, 32767};
    const uint32_t r = random_.Next();
    const uint32_t limit = static_cast<uint16_t>(kLimits[(r >> 20) % (sizeof(kLimits) / 2)]);
    return (r & 0x10000) != 0 ? limit : r & 0xFFFF;
  }

  Random random_{42};
};

// The name of the first function that is wrong, or null.
inline const char* WrongComplexFunction(int rounds) {
  using namespace frontend;  // NOLINT(google-build-using-namespace): all of complex16.h
  RandomParts random;
  for (int round = 0; round < rounds; ++round) {
    uint32_t first[4 * kLanes];
    uint32_t second[4 * kLanes];
    uint32_t got[4 * kLanes];
    for (uint32_t& x : first) x = random.Next();
    for (uint32_t& x : second) x = random.Next();
    const Complex a = Load(first);
    const Complex b = Load(second);
    uint32_t factors[kLanes];  // as Mul requires: no -32768
    for (int i = 0; i < kLanes; ++i) {
      const Parts q = Unpacked(second[i]);
      factors[i] = Parts{q.re == -32768 ? 1 : q.re, q.im == -32768 ? 1 : q.im}.Packed();
    }
    uint32_t weights[kLanes];
    for (int i = 0; i < kLanes; ++i) weights[i] = second[i] & 0x0FFF0FFF;
    if (round % 8 == 0) weights[0] = 0x10001000;
    const int shift = round % 15;
    uint32_t small[kLanes];  // fits in int16 when shifted
    for (int i = 0; i < kLanes; ++i) {
      const Parts p = Unpacked(first[i]);
      small[i] = Parts{p.re >> shift, p.im >> shift}.Packed();
    }
    uint32_t below[kLanes];  // imaginary part below 32767
    for (int i = 0; i < kLanes; ++i) {
      const Parts p = Unpacked(first[i]);
      below[i] = Parts{p.re, p.im == 32767 ? 0 : p.im}.Packed();
    }

    // Stores `result` and compares each lane with `expected`, in terms of p, q and the lane i.
#define KWS_CHECK_LANES(result, expected) \
  Store(result, got);                     \
  for (int i = 0; i < kLanes; ++i) {      \
    const Parts p = Unpacked(first[i]);   \
    const Parts q = Unpacked(second[i]);  \
    const uint32_t want = (expected);     \
    if (got[i] != want) return #result;   \
    static_cast<void>(p.re + q.re);       \
  }

    KWS_CHECK_LANES(a, first[i]);
    KWS_CHECK_LANES(LoadStrided(first, 3), first[3 * i]);
    KWS_CHECK_LANES(Add(a, b), (Parts{p.re + q.re, p.im + q.im}.Packed()));
    KWS_CHECK_LANES(Sub(a, b), (Parts{p.re - q.re, p.im - q.im}.Packed()));
    KWS_CHECK_LANES(AddTimesJ(a, b), (Parts{p.re - q.im, p.im + q.re}.Packed()));
    KWS_CHECK_LANES(SubTimesJ(a, b), (Parts{p.re + q.im, p.im - q.re}.Packed()));
#if !KWS_FRONTEND_HAVE_DSP  // loops/cortex_m4/spectrum.h has it in its loops
    KWS_CHECK_LANES(Quarter(a), (Parts{Rounded(p.re * 8191), Rounded(p.im * 8191)}.Packed()));
#endif
    KWS_CHECK_LANES(Half(a), (Parts{Rounded(p.re * 16383), Rounded(p.im * 16383)}.Packed()));
    KWS_CHECK_LANES(HalfOfConjugate(a), (Parts{Rounded(p.re * 16383),
                                               Rounded((p.im == -32768 ? -32768 : -p.im) * 16383)}
                                             .Packed()));
    KWS_CHECK_LANES(EnergiesOfHalfSum(a, b), Energy((p.re + q.re) >> 1, (p.im + q.im) >> 1));
    KWS_CHECK_LANES(Reverse(a), first[kLanes - 1 - i]);
    for (int i = 0; i < kLanes; ++i) first[i] = below[i];
    KWS_CHECK_LANES(EnergiesOfHalfMirror(Load(below), b),
                    Energy((p.re - q.re) >> 1, (q.im - p.im) >> 1));
    for (int i = 0; i < kLanes; ++i) second[i] = factors[i];
#if KWS_FRONTEND_HAVE_DSP
    KWS_CHECK_LANES(
        MulTimesMinusJ(Load(first), Load(factors)),
        (Parts{Rounded(p.re * q.im + p.im * q.re), Rounded(p.im * q.im - p.re * q.re)}.Packed()));
#else
    KWS_CHECK_LANES(
        Mul(Load(first), Load(factors)),
        (Parts{Rounded(p.re * q.re - p.im * q.im), Rounded(p.re * q.im + p.im * q.re)}.Packed()));
    for (int i = 0; i < kLanes; ++i) second[i] = weights[i];
    KWS_CHECK_LANES(Weigh(Load(first), Load(weights)),
                    (Parts{(p.re * q.re) >> 12, (p.im * q.im) >> 12}.Packed()));
    for (int i = 0; i < kLanes; ++i) {
      const Parts w = Unpacked(weights[kLanes - 1 - i]);
      second[i] = Parts{w.im, w.re}.Packed();
    }
    KWS_CHECK_LANES(WeighMirrored(Load(first), Load(weights)),
                    (Parts{(p.re * q.re) >> 12, (p.im * q.im) >> 12}.Packed()));
#endif
    for (int i = 0; i < kLanes; ++i) first[i] = small[i];
    KWS_CHECK_LANES(
        QuarterOfShifted(Load(small), shift),
        (Parts{Rounded((p.re * (1 << shift)) * 8191), Rounded((p.im * (1 << shift)) * 8191)}
             .Packed()));
#undef KWS_CHECK_LANES

    const Four four = LoadFour(second);
    const Complex lanes[4] = {four.a, four.b, four.c, four.d};
    for (int part = 0; part < 4; ++part) {
      Store(lanes[part], got);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (got[lane] != second[4 * lane + part]) return "LoadFour";
      }
    }
    StoreFour(four, got);
    for (int i = 0; i < 4 * kLanes; ++i) {
      if (got[i] != second[i]) return "StoreFour";
    }

#if !KWS_FRONTEND_HAVE_DSP  // loops/cortex_m4/spectrum.h has it in its loops
    // A value with as many bits as the largest absolute value; 16 bits for -32768.
    uint32_t expected = 0;
    for (int i = 0; i < kLanes; ++i) {
      for (uint32_t packed : {small[i], weights[i]}) {
        const Parts p = Unpacked(packed);
        expected |= static_cast<uint32_t>(p.re < 0 ? -p.re : p.re);
        expected |= static_cast<uint32_t>(p.im < 0 ? -p.im : p.im);
      }
    }
    if (Combined(Join(Join(NoMagnitudes(), Load(small)), Load(weights))) != expected) return "Join";
#endif
  }
  return nullptr;
}

}  // namespace kws::test

#endif  // KWS_TEST_CORE_FRONTEND_COMPLEX16_CHECK_H_
