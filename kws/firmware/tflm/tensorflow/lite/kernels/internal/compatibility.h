// SPDX-License-Identifier: Apache-2.0
// TFLM's checks. A failed one aborts.
#ifndef TFLM_KERNELS_INTERNAL_COMPATIBILITY_H_
#define TFLM_KERNELS_INTERNAL_COMPATIBILITY_H_

#include <cstdlib>

#define TFLITE_CHECK(condition) (condition) ? (void)0 : std::abort()
#define TFLITE_CHECK_EQ(a, b) TFLITE_CHECK((a) == (b))
#define TFLITE_CHECK_NE(a, b) TFLITE_CHECK((a) != (b))
#define TFLITE_CHECK_GE(a, b) TFLITE_CHECK((a) >= (b))
#define TFLITE_CHECK_GT(a, b) TFLITE_CHECK((a) > (b))
#define TFLITE_CHECK_LE(a, b) TFLITE_CHECK((a) <= (b))
#define TFLITE_CHECK_LT(a, b) TFLITE_CHECK((a) < (b))
#define TFLITE_DCHECK(condition) TFLITE_CHECK(condition)
#define TFLITE_DCHECK_EQ(a, b) TFLITE_CHECK_EQ(a, b)

#endif  // TFLM_KERNELS_INTERNAL_COMPATIBILITY_H_
