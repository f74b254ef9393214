// SPDX-License-Identifier: Apache-2.0
// TFLM's classes may forbid deletion; the classes here allow it.
#ifndef TFLM_MICRO_COMPATIBILITY_H_
#define TFLM_MICRO_COMPATIBILITY_H_

#define TF_LITE_REMOVE_VIRTUAL_DELETE

#endif  // TFLM_MICRO_COMPATIBILITY_H_
