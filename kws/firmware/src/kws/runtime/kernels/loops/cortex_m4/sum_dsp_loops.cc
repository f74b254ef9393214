// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "kws/runtime/kernels/loops/clip.h"
#include "kws/runtime/kernels/loops/portable/sum.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/loops/sum.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

// SumEach for `fours` (>= 1) times four elements, if the output's shift is to the right. In
// assembly because the compiler reloads the shared values for each of the four elements.
void RunFours(const Sum& sum, const int8_t** exact, const int8_t** other, int32_t fours,
              int8_t* output) {
#define KWS_EACH(before, after) \
  before "%[v0]" after before "%[v1]" after before "%[v2]" after before "%[v3]" after
// clang-format off
#define KWS_LOAD(a, b, c, place) \
  "ldr " a ", [%[sum], #" place "]\n" \
  "ldr " b ", [%[sum], #" place "+4]\n" \
  "ldr " c ", [%[sum], #" place "+8]\n"
// clang-format on
// By c0; minus one if negative, so that halves are rounded away from zero.
#define KWS_MULTIPLY                   \
  "smmulr %[v0], %[v0], %[c0]\n"       \
  "smmulr %[v1], %[v1], %[c0]\n"       \
  "smmulr %[v2], %[v2], %[c0]\n"       \
  "smmulr %[v3], %[v3], %[c0]\n"       \
  "add %[v0], %[v0], %[v0], asr #31\n" \
  "add %[v1], %[v1], %[v1], asr #31\n" \
  "add %[v2], %[v2], %[v2], asr #31\n" \
  "add %[v3], %[v3], %[v3], asr #31\n"
#define KWS_MLA(v, x, a) "mla " v ", " x ", %[c0], " a "\n"
  static_assert(offsetof(Sum, multiplier) == 12 && offsetof(Sum, exact_step) == 24 &&
                    offsetof(Sum, exact_factor) == 36 && offsetof(Sum, output_multiplier) == 40,
                "the loop has these numbers");
  const int8_t* a = *exact;
  const int8_t* b = *other;
  uint32_t v0, v1, v2, v3, t, u, c0, c1, c2;
  __asm__ volatile(
      "1:\n"
      KWS_LOAD("%[c2]", "%[c0]", "%[c1]", "0")
      "ldrsb %[v0], [%[b]]\n"
      "ldrsb %[v1], [%[b], %[c2]]\n"
      "add %[b], %[b], %[c2], lsl #1\n"
      "ldrsb %[v2], [%[b]]\n"
      "ldrsb %[v3], [%[b], %[c2]]\n"
      "add %[b], %[b], %[c2], lsl #1\n"
      KWS_MLA("%[v0]", "%[v0]", "%[c1]") KWS_MLA("%[v1]", "%[v1]", "%[c1]")
      KWS_MLA("%[v2]", "%[v2]", "%[c1]") KWS_MLA("%[v3]", "%[v3]", "%[c1]")
      KWS_LOAD("%[c0]", "%[c1]", "%[c2]", "12")
      KWS_MULTIPLY
      KWS_EACH("add ", ", %[c1]\n")
      KWS_EACH("asr ", ", %[c2]\n")
      KWS_LOAD("%[c2]", "%[c0]", "%[c1]", "24")
      "ldrsb %[t], [%[a]]\n"
      "ldrsb %[u], [%[a], %[c2]]\n"
      "add %[a], %[a], %[c2], lsl #1\n"
      KWS_MLA("%[v0]", "%[v0]", "%[c1]") KWS_MLA("%[v1]", "%[v1]", "%[c1]")
      KWS_MLA("%[v2]", "%[v2]", "%[c1]") KWS_MLA("%[v3]", "%[v3]", "%[c1]")
      "ldr %[c0], [%[sum], #36]\n"
      "ldrsb %[c1], [%[a]]\n"
      "ldrsb %[c2], [%[a], %[c2]]\n"
      KWS_MLA("%[v0]", "%[t]", "%[v0]") KWS_MLA("%[v1]", "%[u]", "%[v1]")
      "ldr %[t], [%[sum], #24]\n"
      KWS_MLA("%[v2]", "%[c1]", "%[v2]") KWS_MLA("%[v3]", "%[c2]", "%[v3]")
      "add %[a], %[a], %[t], lsl #1\n"
      KWS_LOAD("%[c0]", "%[c1]", "%[c2]", "40")
      KWS_MULTIPLY
      KWS_EACH("asr ", ", %[c1]\n")
      KWS_EACH("add ", ", %[c2]\n")
      "ssat %[v0], #8, %[v0], asr #1\n"
      "ssat %[v1], #8, %[v1], asr #1\n"
      "ssat %[v2], #8, %[v2], asr #1\n"
      "ssat %[v3], #8, %[v3], asr #1\n"
      "ldr %[t], %[fours]\n"
      KWS_EACH("strb ", ", [%[to]], #1\n")
      "subs %[t], #1\n"
      "str %[t], %[fours]\n"
      "bne 1b\n"
      : [a] "+r"(a), [b] "+r"(b), [to] "+r"(output), [v0] "=&r"(v0), [v1] "=&r"(v1),
        [v2] "=&r"(v2), [v3] "=&r"(v3), [t] "=&r"(t), [u] "=&r"(u), [c0] "=&r"(c0),
        [c1] "=&r"(c1), [c2] "=&r"(c2), [fours] "+m"(fours)
      : [sum] "r"(&sum)
      : "cc", "memory");
  *exact = a;
  *other = b;
#undef KWS_MLA
#undef KWS_MULTIPLY
#undef KWS_LOAD
#undef KWS_EACH
}

}  // namespace

void RunSum(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const SumParams& params = context.Params<SumParams>();
  const Sum sum = SumValues(params);
  const int8_t* from = params.exact == 0 ? a : b;
  const int8_t* other = params.exact == 0 ? b : a;
  const int32_t count = params.broadcast.run;
  int32_t done = 0;
  if (count >= 4 && params.output.shift < 0) {
    RunFours(sum, &from, &other, count >> 2, output);
    done = count & ~3;
  }
  SumEach(sum, from, other, count - done, output + done);
  ClipBytes(params.output.min, params.output.max, output, count);
}

}  // namespace kws
#endif
