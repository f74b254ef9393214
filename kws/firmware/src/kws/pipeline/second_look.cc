// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/second_look.h"

#include <algorithm>

#include "kws/pipeline/detector.h"
#include "kws/pipeline/scores.h"

namespace kws {

Status Proposals::Add(const int8_t* scores, int32_t time_ms, Recognizer::Result* result,
                      bool* look) {
  *look = false;
  KWS_RETURN_IF_ERROR(recognizer_->Process(scores, time_ms, result, false));
  if (result->label < first_keyword_) {
    if (result->is_new) recognizer_->Accept(result->label);
  } else {
    result->is_new = false;
  }
  int label = first_keyword_;
  while (label < label_count_ && !recognizer_->MayReport(label, settings_.proposal)) ++label;
  if (label == label_count_) {
    Reset();
  } else if (wait_ > 0) {
    --wait_;
  } else if (looks_ < settings_.looks) {
    ++looks_;
    wait_ = settings_.every - 1;
    *look = true;
  }
  return Status::kOk;
}

int Proposals::Best(const int8_t* scores) const {
  int best = -1;
  uint8_t highest = 0;
  for (int label = first_keyword_; label < label_count_; ++label) {
    const uint8_t score = static_cast<uint8_t>(scores[label] + 128);
    if (score > recognizer_->threshold(label) && score > highest &&
        recognizer_->MayReport(label, settings_.proposal)) {
      best = label;
      highest = score;
    }
  }
  return best;
}

void Proposals::Confirm(const int8_t* scores, Recognizer::Result* result) {
  const int best = Best(scores);
  if (best < 0) return;
  recognizer_->Accept(best);
  result->label = best;
  result->score = static_cast<uint8_t>(scores[best] + 128);
  result->is_new = true;
  Reset();
}

bool SecondLook::Fits(int label_count, int capacity) const {
  if (settings_.looks < 1 || settings_.every < 1 || settings_.earlier < 0) return false;
  if (runner_->inputs_size() != 1 || runner_->outputs_size() != 1) return false;
  const TensorView input = runner_->input(0);
  const int frames = static_cast<int>(input.bytes) / Frontend::kChannels;
  if (frames < 1 || frames > capacity - settings_.earlier ||
      !IsSingle(input, TensorType::kInt8, frames * Frontend::kChannels)) {
    return false;
  }
  const TensorView output = runner_->output(0);
  if (output.type != TensorType::kInt8 || output.scale != 1.0f / 256.0f ||
      output.zero_point != -128) {
    return false;
  }
  const int scores = static_cast<int>(output.bytes);
  if (output_order_ == nullptr) return scores == label_count;
  for (int label = 0; label < label_count; ++label) {
    if (output_order_[label] >= scores) return false;
  }
  return true;
}

Status SecondLook::Start(Detector* detector, const FeatureProvider& features) {
  features_ = &features;
  first_ = detector->runner_;
  label_count_ = detector->config_.label_count;
  proposals_ =
      Proposals(&detector->recognizer_, label_count_, detector->config_.first_keyword, settings_);
  KWS_RETURN_IF_ERROR(runner_->AllocateTensors());
  if (!Fits(label_count_, features.capacity()) || (detector->IsStreaming() && shares_arena_)) {
    detector->mismatch_ = Mismatch::kSecondLook;
    return Status::kBadArgument;
  }
  const size_t used = runner_->arena_used_bytes();
  if (used > detector->arena_used_) detector->arena_used_ = used;
  has_arena_ = false;
  return shares_arena_ ? first_->AllocateTensors() : Status::kOk;
}

Status SecondLook::Process(const int8_t* scores, int32_t time_ms, Recognizer::Result* result) {
  bool look = false;
  KWS_RETURN_IF_ERROR(proposals_.Add(scores, time_ms, result, &look));
  if (!look) return Status::kOk;
  KWS_RETURN_IF_ERROR(Look(seen_, false));
  ++looks_;
  proposals_.Confirm(seen_, result);
  return Status::kOk;
}

Status SecondLook::Look(int8_t* scores, bool always) {
  RunTask();  // the first model's inference has just ended
  has_arena_ = shares_arena_;
  KWS_RETURN_IF_ERROR(shares_arena_ ? runner_->AllocateTensors() : runner_->Reset());
  RunTask();
  KWS_RETURN_IF_ERROR(LookAt(0, scores));
  if (settings_.earlier > 0 && (always || proposals_.Confirms(scores))) {
    int8_t earlier[Recognizer::kMaxLabels];
    KWS_RETURN_IF_ERROR(LookAt(settings_.earlier, earlier));
    for (int label = 0; label < label_count_; ++label) {
      scores[label] = std::min(scores[label], earlier[label]);
    }
  }
  return Status::kOk;
}

// Not at the end of the look, so that its report comes earlier.
Status SecondLook::Restore() {
  if (!has_arena_) return Status::kOk;
  // The same model in the same arena gets the same addresses, so the detector's stay valid.
  KWS_RETURN_IF_ERROR(first_->AllocateTensors());
  has_arena_ = false;
  RunTask();
  return Status::kOk;
}

Status SecondLook::LookAt(int skipped, int8_t* scores) {
  const TensorView input = runner_->input(0);
  features_->CopyNewest(static_cast<int>(input.bytes) / Frontend::kChannels, input.As<int8_t>(),
                        skipped);
  KWS_RETURN_IF_ERROR(runner_->Invoke());
  CopyScores(runner_->output(0).As<uint8_t>(), 0, output_order_, label_count_, scores);
  return Status::kOk;
}

}  // namespace kws
