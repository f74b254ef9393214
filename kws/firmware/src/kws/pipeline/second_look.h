// SPDX-License-Identifier: Apache-2.0
// A second, larger model that checks the keywords of the first before they are reported. It runs
// only when the first one proposes a keyword, so the first may propose too many.
#ifndef KWS_PIPELINE_SECOND_LOOK_H_
#define KWS_PIPELINE_SECOND_LOOK_H_

#include <cstddef>
#include <cstdint>

#include "kws/pipeline/feature_provider.h"
#include "kws/pipeline/keyword_check.h"
#include "kws/pipeline/recognizer.h"
#include "kws/runtime/model_runner.h"
#include "kws/status.h"

namespace kws {

struct SecondLookSettings {
  constexpr SecondLookSettings(uint8_t least = 100, int most = 3, int stride = 1, int before = 0)
      : proposal(least), looks(most), every(stride), earlier(before) {}

  uint8_t proposal;  // the first model's mean score (0..255) of a keyword must exceed it for a look
  int looks;         // at most, for one proposal (> 0)
  int every;         // inferences of the first model between two looks (> 0)
  // The second model also has to confirm the window that ended this many frames earlier; 0: only
  // the newest window.
  int earlier;
};

// When the second model looks, and what it confirms. A keyword is proposed while its mean score
// exceeds `proposal` and it is not suppressed. The second model looks at each proposal until it
// confirms one, `looks` times at most. Of the proposed keywords, the one with the highest score of
// the second model above the recognizer's threshold is reported, with this score. A refused keyword
// is not suppressed. Silence and unknown are reported without a look.
class Proposals {
 public:
  Proposals() = default;

  // Keeps a reference to the recognizer.
  Proposals(Recognizer* recognizer, int label_count, int first_keyword,
            const SecondLookSettings& settings)
      : recognizer_(recognizer),
        settings_(settings),
        label_count_(label_count),
        first_keyword_(first_keyword) {}

  // Adds a result of the first model, see Recognizer::Process. `*look`: whether the second model
  // has to look now; then call Confirm.
  Status Add(const int8_t* scores, int32_t time_ms, Recognizer::Result* result, bool* look);

  // Whether these scores of the second model, one per label, confirm a proposed keyword.
  bool Confirms(const int8_t* scores) const { return Best(scores) >= 0; }

  // Decides with the second model's scores.
  void Confirm(const int8_t* scores, Recognizer::Result* result);

  // Call it after Recognizer::Reset.
  void Reset() { looks_ = wait_ = 0; }

 private:
  int Best(const int8_t* scores) const;  // the confirmed keyword, or -1

  Recognizer* recognizer_ = nullptr;
  SecondLookSettings settings_;
  int label_count_ = 0;
  int first_keyword_ = 0;
  int looks_ = 0;  // at this proposal so far
  int wait_ = 0;   // results until the next look
};

// Runs the second model. The caller owns runner and tables, which must outlive it.
class SecondLook final : public KeywordCheck {
 public:
  // `runner`: of a stateless model; it may use the first runner's arena, unless the first model
  // streams. `output_order`: the model's output index of each label; it may have more outputs.
  // Null: its outputs are the labels.
  SecondLook(ModelRunner* runner, const SecondLookSettings& settings, const uint8_t* output_order,
             bool shares_arena)
      : runner_(runner),
        settings_(settings),
        output_order_(output_order),
        shares_arena_(shares_arena) {}

  Status Start(Detector* detector, const FeatureProvider& features) override;
  Status Process(const int8_t* scores, int32_t time_ms, Recognizer::Result* result) override;
  void Reset() override { proposals_.Reset(); }
  Status Restore() override;

  // Runs `task` between the ops of a look, and before and after tensors are planned for it or, at
  // the next inference, for the first model. The caller owns it. It may call Pipeline::Queue.
  void UseBackgroundTask(BackgroundTask* task) {
    task_ = task;
    runner_->SetBackgroundTask(task);
  }
  const ModelRunner& runner() const { return *runner_; }
  const SecondLookSettings& settings() const { return settings_; }

  // Runs the model on the newest frames and, if the settings want it, on earlier ones. `scores`:
  // one per label, the lower one of the two windows. In a shared arena the first model's tensors
  // are invalid until Restore.
  Status Look(int8_t* scores) { return Look(scores, true); }

  // Since Start.
  uint32_t looks() const { return looks_; }
  // Scores of the newest look, one per label; zeros before the first. For the host.
  const int8_t* seen() const { return seen_; }

 private:
  bool Fits(int label_count, int capacity) const;
  // `always`: sees earlier frames also if the newest ones confirm nothing.
  Status Look(int8_t* scores, bool always);
  Status LookAt(int skipped, int8_t* scores);
  void RunTask() {
    if (task_ != nullptr) task_->Run();
  }

  ModelRunner* runner_;
  SecondLookSettings settings_;
  const uint8_t* output_order_;
  bool shares_arena_;
  bool has_arena_ = false;  // a look has used the arena since the first model
  BackgroundTask* task_ = nullptr;
  const FeatureProvider* features_ = nullptr;
  ModelRunner* first_ = nullptr;
  int label_count_ = 0;
  uint32_t looks_ = 0;
  Proposals proposals_;
  int8_t seen_[Recognizer::kMaxLabels] = {};
};

}  // namespace kws

#endif  // KWS_PIPELINE_SECOND_LOOK_H_
