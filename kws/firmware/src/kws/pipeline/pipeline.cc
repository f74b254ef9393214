// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/pipeline.h"

#include <cstring>
#include <new>

namespace kws {
namespace {

// Copies a bundle's thresholds to `place`, one per label, and makes the bundle use them. Returns
// the end of the copy.
uint8_t* CopyThresholds(PipelineConfig* config, uint8_t* place) {
  RecognizerSettings& settings = config->recognizer;
  int count = 0;
  for (; count < config->label_count && count < Recognizer::kMaxLabels; ++count) {
    place[count] =
        settings.thresholds != nullptr ? settings.thresholds[count] : settings.detection_threshold;
  }
  settings.thresholds = place;
  return place + count;
}

}  // namespace

Pipeline::Pipeline(const PipelineConfig& config, ModelRunner* runner, FrameMemory frames)
    : config_(config),
      runner_(runner),
      features_(frames, config.stride_samples, config.keep_noise) {
  MakeDetector(config_, runner_);
}

void Pipeline::UseCommands(Commands* commands) {
  commands_ = commands;
  // These thresholds outlive the detectors.
  uint8_t* next = CopyThresholds(&config_, commands->thresholds);
  CopyThresholds(&commands->config, next);
  start_second_ = StartSecond;
  hand_over_ = HandOver;
}

void Pipeline::UseGate(Gate* gate) {
  gate_ = gate;
  gated_stride_ = GatedStride;
  hear_noise_ = HearNoise;
}

Status Pipeline::Start() {
  KWS_RETURN_IF_ERROR(StartDetector());
  if (start_second_ != nullptr) KWS_RETURN_IF_ERROR(start_second_(*this));
  return Reset();
}

Status Pipeline::StartSecond(Pipeline& pipeline) {
  const Commands& commands = *pipeline.commands_;
  if (commands.listen_ms < kHopMs) {
    pipeline.mismatch_ = Mismatch::kListenMs;
    return Status::kBadArgument;
  }
  if (commands.config.stride_samples != pipeline.config_.stride_samples ||
      commands.config.keep_noise != pipeline.config_.keep_noise) {
    pipeline.mismatch_ = Mismatch::kDifferentFrames;
    return Status::kBadArgument;
  }
  return pipeline.BeginSecond();
}

void Pipeline::MakeDetector(const PipelineConfig& config, ModelRunner* runner) {
  detector_ = new (place_) Detector(config, runner);
}

Status Pipeline::StartDetector() {
  const Status status = detector_->Start(features_);
  mismatch_ = detector_->mismatch();
  arena_used_[listening_ ? 1 : 0] = detector_->arena_used_bytes();
  return status;
}

Status Pipeline::BeginFirst() {
  listening_ = false;
  MakeDetector(config_, runner_);
  return StartDetector();
}

Status Pipeline::BeginSecond() {
  listening_ = true;
  MakeDetector(commands_->config, commands_->runner);
  return StartDetector();
}

Status Pipeline::Reset() {
  dc_offset_.Reset();
  features_.Reset();
  time_ms_ = 0;
  changed_ = false;
  detection_.label = Detection::kNothing;
  inferences_ = 0;
  skipped_ = 0;
  KWS_RETURN_IF_ERROR(listening_ ? BeginFirst() : detector_->Reset());
  return detector_->HearSilence();
}

Status Pipeline::ProcessHop(const int16_t* hop) {
  int16_t centred[FeatureProvider::kHopSamples];
  Centre(hop, centred);
  rest_ = centred;
  rest_strides_ = StridesPerHop();
  const Status status = ProcessQueued();
  rest_strides_ = 0;
  return status;
}

bool Pipeline::HasRoom() const {
  const int strides = features_.queued() + rest_strides_ + StridesPerHop();
  return strides <= features_.queue_capacity() && strides <= kMostQueued;
}

void Pipeline::Queue(const int16_t* hop) {
  while (rest_strides_ > 0) QueueRest();
  int16_t centred[FeatureProvider::kHopSamples];
  Centre(hop, centred);
  for (int i = 0; i < StridesPerHop(); ++i) QueueStride(centred + i * config_.stride_samples);
}

Status Pipeline::ProcessQueued() {
  inferred_ = false;
  changed_ = false;
  detection_.label = Detection::kNothing;
  for (int i = 0; i < StridesPerHop(); ++i) {
    if (features_.queued() == 0) QueueRest();
    KWS_RETURN_IF_ERROR(ProcessStride());
  }
  return Status::kOk;
}

void Pipeline::Centre(const int16_t* hop, int16_t* centred) {
  std::memcpy(centred, hop, FeatureProvider::kHopSamples * sizeof(int16_t));
  dc_offset_.Remove(centred, FeatureProvider::kHopSamples);
}

void Pipeline::QueueRest() {
  --rest_strides_;
  QueueStride(rest_);
  rest_ += config_.stride_samples;
}

void Pipeline::QueueStride(const int16_t* samples) {
  const bool has_frame = features_.Queue(samples);
  if (hear_noise_ != nullptr && has_frame) hear_noise_(*this);
}

Status Pipeline::ProcessStride() {
  time_ms_ += Detector::Milliseconds(config_.stride_samples);
  const bool has_frame = features_.Take();
  KWS_RETURN_IF_ERROR(gated_stride_ != nullptr
                          ? gated_stride_(*this, has_frame)
                          : detector_->ProcessStride(features_, has_frame, time_ms_));
  if (detector_->inferred()) {
    ++inferences_;
    inferred_ = true;
    inferred_ms_ = time_ms_;
  }
  if (detector_->detection().label != Detection::kNothing) {
    detection_ = detector_->detection();
    if (listening_) detection_.label += config_.label_count;
  }
  return hand_over_ != nullptr ? hand_over_(*this) : Status::kOk;
}

void Pipeline::HearNoise(Pipeline& pipeline) {
  const FeatureProvider& features = pipeline.features_;
  Gate& gate = *pipeline.gate_;
  if (features.frames() == 0 && features.queued_frames() == 1) gate.Reset();
  gate.Process(features.noise());
  pipeline.quiet_ = pipeline.quiet_ << 1 | (gate.IsQuiet(pipeline.config_.window_frames) ? 1 : 0);
}

Status Pipeline::GatedStride(Pipeline& pipeline, bool has_frame) {
  Detector& detector = *pipeline.detector_;
  const bool is_quiet = (pipeline.quiet_ >> pipeline.features_.queued_frames() & 1) != 0;
  const bool rests = has_frame && is_quiet && !pipeline.listening_ && detector.CanSkip();
  if (!rests) return detector.ProcessStride(pipeline.features_, has_frame, pipeline.time_ms_);
  KWS_RETURN_IF_ERROR(detector.SkipStride(has_frame, pipeline.time_ms_));
  if (detector.inferred()) ++pipeline.skipped_;
  return Status::kOk;
}

Status Pipeline::HandOver(Pipeline& pipeline) {
  const bool heard = pipeline.detector_->heard_keyword();
  const uint32_t time_ms = pipeline.time_ms_;
  const bool is_over =
      pipeline.listening_ && time_ms - pipeline.changed_ms_ >= pipeline.commands_->listen_ms;
  if (!heard && !is_over) return Status::kOk;
  pipeline.inferred_ = false;  // scores() belongs to the other bundle from now on
  pipeline.changed_ = true;
  pipeline.changed_ms_ = time_ms;
  pipeline.features_.Silence();
  return pipeline.listening_ ? pipeline.BeginFirst() : pipeline.BeginSecond();
}

int Pipeline::RunningIndex(int label) const {
  if (listening_) return label - config_.label_count;
  return label < config_.label_count ? label : -1;
}

void Pipeline::SetThreshold(int label, uint8_t threshold) {
  if (commands_ != nullptr) commands_->thresholds[label] = threshold;
  const int index = RunningIndex(label);
  if (index >= 0) detector_->SetThreshold(index, threshold);
}

uint8_t Pipeline::threshold(int label) const {
  return commands_ != nullptr ? commands_->thresholds[label] : detector_->threshold(label);
}

uint8_t Pipeline::MeanScore(int label) const {
  const int index = RunningIndex(label);
  return index >= 0 ? detector_->MeanScore(index) : 0;
}

}  // namespace kws
