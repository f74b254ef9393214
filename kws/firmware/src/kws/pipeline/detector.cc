// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/detector.h"

#include <cstring>

#include "kws/pipeline/scores.h"

namespace kws {

Detector::Detector(const PipelineConfig& config, ModelRunner* runner)
    : config_(config),
      runner_(runner),
      recognizer_(config.label_count, config.recognizer, config.first_keyword > 0) {}

Status Detector::Start(const FeatureProvider& features) {
  KWS_RETURN_IF_ERROR(runner_->AllocateTensors());
  const TensorView input = runner_->input(0);
  input_frames_ = static_cast<int>(input.bytes) / Frontend::kChannels;
  mismatch_ = FindMismatch(features.capacity());
  if (mismatch_ != Mismatch::kNone) return Status::kBadArgument;
  input_ = input.As<int8_t>();
  const TensorView output = runner_->output(0);
  raw_scores_ = output.As<uint8_t>();
  flip_ = FlipOf(output);
  arena_used_ = runner_->arena_used_bytes();
  if (config_.second_look != nullptr)
    KWS_RETURN_IF_ERROR(config_.second_look->Start(this, features));
  return Reset();
}

Mismatch Detector::FindMismatch(int kept_frames) const {
  if (config_.label_count < 1 || config_.label_count > Recognizer::kMaxLabels) {
    return Mismatch::kLabelCount;
  }
  if (!IsPermutation(config_.output_order, config_.label_count)) return Mismatch::kOutputOrder;
  if (config_.inference_stride < 1) return Mismatch::kInferenceStride;
  const int32_t window = config_.recognizer.average_window_ms;
  if (config_.stride_samples != Frontend::kStrideSamples &&
      config_.stride_samples != Frontend::kStrideSamples / 2) {
    return Mismatch::kFrameStride;
  }
  if (config_.first_keyword != 0 && config_.first_keyword != kFirstKeyword) {
    return Mismatch::kFirstKeyword;
  }
  const int stride_samples = config_.stride_samples * config_.inference_stride;
  const int32_t stride_ms = static_cast<int32_t>(Milliseconds(stride_samples));
  if (stride_samples < Frontend::kStrideSamples) return Mismatch::kShortStride;
  if (window / stride_ms >= Recognizer::Capacity(config_.label_count)) {
    return Mismatch::kAverageWindow;
  }
  if (config_.window_frames < kShortestWindow || config_.window_frames > kLongestWindow) {
    return Mismatch::kWindowFrames;
  }
  const TensorView input = runner_->input(0);
  if (runner_->inputs_size() != 1 || input_frames_ < 1 || input_frames_ > config_.window_frames ||
      !IsSingle(input, TensorType::kInt8, input_frames_ * Frontend::kChannels)) {
    return Mismatch::kInput;
  }
  if (input_frames_ > kept_frames) return Mismatch::kFrameMemory;
  if (IsStreaming() && config_.inference_stride != input_frames_) {
    return Mismatch::kStreamingStride;
  }
  const TensorView output = runner_->output(0);
  if (runner_->outputs_size() != 1 ||
      (!IsSingle(output, TensorType::kInt8, config_.label_count) &&
       !IsSingle(output, TensorType::kUInt8, config_.label_count))) {
    return Mismatch::kOutput;
  }
  const int zero_point = output.type == TensorType::kInt8 ? -128 : 0;
  if (output.scale != 1.0f / 256.0f || output.zero_point != zero_point) {
    return Mismatch::kScores;
  }
  return Mismatch::kNone;
}

Status Detector::HearSilence() {
  if (!IsStreaming()) return Status::kOk;  // features before the start are -128
  for (int heard = 0; heard < config_.window_frames; heard += input_frames_) {
    // Invoke may overwrite its input.
    std::memset(input_, Frontend::kNoEnergy, runner_->input(0).bytes);
    KWS_RETURN_IF_ERROR(runner_->Invoke());
  }
  frames_to_trust_ = 0;
  return Status::kOk;
}

Status Detector::Reset() {
  recognizer_.Reset();
  if (config_.second_look != nullptr) config_.second_look->Reset();
  // One inference is at the frame that fills the window.
  frames_to_inference_ = (config_.window_frames - 1) % config_.inference_stride + 1;
  frames_to_trust_ = IsStreaming() ? config_.window_frames : 0;
  detection_.label = Detection::kNothing;
  inferred_ = false;
  // Others are reset before each inference.
  return IsStreaming() ? runner_->Reset() : Status::kOk;
}

bool Detector::IsDue(bool has_frame) {
  detection_.label = Detection::kNothing;
  inferred_ = false;
  if (!has_frame) return false;
  if (frames_to_trust_ > 0) --frames_to_trust_;
  if (--frames_to_inference_ > 0) return false;
  frames_to_inference_ = config_.inference_stride;
  return true;
}

Status Detector::SkipStride(bool has_frame, uint32_t time_ms) {
  if (!IsDue(has_frame)) return Status::kOk;
  for (int i = 0; i < config_.label_count; ++i) {
    scores_[i] = i == 0 && config_.first_keyword > 0 ? INT8_MAX : INT8_MIN;
  }
  return Recognize(time_ms);
}

Status Detector::ProcessStride(const FeatureProvider& features, bool has_frame, uint32_t time_ms) {
  if (!IsDue(has_frame)) return Status::kOk;
  return Infer(features, time_ms);
}

Status Detector::Infer(const FeatureProvider& features, uint32_t time_ms) {
  if (config_.second_look != nullptr) KWS_RETURN_IF_ERROR(config_.second_look->Restore());
  // In training such a model, even one with an LSTM, started from zeroed state for each
  // spectrogram.
  if (!IsStreaming()) KWS_RETURN_IF_ERROR(runner_->Reset());
  features.CopyNewest(input_frames_, input_);
  KWS_RETURN_IF_ERROR(runner_->Invoke());
  if (frames_to_trust_ > 0) return Status::kOk;  // less than a window
  CopyScores(raw_scores_, flip_, config_.output_order, config_.label_count, scores_);
  return Recognize(time_ms);
}

Status Detector::Recognize(uint32_t time_ms) {
  inferred_ = true;
  Recognizer::Result result;
  const int32_t now = static_cast<int32_t>(time_ms);
  KWS_RETURN_IF_ERROR(config_.second_look != nullptr
                          ? config_.second_look->Process(scores_, now, &result)
                          : recognizer_.Process(scores_, now, &result));
  const int first = config_.report_unknown ? config_.first_keyword - 1 : config_.first_keyword;
  if (result.is_new && result.label >= first) {
    detection_.label = result.label;
    detection_.score = result.score;
    detection_.time_ms = time_ms;
  }
  return Status::kOk;
}

}  // namespace kws
