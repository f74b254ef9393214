// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/near_misses.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace kws {
namespace {

constexpr uint32_t kHopMs = Pipeline::kHopMs;
constexpr uint8_t kThreshold = 180;
constexpr int kProposal = 100;

// Score and time in ms.
using Miss = std::tuple<int, uint32_t>;

// One keyword.
class NearMissRuleTest : public testing::Test {
 protected:
  NearMissRule::Scores Alone(int mean) const {
    return {threshold_, static_cast<uint8_t>(mean), NearMissRule::kNone, NearMissRule::kNone};
  }

  // Adds hops until `end`; `means`: the mean score from a time on.
  void Play(const std::map<uint32_t, int>& means, uint32_t end) {
    int mean = 0;
    for (uint32_t ms = kHopMs; ms < end; ms += kHopMs) {
      if (means.count(ms) > 0) mean = means.at(ms);
      Add(Alone(mean), ms);
    }
  }

  void Add(const NearMissRule::Scores& scores, uint32_t ms) {
    rule_.Add(scores, start_ + ms);
    if (rule_.IsCertain(start_ + ms)) Take();
  }

  void Take() {
    const NearMiss miss = rule_.Take(3);
    EXPECT_EQ(miss.label, 3);
    EXPECT_EQ(miss.threshold, kThreshold);
    found_.emplace_back(miss.score, miss.time_ms - start_);
  }

  NearMissRule rule_;
  uint8_t threshold_ = kThreshold;
  uint32_t start_ = 0;
  std::vector<Miss> found_;
};

TEST_F(NearMissRuleTest, TheHighestScoreFromHalfOfTheThresholdOnCounts) {
  Play({{1000, 90}, {1200, 143}, {1400, 120}, {1500, 0}}, 5000);
  EXPECT_EQ(found_, (std::vector<Miss>{{143, 1200}}));
  EXPECT_FALSE(rule_.has_best());
}

TEST_F(NearMissRuleTest, LowScoresDoNotCount) {
  Play({{1000, 89}, {1200, 0}}, 5000);
  EXPECT_TRUE(found_.empty());
  EXPECT_FALSE(rule_.has_best());
}

TEST_F(NearMissRuleTest, ItIsCertainAfterOneAndAHalfSeconds) {
  Play({{1000, 143}, {1100, 0}}, 2500);
  EXPECT_TRUE(found_.empty());
  Add(Alone(0), 2500);
  EXPECT_EQ(found_, (std::vector<Miss>{{143, 1000}}));
}

TEST_F(NearMissRuleTest, NothingCountsWithinOneAndAHalfSecondsOfADetection) {
  Play({{1000, 143}, {1100, 0}}, 2000);
  rule_.Heard(2000);
  for (uint32_t ms = 2000; ms < 9000; ms += kHopMs) {
    Add(Alone(ms == 3400 || ms == 3500 ? 143 : 0), ms);
  }
  EXPECT_EQ(found_, (std::vector<Miss>{{143, 3500}}));
}

TEST_F(NearMissRuleTest, AScoreThatStaysCountsOnce) {
  Play({{1000, 143}}, 20'000);
  EXPECT_EQ(found_, (std::vector<Miss>{{143, 1000}}));
}

TEST_F(NearMissRuleTest, AScoreAboveTheThresholdMeansThatAnotherWordWasReported) {
  Play({{1000, 143}, {1100, 181}, {1200, 143}, {1300, 0}}, 5000);
  EXPECT_TRUE(found_.empty());
}

TEST_F(NearMissRuleTest, ARefusedProposalCountsWithTheSecondModelsScore) {
  const std::map<uint32_t, int> looks = {
      {1000, 250}, {5000, 89}, {5360, 120}, {5720, 100}, {9000, 89}};
  for (uint32_t ms = kHopMs; ms < 12'000; ms += kHopMs) {
    const bool is_proposed = (ms >= 5000 && ms < 6000) || ms == 9000;
    Add({kThreshold, static_cast<uint8_t>(is_proposed ? kProposal + 1 : kProposal), kProposal,
         looks.count(ms) > 0 ? looks.at(ms) : NearMissRule::kNone},
        ms);
  }
  EXPECT_EQ(found_, (std::vector<Miss>{{120, 5360}}));
}

TEST_F(NearMissRuleTest, AtTheEndOfTheSoundNothingIsAwaited) {
  Play({{1000, 143}}, 1100);
  EXPECT_TRUE(found_.empty());
  ASSERT_TRUE(rule_.has_best());
  Take();
  EXPECT_EQ(found_, (std::vector<Miss>{{143, 1000}}));
  EXPECT_FALSE(rule_.has_best());
}

TEST_F(NearMissRuleTest, AWordThatIsOffDoesNotCount) {
  threshold_ = 255;
  Play({{1000, 254}, {1200, 0}}, 5000);
  EXPECT_TRUE(found_.empty());
  EXPECT_FALSE(rule_.has_best());
}

TEST_F(NearMissRuleTest, TheTimeMayWrap) {
  start_ = UINT32_MAX - 1100;
  Play({{1000, 143}, {1200, 150}, {1300, 0}}, 5000);
  EXPECT_EQ(found_, (std::vector<Miss>{{150, 1200}}));
}

// Of arbitrary scores and detections, each near miss fulfils what near_misses.h says.
TEST(NearMissRules, KeepTheirDistance) {
  std::mt19937 random(7);
  const auto below = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    const bool has_look = round % 2 == 0;
    NearMissRule rule;
    std::map<uint32_t, int> scores;  // those that decide
    std::vector<uint32_t> heard;
    std::vector<NearMiss> misses;
    int mean = 0;
    for (uint32_t ms = kHopMs; ms < 60'000; ms += kHopMs) {
      if (below(25) == 0) mean = below(3) == 0 ? below(256) : 0;
      const int looked = has_look && below(8) == 0 ? below(256) : NearMissRule::kNone;
      scores[ms] = has_look ? looked : mean;
      if (below(100) == 0) {
        heard.push_back(ms);
        rule.Heard(ms);
      }
      rule.Add({kThreshold, static_cast<uint8_t>(mean), has_look ? kProposal : NearMissRule::kNone,
                looked},
               ms);
      if (rule.IsCertain(ms)) misses.push_back(rule.Take(0));
    }
    for (const NearMiss& miss : misses) {
      EXPECT_EQ(scores[miss.time_ms], miss.score);
      EXPECT_GE(2 * miss.score, kThreshold);
      EXPECT_LE(miss.score, kThreshold);
      for (const uint32_t ms : heard) {
        EXPECT_GE(ms > miss.time_ms ? ms - miss.time_ms : miss.time_ms - ms,
                  NearMissRule::kApartMs);
      }
    }
    found += static_cast<int>(misses.size());
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace kws
