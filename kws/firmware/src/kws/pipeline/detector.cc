// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/detector.h"

#include <cstring>

#include "kws/serial_lines.h"

namespace kws {
namespace {

#ifndef KWS_COMPILED
bool IsSingle(const TensorView& tensor, TensorType type, int bytes) {
  return tensor.data != nullptr && tensor.type == type &&
         tensor.bytes == static_cast<uint32_t>(bytes);
}
#endif

// A model without a class for silence has no label that ends suppression.
RecognizerSettings SettingsOf(const PipelineConfig& config) {
  RecognizerSettings settings = config.recognizer;
  settings.has_silence = config.first_keyword > 0;
  return settings;
}

}  // namespace

Detector::Detector(const PipelineConfig& config, const Network& network, uint8_t* arena,
                   size_t arena_size, Output* output)
    : config_(config),
      output_(output),
      arena_size_(arena_size),
      runner_(network, arena, arena_size),
      responder_(config.labels, config.first_keyword, config.report_unknown, output),
      recognizer_(config.label_count, SettingsOf(config)) {}

Status Detector::Start(int kept_frames) {
  const Status status = runner_.AllocateTensors();
  if (status != Status::kOk) return Fault(status);
  input_frames_ = static_cast<int>(runner_.input(0).bytes) / Frontend::kChannels;
  const char* mismatch = Mismatch(kept_frames);
  if (mismatch != nullptr) {
    WriteError(output_, mismatch, nullptr, "convert the model again and rebuild");
    return Status::kBadArgument;
  }
  input_ = runner_.input(0).As<int8_t>();
  const TensorView output = runner_.output(0);
  raw_scores_ = output.As<uint8_t>();
  flip_ = output.type == TensorType::kUInt8 ? 0x80 : 0;  // 0 is -128
  return Reset();
}

const char* Detector::Mismatch(int kept_frames) const {
  if (config_.label_count < 1 || config_.label_count > Recognizer::kMaxLabels) {
    return "the number of labels is out of range";
  }
  if (!HasOrder()) return "the order of the outputs does not name each of them once";
  if (config_.inference_stride < 1) return "inference_stride is less than 1";
  const int32_t window = config_.recognizer.average_window_ms;
  if (config_.stride_samples != Frontend::kStrideSamples &&
      config_.stride_samples != Frontend::kStrideSamples / 2) {
    return "the frames' stride is not 320 or 160 samples";
  }
  if (config_.first_keyword != 0 && config_.first_keyword != Responder::kFirstKeyword) {
    return "the first keyword is not label 0 or 2";
  }
  const int stride_samples = config_.stride_samples * config_.inference_stride;
  const int32_t stride_ms = static_cast<int32_t>(Milliseconds(stride_samples));
  if (stride_samples < Frontend::kStrideSamples) return "an inference takes less than a hop";
  if (window / stride_ms >= Recognizer::Capacity(config_.label_count)) {
    return "average_window_ms is too long for this inference_stride and number of labels";
  }
  if (config_.window_frames < kShortestWindow || config_.window_frames > kLongestWindow) {
    return "the window is shorter than 25 frames or longer than 150";
  }
#ifndef KWS_COMPILED  // the converter has checked compiled models
  const TensorView input = runner_.input(0);
  if (runner_.inputs_size() != 1 || input_frames_ < 1 || input_frames_ > config_.window_frames ||
      !IsSingle(input, TensorType::kInt8, input_frames_ * Frontend::kChannels)) {
    return "the model's input is not a window of frames of 40 int8, nor new frames of one";
  }
#endif
  if (input_frames_ > kept_frames) return "there is memory for fewer frames than the model takes";
  if (IsStreaming() && config_.inference_stride != input_frames_) {
    return "inference_stride is not the number of frames that the model takes at a time";
  }
#ifndef KWS_COMPILED
  const TensorView output = runner_.output(0);
  if (runner_.outputs_size() != 1 || (!IsSingle(output, TensorType::kInt8, config_.label_count) &&
                                      !IsSingle(output, TensorType::kUInt8, config_.label_count))) {
    return "the model's output is not one int8 score a label";
  }
  const int zero_point = output.type == TensorType::kInt8 ? -128 : 0;
  if (output.scale != 1.0f / 256.0f || output.zero_point != zero_point) {
    return "the model's scores are not softmax's (scale 1/256, zero point -128)";
  }
#endif
  return nullptr;
}

bool Detector::HasOrder() const {
  if (config_.output_order == nullptr) return true;
  uint64_t named = 0;
  for (int i = 0; i < config_.label_count; ++i) {
    const int output = config_.output_order[i];
    if (output >= config_.label_count || (named >> output & 1) != 0) return false;
    named |= uint64_t{1} << output;
  }
  return true;
}

Status Detector::HearSilence() {
  if (!IsStreaming()) return Status::kOk;  // features before the start are -128
  for (int heard = 0; heard < config_.window_frames; heard += input_frames_) {
    // Invoke may overwrite its input.
    std::memset(input_, Frontend::kNoEnergy, runner_.input(0).bytes);
    const Status status = runner_.Invoke();
    if (status != Status::kOk) return Fault(status);
  }
  frames_to_trust_ = 0;
  return Status::kOk;
}

Status Detector::Reset() {
  recognizer_.Reset();
  // One inference is at the frame that fills the window.
  frames_to_inference_ = (config_.window_frames - 1) % config_.inference_stride + 1;
  frames_to_trust_ = IsStreaming() ? config_.window_frames : 0;
  reported_ = Responder::kNothing;
  inferred_ = false;
  return runner_.Reset();
}

bool Detector::IsDue(bool has_frame) {
  reported_ = Responder::kNothing;
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
  const Status status = Recognize(time_ms);
  return status == Status::kOk ? status : Fault(status);
}

Status Detector::ProcessStride(const FeatureProvider& features, bool has_frame, uint32_t time_ms) {
  if (!IsDue(has_frame)) return Status::kOk;
  const Status status = Infer(features, time_ms);
  return status == Status::kOk ? status : Fault(status);
}

Status Detector::Infer(const FeatureProvider& features, uint32_t time_ms) {
  // In training such a model, even one with an LSTM, started from zeroed state for each
  // spectrogram.
  if (!IsStreaming()) KWS_RETURN_IF_ERROR(runner_.Reset());
  features.CopyNewest(input_frames_, input_);
  KWS_RETURN_IF_ERROR(runner_.Invoke());
  if (frames_to_trust_ > 0) return Status::kOk;  // less than a window
  for (int i = 0; i < config_.label_count; ++i) {
    const int output = config_.output_order != nullptr ? config_.output_order[i] : i;
    scores_[i] = static_cast<int8_t>(raw_scores_[output] ^ flip_);
  }
  return Recognize(time_ms);
}

Status Detector::Recognize(uint32_t time_ms) {
  inferred_ = true;
  Recognizer::Result result;
  KWS_RETURN_IF_ERROR(recognizer_.Process(scores_, static_cast<int32_t>(time_ms), &result));
  reported_ = responder_.Respond(result, time_ms);
  return Status::kOk;
}

Status Detector::Fault(Status status) {
  WriteText(output_, lines::kError);
#ifndef KWS_COMPILED
  const ErrorDetail& where = runner_.error();
  if (where.op_index >= 0 && status != Status::kArenaTooSmall) {
    WriteText(output_, "operator ");
    WriteNumber(output_, static_cast<uint32_t>(where.op_index));
    if (where.builtin_code >= 0) {
      WriteText(output_, " (builtin code ");
      WriteNumber(output_, static_cast<uint32_t>(where.builtin_code));
      WriteText(output_, ")");
    }
    WriteText(output_, ": ");
  }
#endif
  WriteText(output_, StatusMessage(status));
  if (status == Status::kArenaTooSmall) {
    WriteText(output_, " than ");
    WriteNumber(output_, static_cast<uint32_t>(arena_size_));
    WriteText(output_, " bytes");
  }
  WriteText(output_, "\n");
  return status;
}

}  // namespace kws
