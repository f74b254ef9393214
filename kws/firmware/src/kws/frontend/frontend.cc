// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/frontend.h"

#include "kws/frontend/channels.h"
#include "kws/frontend/fft/spectrum.h"
#include "kws/frontend/params.h"

namespace kws {

static_assert(Frontend::kSampleRate == frontend::kSampleRate, "frontend.h and params.h differ");
static_assert(Frontend::kWindowSamples == frontend::kWindowSamples, "likewise");
static_assert(Frontend::kNewestSamples == frontend::kNewestSamples, "likewise");
static_assert(Frontend::kFftSize == frontend::kFftSize, "likewise");
static_assert(Frontend::kChannels == frontend::kChannels, "likewise");

void Frontend::Reset() {
  for (uint32_t& noise : noise_) noise = 0;
}

void Frontend::ProcessFrame(const int16_t* before, const int16_t* newest, int8_t* out) {
  const int scale = frontend::ComputeEnergies(before, newest, work_);
  frontend::ComputeFeatures(work_, scale, keep_noise_, noise_, out);
}

void Frontend::ProcessFrame(const int16_t* window, uint16_t* out) {
  const int scale =
      frontend::ComputeEnergies(window, window + kWindowSamples - kNewestSamples, work_);
  frontend::ComputeLogarithms(work_, scale, noise_, out);
}

}  // namespace kws
