// SPDX-License-Identifier: Apache-2.0
// The public interfaces, C++ and C, next to the pipeline.
#include "kws/spotter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "core/played_noise.h"
#include "kws/kws_c.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr const char* kLabels[] = {"silence", "unknown", "yes", "no"};
constexpr size_t kArenaBytes = 16384;

const std::vector<uint8_t>& Bytes() {
  static const std::vector<uint8_t> bytes = ReadModel("tiny_conv.tflite");
  return bytes;
}

using Interpreted = InterpretedModel<AllOpsResolver>;

ModelRunner* MakeRunner(void* place, uint8_t* arena, size_t arena_bytes) {
  return (new (place) Interpreted(Bytes().data(), Bytes().size(), arena, arena_bytes))->runner();
}

// Reports the best label as early as possible.
constexpr Bundle BundleOf(int label_count = 4, int gate_rise = 0) {
  return Bundle(PipelineConfig("tiny", "01234567", kLabels, label_count, 2,
                               RecognizerSettings(200, 0, 3, 60)),
                gate_rise, 49, kArenaBytes, sizeof(Interpreted), MakeRunner);
}

struct Hit {
  std::string word;
  int score;
  uint32_t time_ms;
  bool operator==(const Hit& other) const {
    return word == other.word && score == other.score && time_ms == other.time_ms;
  }
};

class SpotterTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(Bytes().empty()) << "no model in tests/data/models"; }

  // The pipeline's reports.
  std::vector<Hit> Expected(const std::vector<int16_t>& samples) {
    alignas(16) static uint8_t arena[kArenaBytes];
    const Model model = GetModel(Bytes().data(), Bytes().size());
    const AllOpsResolver resolver;
    MicroInterpreter runner(model, resolver, arena, sizeof(arena));
    int8_t frames[49 * Frontend::kChannels];
    Pipeline pipeline(bundle_.config, &runner, {frames, 49});
    EXPECT_EQ(pipeline.Start(), Status::kOk);
    std::vector<Hit> hits;
    for (size_t at = 0; at + kHop <= samples.size(); at += kHop) {
      EXPECT_EQ(pipeline.ProcessHop(&samples[at]), Status::kOk);
      const Detection& hit = pipeline.detection();
      if (hit.label == Detection::kNothing) continue;
      hits.push_back({kLabels[hit.label], hit.score, hit.time_ms});
    }
    EXPECT_GT(hits.size(), 5u);
    return hits;
  }

  std::vector<Hit> Hear(Spotter& spotter, const std::vector<int16_t>& samples, size_t at_once) {
    std::vector<Hit> hits;
    for (size_t at = 0; at < samples.size(); at += at_once) {
      const size_t count = std::min(at_once, samples.size() - at);
      const Status status = spotter.Push(&samples[at], count, [&](const Detection& hit) {
        hits.push_back({spotter.label(hit.label), hit.score, hit.time_ms});
      });
      EXPECT_EQ(status, Status::kOk);
    }
    return hits;
  }

  const Bundle bundle_ = BundleOf();
  alignas(16) uint8_t memory_[65536];
};

TEST_F(SpotterTest, AnySplitOfTheSamplesGivesThePipelinesDetections) {
  const std::vector<int16_t> samples = Sound(1000, 7);
  const std::vector<Hit> expected = Expected(samples);
  for (const size_t at_once : {size_t{1}, size_t{319}, size_t{320}, size_t{1000}, samples.size()}) {
    Spotter spotter(bundle_, memory_, sizeof(memory_));
    ASSERT_EQ(spotter.Start(), Status::kOk);
    EXPECT_EQ(Hear(spotter, samples, at_once), expected) << at_once;
    ASSERT_EQ(spotter.Reset(), Status::kOk);
    EXPECT_EQ(Hear(spotter, samples, at_once), expected) << "after a reset";
  }
}

