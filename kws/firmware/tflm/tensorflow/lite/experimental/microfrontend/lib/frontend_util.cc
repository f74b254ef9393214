// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/experimental/microfrontend/lib/frontend_util.h"

#include <cstring>
#include <new>

#include "kws/frontend.h"
#include "tensorflow/lite/experimental/microfrontend/lib/frontend.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace {

using kws::Frontend;

constexpr size_t kWindow = Frontend::kWindowSamples;
// In frontend.h, which is C, these sizes are numbers.
static_assert(sizeof(FrontendState().window.input) == kWindow * sizeof(int16_t), "window");
static_assert(sizeof(FrontendState().values) == Frontend::kChannels * sizeof(uint16_t), "values");
static_assert(sizeof(FrontendState().frontend) == sizeof(Frontend), "frontend");

Frontend* FrontendOf(FrontendState* state) { return reinterpret_cast<Frontend*>(state->frontend); }

// The name of the first setting that kws does not support; null: none.
const char* Unsupported(const FrontendConfig& config, int sample_rate) {
  FrontendConfig usual;
  FrontendFillConfigWithDefaults(&usual);
#define TFLM_USUAL(setting) \
  { #setting, config.setting == usual.setting }
  const struct {
    const char* name;
    bool is_supported;
  } checks[] = {
      {"sample_rate", sample_rate == Frontend::kSampleRate},
      {"window.size_ms", config.window.size_ms == 30},
      {"window.step_size_ms", config.window.step_size_ms >= 1 && config.window.step_size_ms <= 30},
      {"filterbank.num_channels", config.filterbank.num_channels == Frontend::kChannels},
      {"pcan_gain_control.enable_pcan", config.pcan_gain_control.enable_pcan != 0},
      {"log_scale.enable_log", config.log_scale.enable_log != 0},
      TFLM_USUAL(filterbank.lower_band_limit),
      TFLM_USUAL(filterbank.upper_band_limit),
      TFLM_USUAL(noise_reduction.smoothing_bits),
      TFLM_USUAL(noise_reduction.even_smoothing),
      TFLM_USUAL(noise_reduction.odd_smoothing),
      TFLM_USUAL(noise_reduction.min_signal_remaining),
      TFLM_USUAL(pcan_gain_control.strength),
      TFLM_USUAL(pcan_gain_control.offset),
      TFLM_USUAL(pcan_gain_control.gain_bits),
      TFLM_USUAL(log_scale.scale_shift),
  };
#undef TFLM_USUAL
  for (const auto& check : checks) {
    if (!check.is_supported) return check.name;
  }
  return nullptr;
}

}  // namespace

void FrontendFillConfigWithDefaults(FrontendConfig* config) {
  *config = FrontendConfig{};
  config->window.size_ms = 25;
  config->window.step_size_ms = 10;
  config->filterbank.num_channels = 32;
  config->filterbank.lower_band_limit = 125.0f;
  config->filterbank.upper_band_limit = 7500.0f;
  config->filterbank.output_scale_shift = 7;
  config->noise_reduction.smoothing_bits = 10;
  config->noise_reduction.even_smoothing = 0.025f;
  config->noise_reduction.odd_smoothing = 0.06f;
  config->noise_reduction.min_signal_remaining = 0.05f;
  config->pcan_gain_control.enable_pcan = 0;
  config->pcan_gain_control.strength = 0.95f;
  config->pcan_gain_control.offset = 80.0f;
  config->pcan_gain_control.gain_bits = 21;
  config->log_scale.enable_log = 1;
  config->log_scale.scale_shift = 6;
}

int FrontendPopulateState(const FrontendConfig* config, FrontendState* state, int sample_rate) {
  const char* name = Unsupported(*config, sample_rate);
  if (name != nullptr) {
    MicroPrintf("frontend: kws does not support this value of %s", name);
    return 0;
  }
  *state = FrontendState{};
  state->window.size = kWindow;
  state->window.step = config->window.step_size_ms * Frontend::kSampleRate / 1000;
  state->filterbank.num_channels = Frontend::kChannels;
  state->noise_reduction.num_channels = Frontend::kChannels;
  const Frontend* frontend = new (state->frontend) Frontend();
  // Programs for TFLM may write it.
  state->noise_reduction.estimate = const_cast<uint32_t*>(frontend->noise());
  return 1;
}

FrontendOutput FrontendProcessSamples(FrontendState* state, const int16_t* samples,
                                      size_t num_samples, size_t* num_samples_read) {
  auto& window = state->window;
  const size_t missing = kWindow - window.input_used;
  const size_t count = num_samples < missing ? num_samples : missing;
  std::memcpy(window.input + window.input_used, samples, count * sizeof(int16_t));
  window.input_used += count;
  *num_samples_read = count;
  if (window.input_used < kWindow) return FrontendOutput{nullptr, 0};

  FrontendOf(state)->ProcessFrame(window.input, state->values);
  window.input_used -= window.step;
  std::memmove(window.input, window.input + window.step, window.input_used * sizeof(int16_t));
  return FrontendOutput{state->values, Frontend::kChannels};
}

void FrontendReset(FrontendState* state) {
  state->window.input_used = 0;
  FrontendOf(state)->Reset();
}

void FrontendFreeStateContents(FrontendState*) {}
