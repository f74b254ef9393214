// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/recognizer.h"

namespace kws {

Recognizer::Recognizer(int label_count, const RecognizerSettings& settings, bool has_silence)
    : settings_(settings), label_count_(label_count), has_silence_(has_silence), capacity_(0) {
  if (label_count >= 1 && label_count <= kMaxLabels && settings.average_window_ms > 0 &&
      settings.suppression_ms >= 0 && settings.minimum_count > 0) {
    capacity_ = Capacity(label_count);
    for (int i = 0; i < label_count; ++i) {
      thresholds_[i] =
          settings.thresholds != nullptr ? settings.thresholds[i] : settings.detection_threshold;
    }
  }
}

void Recognizer::Reset() {
  first_ = 0;
  count_ = 0;
  previous_label_ = 0;
  previous_time_ = 0;
  suppressing_ = false;
}

uint8_t Recognizer::MeanScore(int label) const {
  if (count_ == 0) return 0;
  int32_t sum = 0;
  for (int offset = 0; offset < count_; ++offset) {
    sum += scores_[Slot(offset) * label_count_ + label] + 128;
  }
  return static_cast<uint8_t>(sum / count_);
}

bool Recognizer::IsTrusted() const {
  if (count_ < settings_.minimum_count) return false;
  const uint32_t span = times_[Slot(count_ - 1)] - times_[first_];
  return span >= static_cast<uint32_t>(settings_.average_window_ms) / 4;
}

Status Recognizer::Process(const int8_t* scores, int32_t time_ms, Result* result, bool accept) {
  if (capacity_ == 0) return Status::kBadArgument;
  // Differences of times stay valid when time wraps.
  const uint32_t now = static_cast<uint32_t>(time_ms);
  if (count_ > 0 && static_cast<int32_t>(now - times_[Slot(count_ - 1)]) < 0) {
    return Status::kBadArgument;
  }
  const uint32_t window = static_cast<uint32_t>(settings_.average_window_ms);
  while (count_ > 0 && now - times_[first_] > window) {
    first_ = Slot(1);
    --count_;
  }
  if (count_ == capacity_) return Status::kBadArgument;
  const int newest = Slot(count_);
  times_[newest] = now;
  for (int i = 0; i < label_count_; ++i) scores_[newest * label_count_ + i] = scores[i];
  ++count_;

  // A flag, because the time since the last report can exceed 2^32 ms.
  if (suppressing_ && now - previous_time_ > static_cast<uint32_t>(settings_.suppression_ms)) {
    suppressing_ = false;
  }

  result->is_new = false;
  if (!IsTrusted()) {
    result->label = previous_label_;
    result->score = 0;
    return Status::kOk;
  }

  result->label = 0;
  result->score = 0;
  bool exceeds = false;
  for (int i = 0; i < label_count_; ++i) {
    const uint8_t mean = MeanScore(i);
    const bool above = mean > thresholds_[i];
    if (above == exceeds ? mean > result->score : above) {
      result->label = i;
      result->score = mean;
      exceeds = above;
    }
  }

  if (exceeds && !IsSuppressed(result->label)) {
    result->is_new = true;
    if (accept) {
      previous_label_ = result->label;
      previous_time_ = now;
      suppressing_ = result->label != 0 || !has_silence_;
    }
  }
  return Status::kOk;
}

void Recognizer::Accept(int label) {
  previous_label_ = label;
  previous_time_ = times_[Slot(count_ - 1)];
  suppressing_ = label != 0 || !has_silence_;
}

bool Recognizer::MayReport(int label, uint8_t least) const {
  return IsTrusted() && MeanScore(label) > least && thresholds_[label] < UINT8_MAX &&
         !IsSuppressed(label);
}

}  // namespace kws
