// SPDX-License-Identifier: Apache-2.0
// The output of MicroPrintf. A program may define its own; the default writes to Arduino's Serial,
// or to standard error elsewhere.
#ifndef TFLM_MICRO_DEBUG_LOG_H_
#define TFLM_MICRO_DEBUG_LOG_H_

#ifdef __cplusplus
extern "C" {
#endif

void DebugLog(const char* text);

#ifdef __cplusplus
}
#endif

#endif  // TFLM_MICRO_DEBUG_LOG_H_
