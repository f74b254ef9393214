// SPDX-License-Identifier: Apache-2.0
// The pipeline's configuration for the built-in bundle. Include it in one file, with the bundle's
// firmware/ folder (model_settings.h) on the include path.
#ifndef KWS_APP_BUNDLE_CONFIG_H_
#define KWS_APP_BUNDLE_CONFIG_H_

#include "kws/pipeline/pipeline.h"
#include "model_settings.h"

namespace kws {

constexpr PipelineConfig BundleConfig() {
  return {
      settings::kModelName,
      settings::kModelSha8,
      settings::kLabels,
      settings::kLabelCount,
      settings::kInferenceStride,
      {settings::kAverageWindowMs, settings::kSuppressionMs, settings::kMinimumCount,
       settings::kDetectionThreshold, settings::kThresholds},
      settings::kReportUnknown,
      settings::kWindowFrames,
      settings::kStrideSamples,
      settings::kFirstKeyword,
      settings::kOutputOrder,
      settings::kKeepNoise,
  };
}

}  // namespace kws

#endif  // KWS_APP_BUNDLE_CONFIG_H_
