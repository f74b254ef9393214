// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_FRONTEND_LOOPS_BUTTERFLY_H_
#define KWS_FRONTEND_LOOPS_BUTTERFLY_H_

#include "kws/frontend/always_inline.h"
#include "kws/frontend/loops/complex16.h"

namespace kws {
namespace frontend {

// The radix-4 butterfly, in place, on numbers that are already divided by 4 and multiplied with
// twiddles.
KWS_INLINE void Butterfly(Four* x) {
  const Complex even_sum = Add(x->a, x->c);
  const Complex even_difference = Sub(x->a, x->c);
  const Complex odd_sum = Add(x->b, x->d);
  const Complex odd_difference = Sub(x->b, x->d);
  x->a = Add(even_sum, odd_sum);
  x->b = SubTimesJ(even_difference, odd_difference);
  x->c = Sub(even_sum, odd_sum);
  x->d = AddTimesJ(even_difference, odd_difference);
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_BUTTERFLY_H_
