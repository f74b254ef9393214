/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the samples on stdin as uint16. Usage: frontend STEP_MS [SETTING VALUE] */
#include "tensorflow/lite/experimental/microfrontend/lib/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/lite/experimental/microfrontend/lib/frontend_util.h"

int main(int count, char** arguments) {
  static struct FrontendState state;
  static int16_t samples[16000 * 60];
  struct FrontendConfig config;
  size_t size;
  size_t used = 0;
  FrontendFillConfigWithDefaults(&config);
  config.window.size_ms = 30;
  config.window.step_size_ms = (size_t)atoi(arguments[1]);
  config.filterbank.num_channels = 40;
  config.pcan_gain_control.enable_pcan = 1;
  if (count > 2) {
    if (strcmp(arguments[2], "size_ms") == 0) config.window.size_ms = 25;
    if (strcmp(arguments[2], "num_channels") == 0) config.filterbank.num_channels = 32;
    if (strcmp(arguments[2], "enable_pcan") == 0) config.pcan_gain_control.enable_pcan = 0;
    if (strcmp(arguments[2], "strength") == 0) config.pcan_gain_control.strength = 0.9f;
  }
  if (!FrontendPopulateState(&config, &state, 16000)) return 1;
  if (state.filterbank.num_channels != 40 || state.noise_reduction.estimate[3] != 0) return 2;
  size = fread(samples, 2, sizeof samples / 2, stdin);
  while (used < size) {
    size_t read;
    const size_t offered = size - used < 1000 ? size - used : 1000;
    struct FrontendOutput frame = FrontendProcessSamples(&state, samples + used, offered, &read);
    used += read;
    if (frame.values != NULL) fwrite(frame.values, sizeof *frame.values, frame.size, stdout);
  }
  if (state.noise_reduction.estimate[3] == 0) return 3;
  FrontendReset(&state);
  FrontendFreeStateContents(&state);
  return 0;
}
