/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of TFLM's frontend. kws supports only those of TFLM's micro_speech. */
#ifndef TFLM_EXPERIMENTAL_MICROFRONTEND_LIB_FRONTEND_UTIL_H_
#define TFLM_EXPERIMENTAL_MICROFRONTEND_LIB_FRONTEND_UTIL_H_

#include <stddef.h>

#include "tensorflow/lite/experimental/microfrontend/lib/frontend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct FrontendConfig {
  struct WindowConfig {
    size_t size_ms;
    size_t step_size_ms;
  } window;
  struct FilterbankConfig {
    int num_channels;
    float upper_band_limit; /* Hz */
    float lower_band_limit;
    int output_scale_shift;
  } filterbank;
  struct NoiseReductionConfig {
    int smoothing_bits;
    float even_smoothing;
    float odd_smoothing;
    float min_signal_remaining;
  } noise_reduction;
  struct PcanGainControlConfig {
    int enable_pcan;
    float strength;
    float offset;
    int gain_bits;
  } pcan_gain_control;
  struct LogScaleConfig {
    int enable_log;
    int scale_shift;
  } log_scale;
};

/* TFLM's defaults, which are not micro_speech's: set window, num_channels and enable_pcan. */
void FrontendFillConfigWithDefaults(struct FrontendConfig* config);

/* Returns 0, and prints the reason, for settings that kws does not support. It needs 16 kHz,
 * windows of 30 ms (steps may have 1 to 30 ms), 40 channels from 125 to 7500 Hz, PCAN and
 * logarithm, everything else as in FrontendFillConfigWithDefaults. */
int FrontendPopulateState(const struct FrontendConfig* config, struct FrontendState* state,
                          int sample_rate);

/* Does nothing: there is no memory to free. */
void FrontendFreeStateContents(struct FrontendState* state);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TFLM_EXPERIMENTAL_MICROFRONTEND_LIB_FRONTEND_UTIL_H_ */