TEST_F(SpotterTest, TheCInterfaceGivesThePipelinesDetections) {
  const std::vector<int16_t> samples = Sound(1000, 7);
  const auto* bundle = reinterpret_cast<const kws_bundle*>(&bundle_);
  int status = -1;
  kws_spotter* spotter = kws_create(bundle, memory_, kws_bytes(bundle), &status);
  ASSERT_NE(spotter, nullptr) << kws_message(status);
  EXPECT_EQ(status, 0);
  std::vector<Hit> hits;
  for (size_t used = 0; used < samples.size();) {
    kws_detection hit;
    used += kws_push(spotter, &samples[used], samples.size() - used, &hit);
    EXPECT_EQ(hit.status, 0);
    EXPECT_EQ(hit.label < 0, hit.word == nullptr);
    if (hit.label >= 0) hits.push_back({hit.word, hit.score, hit.time_ms});
  }
  EXPECT_EQ(hits, Expected(samples));

  EXPECT_EQ(kws_label_count(spotter), 4);
  EXPECT_STREQ(kws_label(spotter, 3), "no");
  EXPECT_EQ(kws_label(spotter, 4), nullptr);
  EXPECT_EQ(kws_label(spotter, -1), nullptr);
  EXPECT_EQ(kws_threshold(spotter, 2), 60);
  EXPECT_EQ(kws_set_threshold(spotter, 2, 255), 0);
  EXPECT_EQ(kws_threshold(spotter, 2), 255);
  for (const int wrong : {-1, 256}) EXPECT_EQ(kws_set_threshold(spotter, 2, wrong), -1);
  for (const int wrong : {-1, 4}) {
    EXPECT_EQ(kws_set_threshold(spotter, wrong, 100), -1);
    EXPECT_EQ(kws_threshold(spotter, wrong), -1);
    EXPECT_EQ(kws_mean_score(spotter, wrong), -1);
  }
  EXPECT_EQ(kws_reset(spotter), 0);
}

TEST_F(SpotterTest, TooLittleOrUnalignedMemoryIsAnError) {
  const auto* bundle = reinterpret_cast<const kws_bundle*>(&bundle_);
  struct Memory {
    uint8_t* start;
    size_t bytes;
  };
  for (const Memory memory : {Memory{memory_, bundle_.bytes() - 1}, Memory{nullptr, 65536},
                              Memory{memory_ + 8, bundle_.bytes()}}) {
    Spotter spotter(bundle_, memory.start, memory.bytes);
    EXPECT_EQ(spotter.Start(), Status::kArenaTooSmall);
    // A loop over samples ends.
    const int16_t samples[1000] = {};
    Detection hit;
    EXPECT_EQ(spotter.Push(samples, 1000, &hit), 1000u);
    EXPECT_EQ(hit.label, Detection::kNothing);
    EXPECT_EQ(spotter.status(), Status::kArenaTooSmall);

    int status = 0;
    EXPECT_EQ(kws_create(bundle, memory.start, memory.bytes, &status), nullptr);
    EXPECT_EQ(status, static_cast<int>(Status::kArenaTooSmall));
    EXPECT_EQ(kws_create(bundle, memory.start, memory.bytes, nullptr), nullptr);
  }
  Spotter exact(bundle_, memory_, bundle_.bytes());
  EXPECT_EQ(exact.Start(), Status::kOk);
}

TEST_F(SpotterTest, SettingsThatDoNotFitTheModelAreAnError) {
  const Bundle three = BundleOf(3);
  Spotter spotter(three, memory_, sizeof(memory_));
  EXPECT_EQ(spotter.Start(), Status::kBadArgument);
  EXPECT_EQ(spotter.mismatch(), Mismatch::kOutput);
}

TEST_F(SpotterTest, NothingIsHeardBeforeTheStart) {
  Spotter spotter(bundle_, memory_, sizeof(memory_));
  const int16_t samples[1000] = {};
  Detection hit;
  EXPECT_EQ(spotter.Push(samples, 1000, &hit), 1000u);
  EXPECT_EQ(spotter.status(), Status::kNotAllocated);
  EXPECT_EQ(spotter.Reset(), Status::kNotAllocated);
}

TEST_F(SpotterTest, TheGateOfTheBundleIsUsed) {
  const Bundle gated = BundleOf(4, 15);
  Spotter spotter(gated, memory_, sizeof(memory_));
  ASSERT_EQ(spotter.Start(), Status::kOk);
  // While the gate is closed, a result is silence's.
  const std::vector<int16_t> quiet(500 * kHop, 1);
  Hear(spotter, quiet, quiet.size());
  EXPECT_EQ(spotter.MeanScore(0), 255);
}

}  // namespace
}  // namespace kws
