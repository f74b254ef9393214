// SPDX-License-Identifier: Apache-2.0
// The pipeline's configuration for the built-in bundle. Include it in one file, with the bundle's
// firmware/ folder (model_settings.h) on the include path.
#ifndef KWS_BUNDLE_CONFIG_H_
#define KWS_BUNDLE_CONFIG_H_

#include <cstdint>

#include "model_settings.h"
#include "pipeline/pipeline.h"

namespace kws {

// Defaults: name lookup in kws::settings finds them if the bundle does not have the setting.
inline constexpr const uint8_t* kThresholds = nullptr;
inline constexpr bool kReportUnknown = false;
inline constexpr int kGateRise = 0;
inline constexpr int kWindowFrames = 49;
inline constexpr int kInputFrames = 49;
inline constexpr int kStrideSamples = Frontend::kStrideSamples;
inline constexpr int kFirstKeyword = Responder::kFirstKeyword;
inline constexpr const uint8_t* kOutputOrder = nullptr;
namespace settings {
constexpr const uint8_t* ThresholdsOrNull() { return kThresholds; }
constexpr bool ReportsUnknown() { return kReportUnknown; }
constexpr int WindowFrames() { return kWindowFrames; }
constexpr int InputFrames() { return kInputFrames; }
constexpr int StrideSamples() { return kStrideSamples; }
constexpr int FirstKeyword() { return kFirstKeyword; }
constexpr const uint8_t* OutputOrder() { return kOutputOrder; }
constexpr int GateRise() { return kGateRise; }  // see Gate; 0: no gate
}  // namespace settings

// Frames of history that the pipeline needs.
constexpr int kKeptFrames = settings::InputFrames();

// The boot line shows `version` and `board`; both must outlive the pipeline.
constexpr PipelineConfig BundleConfig(const char* version, const char* board) {
  return {
      version,
      board,
      settings::kModelName,
      settings::kModelSha8,
      settings::kLabels,
      settings::kLabelCount,
      settings::kInferenceStride,
      {settings::kAverageWindowMs, settings::kSuppressionMs, settings::kMinimumCount,
       settings::kDetectionThreshold, settings::ThresholdsOrNull()},
      settings::ReportsUnknown(),
      settings::WindowFrames(),
      settings::StrideSamples(),
      settings::FirstKeyword(),
      settings::OutputOrder(),
  };
}

}  // namespace kws

#endif  // KWS_BUNDLE_CONFIG_H_
