// SPDX-License-Identifier: Apache-2.0
// TFLM's classes may forbid deletion; those here can be deleted.
#ifndef TFLM_MICRO_COMPATIBILITY_H_
#define TFLM_MICRO_COMPATIBILITY_H_

#define TF_LITE_REMOVE_VIRTUAL_DELETE

#endif  // TFLM_MICRO_COMPATIBILITY_H_
