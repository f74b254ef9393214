// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/near_misses.h"

#include "kws/detection.h"

namespace kws {
namespace {

constexpr uint8_t kNever = 255;  // a threshold that no score exceeds: the word is off

}  // namespace

void NearMissRule::Heard(uint32_t time_ms) {
  was_heard_ = true;
  heard_ms_ = time_ms;
  has_best_ = is_new_ = false;
}

void NearMissRule::Add(const Scores& scores, uint32_t time_ms) {
  const bool is_checked = scores.proposal != kNone;
  const int score = is_checked ? scores.looked : scores.mean;
  const auto is_half = [&](int of) { return 2 * of >= scores.threshold; };
  const bool is_near = is_checked ? scores.mean > scores.proposal : is_half(scores.mean);
  if (!is_near || scores.threshold == kNever) {
    is_new_ = true;
  } else if (score > scores.threshold) {  // another word was reported instead
    has_best_ = is_new_ = false;
  } else if (is_new_ && score != kNone && is_half(score) && (!has_best_ || score > best_) &&
             !(was_heard_ && time_ms - heard_ms_ < kApartMs)) {
    has_best_ = true;
    best_ = static_cast<uint8_t>(score);
    threshold_ = scores.threshold;
    best_ms_ = time_ms;
  }
}

NearMiss NearMissRule::Take(int label) {
  has_best_ = is_new_ = false;
  return {label, best_, threshold_, best_ms_};
}

void NearMisses::AfterHop() {
  const Detection& detection = pipeline_->detection();
  if (detection.label != Detection::kNothing) {
    rules_[detection.label].Heard(pipeline_->time_ms());
  }
  AddBundle(pipeline_->config(), 0, 0);
  const Commands* commands = pipeline_->commands();
  if (commands != nullptr) AddBundle(commands->config, 1, pipeline_->config().label_count);
}

void NearMisses::AddBundle(const PipelineConfig& config, int bundle, int first_label) {
  const SecondLook* look = looks_[bundle];
  const bool has_looked = look != nullptr && look->looks() != looks_before_[bundle];
  if (has_looked) looks_before_[bundle] = look->looks();
  for (int own = config.first_keyword; own < config.label_count; ++own) {
    const int label = first_label + own;
    NearMissRule::Scores scores;
    scores.threshold = pipeline_->threshold(label);
    scores.mean = pipeline_->MeanScore(label);
    scores.proposal = look != nullptr ? look->settings().proposal : NearMissRule::kNone;
    scores.looked = has_looked ? look->seen()[own] + 128 : NearMissRule::kNone;
    rules_[label].Add(scores, pipeline_->time_ms());
  }
}

bool NearMisses::Take(NearMiss* miss) { return TakeAny(false, miss); }

bool NearMisses::TakeLast(NearMiss* miss) { return TakeAny(true, miss); }

bool NearMisses::TakeAny(bool is_end, NearMiss* miss) {
  const uint32_t now = pipeline_->time_ms();
  for (int label = 0; label < pipeline_->label_count(); ++label) {
    NearMissRule& rule = rules_[label];
    if (!(is_end ? rule.has_best() : rule.IsCertain(now))) continue;
    *miss = rule.Take(label);
    return true;
  }
  return false;
}

void NearMisses::Reset() {
  for (NearMissRule& rule : rules_) rule = NearMissRule();
}

}  // namespace kws
