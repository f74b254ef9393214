// SPDX-License-Identifier: Apache-2.0
// Outputs::RequantizeFast: most of the time of ops with few outputs per channel.
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

// Equivalent to
//
//   for (int i = 0; i < count; ++i) {
//     const int32_t sum = sums[i] + (biases == nullptr ? 0 : biases[i]);
//     to[i] = Scaled(sum, FastFactor(first + i));
//   }
//
// The bias, twice the zero point plus one for halves, is added before the last bit is shifted out,
// so it is the same for all channels. In assembly for consecutive loads.
void Outputs::RequantizeFast(int first, int count, const int32_t* sums, const int32_t* biases,
                             int8_t* to) const {
  const int32_t none = 0;
  const int step = stage_.channel_step;
  const int32_t* const multipliers = multipliers_ + first * step;
  const int8_t* const shifts = shifts_ + first * step;
  const int32_t bias_step = biases == nullptr ? 0 : sizeof(int32_t);
  if (biases == nullptr) biases = &none;
  int32_t i = 0;
  int32_t sum, x, right, multiplier;
  __asm__ volatile(
      "1:\n"
      "ldr %[sum], [%[sums]], #4\n"
      "ldr %[x], [%[biases]]\n"
      "ldrsb %[right], [%[shifts], %[i]]\n"
      "ldr %[multiplier], [%[multipliers], %[i], lsl #2]\n"
      "add %[biases], %[bias_step]\n"
      "add %[sum], %[x]\n"
      "mvn %[right], %[right]\n"
      "qadd %[sum], %[sum], %[sum]\n"
      "smmulr %[sum], %[sum], %[multiplier]\n"
      "add %[i], %[step]\n"
      "add %[sum], %[sum], %[sum], asr #31\n"
      "asr %[sum], %[right]\n"
      "add %[sum], %[offset]\n"
      "ssat %[sum], #8, %[sum], asr #1\n"
      "subs %[count], #1\n"
      "strb %[sum], [%[to]], #1\n"
      "bgt 1b\n"
      : [sums] "+r"(sums), [biases] "+r"(biases), [to] "+r"(to), [i] "+r"(i), [count] "+r"(count),
        [sum] "=&r"(sum), [x] "=&r"(x), [right] "=&r"(right), [multiplier] "=&r"(multiplier)
      : [bias_step] "r"(bias_step), [multipliers] "r"(multipliers), [shifts] "r"(shifts),
        [step] "r"(step), [offset] "r"(2 * stage_.offset + 1)
      : "cc", "memory");
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
