/* SPDX-License-Identifier: Apache-2.0 */
/* TFLM's frontend in C: samples in, 40 channels of 16 bits out. See frontend_util.h. */
#ifndef TFLM_EXPERIMENTAL_MICROFRONTEND_LIB_FRONTEND_H_
#define TFLM_EXPERIMENTAL_MICROFRONTEND_LIB_FRONTEND_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct FrontendState {
  struct {
    size_t size; /* samples */
    size_t step;
    size_t input_used;
    int16_t input[480];
  } window;
  struct {
    int num_channels;
  } filterbank;
  struct {
    uint32_t* estimate; /* for each channel, 10 fractional bits */
    int num_channels;
  } noise_reduction;
  uint16_t values[40];
  uint32_t frontend[1 + 40 + 256]; /* kws::Frontend */
};

struct FrontendOutput {
  const uint16_t* values; /* valid until the next call; null: no frame yet */
  size_t size;
};

/* Takes samples up to the end of a window, and returns its frame, or none if the window is not
 * full. */
struct FrontendOutput FrontendProcessSamples(struct FrontendState* state, const int16_t* samples,
                                             size_t num_samples, size_t* num_samples_read);

/* Restores the state after FrontendPopulateState. */
void FrontendReset(struct FrontendState* state);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TFLM_EXPERIMENTAL_MICROFRONTEND_LIB_FRONTEND_H_ */
