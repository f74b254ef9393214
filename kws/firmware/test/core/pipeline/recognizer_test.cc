// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/recognizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace kws {
namespace {

constexpr int kLabels = 4;

// A simple implementation, with a deque and 64-bit times.
class Reference {
 public:
  explicit Reference(const RecognizerSettings& settings) : settings_(settings) {}

  Recognizer::Result Process(const std::vector<int8_t>& scores, int64_t time) {
    window_.push_back({time, scores});
    while (window_.front().time < time - settings_.average_window_ms) window_.pop_front();
    Recognizer::Result result;
    result.label = previous_;
    if (static_cast<int>(window_.size()) < settings_.minimum_count ||
        time - window_.front().time < settings_.average_window_ms / 4) {
      return result;
    }
    std::vector<std::pair<int64_t, int>> all;
    std::vector<std::pair<int64_t, int>> above;
    for (int i = 0; i < kLabels; ++i) {
      int64_t sum = 0;
      for (const Entry& entry : window_) sum += entry.scores[static_cast<size_t>(i)] + 128;
      // Pairs compare by the mean, then by the lowest index.
      const std::pair<int64_t, int> mean(sum / static_cast<int64_t>(window_.size()), -i);
      all.push_back(mean);
      if (mean.first > Threshold(i)) above.push_back(mean);
    }
    const auto& best = above.empty() ? all : above;
    const auto highest = *std::max_element(best.begin(), best.end());
    result.score = static_cast<uint8_t>(highest.first);
    result.label = -highest.second;
    const int64_t since =
        previous_ == 0 || !reported_ ? std::numeric_limits<int64_t>::max() : time - previous_time_;
    if (!above.empty() && (result.label != previous_ || since > settings_.suppression_ms)) {
      result.is_new = true;
      previous_ = result.label;
      previous_time_ = time;
      reported_ = true;
    }
    return result;
  }

 private:
  struct Entry {
    int64_t time;
    std::vector<int8_t> scores;
  };
  int Threshold(int label) const {
    return settings_.thresholds != nullptr ? settings_.thresholds[label]
                                           : settings_.detection_threshold;
  }
  RecognizerSettings settings_;
  std::deque<Entry> window_;
  int previous_ = 0;
  int64_t previous_time_ = 0;
  bool reported_ = false;
};

std::vector<int8_t> Peak(int label, int score = 255) {
  std::vector<int8_t> scores(kLabels, -128);
  scores[static_cast<size_t>(label)] = static_cast<int8_t>(score - 128);
  return scores;
}

// Feeds `label` every 40 ms from `from` to `to` and returns the times of new detections.
std::vector<int> Feed(Recognizer& recognizer, int label, int from, int to) {
  std::vector<int> times;
  for (int time = from; time <= to; time += 40) {
    Recognizer::Result result;
    EXPECT_EQ(recognizer.Process(Peak(label).data(), time, &result), Status::kOk);
    if (result.is_new) times.push_back(time);
  }
  return times;
}

TEST(Recognizer, EqualsItsReferenceOnRandomStreams) {
  std::mt19937 random(1);
  int reported = 0;
  for (int stream = 0; stream < 60; ++stream) {
    RecognizerSettings settings;
    settings.average_window_ms = 200 + static_cast<int32_t>(random() % 1500);
    settings.suppression_ms = static_cast<int32_t>(random() % 3000);
    settings.minimum_count = 1 + static_cast<int32_t>(random() % 5);
    settings.detection_threshold = static_cast<uint8_t>(random() % 255);
    uint8_t thresholds[kLabels];
    for (uint8_t& threshold : thresholds) threshold = static_cast<uint8_t>(random() % 255);
    if (stream % 3 == 0) settings.thresholds = thresholds;
    Recognizer recognizer(kLabels, settings);
    Reference reference(settings);
    const uint32_t start = stream % 2 == 0 ? 0 : 0x7fffff00u + random() % 0x80000000u;
    int64_t time = 0;
    int top = 0;
    for (int i = 0; i < 3000; ++i) {
      if (random() % 20 == 0) top = static_cast<int>(random() % kLabels);
      std::vector<int8_t> scores(kLabels);
      for (int8_t& score : scores) score = static_cast<int8_t>(random() % 100 - 128);
      scores[static_cast<size_t>(top)] = static_cast<int8_t>(128 - 1 - random() % 40);
      time += random() % 50 == 0 ? random() % 2000 : 20 + random() % 40;
      Recognizer::Result result;
      ASSERT_EQ(
          recognizer.Process(scores.data(),
                             static_cast<int32_t>(start + static_cast<uint32_t>(time)), &result),
          Status::kOk);
      const Recognizer::Result expected = reference.Process(scores, time);
      ASSERT_EQ(result.label, expected.label) << "stream " << stream << " result " << i;
      ASSERT_EQ(result.score, expected.score) << "stream " << stream << " result " << i;
      ASSERT_EQ(result.is_new, expected.is_new) << "stream " << stream << " result " << i;
      reported += result.is_new ? 1 : 0;
    }
  }
  EXPECT_GT(reported, 1000);
}

TEST(Recognizer, NeedsAQuarterOfTheWindow) {
  Recognizer recognizer(kLabels, {});
  EXPECT_EQ(Feed(recognizer, 2, 1000, 1240), std::vector<int>{});  // spans 240 ms
  EXPECT_EQ(Feed(recognizer, 2, 1250, 1250), std::vector<int>{1250});
}

TEST(Recognizer, NeedsTheMinimumCount) {
  Recognizer recognizer(kLabels, {});
  Recognizer::Result result;
  for (int time : {0, 400}) {
    ASSERT_EQ(recognizer.Process(Peak(2).data(), time, &result), Status::kOk);
    EXPECT_FALSE(result.is_new);
    EXPECT_EQ(result.score, 0);
    EXPECT_EQ(result.label, 0) << "nothing was reported before";
  }
  ASSERT_EQ(recognizer.Process(Peak(2).data(), 800, &result), Status::kOk);
  EXPECT_TRUE(result.is_new);
}

TEST(Recognizer, ReportsTheMeanOfEachLabel) {
  Recognizer recognizer(2, RecognizerSettings{});
  EXPECT_EQ(recognizer.MeanScore(0), 0);
  Recognizer::Result result;
  const int8_t first[] = {-128, 127};
  const int8_t second[] = {72, -128};
  ASSERT_EQ(recognizer.Process(first, 0, &result), Status::kOk);
  ASSERT_EQ(recognizer.Process(second, 100, &result), Status::kOk);
  EXPECT_EQ(recognizer.MeanScore(0), 100);
  EXPECT_EQ(recognizer.MeanScore(1), 127);
  recognizer.Reset();
  EXPECT_EQ(recognizer.MeanScore(1), 0);
}

TEST(Recognizer, MeanMustExceedTheThreshold) {
  for (int score : {200, 201}) {
    Recognizer recognizer(kLabels, {});
    bool heard = false;
    for (int time = 0; time <= 1000; time += 40) {
      Recognizer::Result result;
      ASSERT_EQ(recognizer.Process(Peak(3, score).data(), time, &result), Status::kOk);
      heard = heard || result.is_new;
    }
    EXPECT_EQ(heard, score == 201);
  }
}

TEST(Recognizer, EachLabelMayHaveItsOwnThreshold) {
  const uint8_t thresholds[kLabels] = {200, 200, 100, 255};
  RecognizerSettings settings;
  settings.thresholds = thresholds;
  for (const auto& [label, score, heard] : {std::tuple{2, 100, false},
                                            {2, 101, true},
                                            {1, 200, false},
                                            {1, 201, true},
                                            {3, 255, false}}) {
    Recognizer recognizer(kLabels, settings);
    bool is_new = false;
    for (int time = 0; time <= 1000; time += 40) {
      Recognizer::Result result;
      ASSERT_EQ(recognizer.Process(Peak(label, score).data(), time, &result), Status::kOk);
      is_new = is_new || result.is_new;
    }
    EXPECT_EQ(is_new, heard) << label << " " << score;
  }
  Recognizer recognizer(kLabels, settings);
  recognizer.SetThreshold(3, 254);
  EXPECT_EQ(recognizer.threshold(3), 254);
  EXPECT_EQ(Feed(recognizer, 3, 0, 300), std::vector<int>{280});
}

TEST(Recognizer, HigherMeanBelowItsThresholdIsIgnored) {
  const uint8_t thresholds[kLabels] = {200, 200, 60, 60};
  RecognizerSettings settings;
  settings.thresholds = thresholds;
  // Unknown, then two keywords; the label that is reported, or -1.
  for (const auto& [unknown, first, second, reported] : {std::tuple{150, 70, 0, 2},
                                                         {150, 60, 0, -1},
                                                         {120, 61, 65, 3},
                                                         {120, 65, 65, 2},
                                                         {201, 61, 0, 1}}) {
    Recognizer recognizer(kLabels, settings);
    const int8_t scores[kLabels] = {-128, static_cast<int8_t>(unknown - 128),
                                    static_cast<int8_t>(first - 128),
                                    static_cast<int8_t>(second - 128)};
    int heard = -1;
    Recognizer::Result result;
    for (int time = 0; time <= 1000; time += 40) {
      ASSERT_EQ(recognizer.Process(scores, time, &result), Status::kOk);
      if (result.is_new) heard = result.label;
    }
    EXPECT_EQ(heard, reported) << unknown << " " << first << " " << second;
    if (reported < 0) {
      EXPECT_EQ(result.label, 1) << "the highest mean, which is not reported";
    }
  }
}

TEST(Recognizer, SameLabelIsSuppressed) {
  Recognizer recognizer(kLabels, {});
  EXPECT_EQ(Feed(recognizer, 2, 0, 4000), (std::vector<int>{280, 1800, 3320}));
}

TEST(Recognizer, TheFirstLabelIsSuppressedIfItIsNotSilence) {
  RecognizerSettings settings;
  settings.average_window_ms = 100;
  settings.minimum_count = 1;
  for (const bool has_silence : {true, false}) {
    Recognizer recognizer(1, settings, has_silence);
    std::vector<int32_t> times;
    for (int32_t time = 0; time <= 4000; time += 50) {
      const int8_t score = 127;
      Recognizer::Result result;
      ASSERT_EQ(recognizer.Process(&score, time, &result), Status::kOk);
      if (result.is_new) times.push_back(time);
    }
    if (has_silence) {
      EXPECT_EQ(times.size(), 80u);  // silence is new each time
    } else {
      EXPECT_EQ(times, (std::vector<int32_t>{50, 1600, 3150}));
    }
  }
}

TEST(Recognizer, AnotherLabelIsReportedAtOnce) {
  RecognizerSettings settings;
  settings.average_window_ms = 100;
  settings.minimum_count = 1;
  Recognizer recognizer(kLabels, settings);
  EXPECT_EQ(Feed(recognizer, 2, 0, 200), std::vector<int>{40});
  EXPECT_EQ(Feed(recognizer, 3, 240, 320), std::vector<int>{320});
}

TEST(Recognizer, TimeMayWrap) {
  // Reported just before 2^32 ms, then not again until the suppression is over.
  Recognizer recognizer(kLabels, {});
  std::vector<int32_t> heard;
  const uint32_t start = 0u - 400u;
  for (uint32_t i = 0; i <= 100; ++i) {
    Recognizer::Result result;
    ASSERT_EQ(recognizer.Process(Peak(2).data(), static_cast<int32_t>(start + 40 * i), &result),
              Status::kOk);
    if (result.is_new) heard.push_back(static_cast<int32_t>(start + 40 * i));
  }
  EXPECT_EQ(heard, (std::vector<int32_t>{-120, 1400, 2920}));
}

TEST(Recognizer, LabelIsReportedAgainAfterAnyTime) {
  RecognizerSettings settings;
  settings.minimum_count = 1;
  Recognizer recognizer(kLabels, settings);
  EXPECT_EQ(Feed(recognizer, 2, 0, 280), std::vector<int>{280});
  // 2^31 ms and more of low scores, in steps of 10 days, so that differences of times turn
  // negative.
  uint32_t time = 280;
  Recognizer::Result result;
  for (int i = 0; i < 3; ++i) {
    time += 864000000u;
    ASSERT_EQ(recognizer.Process(Peak(1, 10).data(), static_cast<int32_t>(time), &result),
              Status::kOk);
  }
  bool heard = false;
  for (int i = 0; i < 60; ++i) {
    time += 40;
    ASSERT_EQ(recognizer.Process(Peak(2).data(), static_cast<int32_t>(time), &result), Status::kOk);
    heard = heard || result.is_new;
  }
  EXPECT_TRUE(heard);
}

TEST(Recognizer, RefusesTimesThatRunBackwards) {
  Recognizer recognizer(kLabels, {});
  Recognizer::Result result;
  ASSERT_EQ(recognizer.Process(Peak(2).data(), 100, &result), Status::kOk);
  EXPECT_EQ(recognizer.Process(Peak(2).data(), 99, &result), Status::kBadArgument);
  EXPECT_EQ(recognizer.Process(Peak(2).data(), 100, &result), Status::kOk)
      << "standing still is allowed";
}

TEST(Recognizer, RefusesMoreResultsThanItHolds) {
  Recognizer recognizer(kLabels, {});
  Recognizer::Result result;
  for (int i = 0; i < Recognizer::Capacity(kLabels); ++i) {
    ASSERT_EQ(recognizer.Process(Peak(2).data(), i, &result), Status::kOk);
  }
  EXPECT_EQ(recognizer.Process(Peak(2).data(), 500, &result), Status::kBadArgument);
  EXPECT_EQ(recognizer.Process(Peak(2).data(), 5000, &result), Status::kOk);
}

TEST(Recognizer, RefusesWrongSettings) {
  Recognizer::Result result;
  const std::vector<int8_t> scores(Recognizer::kMaxLabels + 1, -128);
  for (int labels : {-1, 0, Recognizer::kMaxLabels + 1}) {
    EXPECT_EQ(Recognizer(labels, {}).Process(scores.data(), 0, &result), Status::kBadArgument);
  }
  RecognizerSettings settings;
  settings.average_window_ms = 0;
  EXPECT_EQ(Recognizer(4, settings).Process(scores.data(), 0, &result), Status::kBadArgument);
}

TEST(Recognizer, ResetClearsEverything) {
  Recognizer recognizer(kLabels, {});
  EXPECT_EQ(Feed(recognizer, 2, 0, 400), std::vector<int>{280});
  recognizer.Reset();
  EXPECT_EQ(Feed(recognizer, 2, 0, 400), std::vector<int>{280});
}

}  // namespace
}  // namespace kws
