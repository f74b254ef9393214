// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/played_noise.h"
#include "core/recording_output.h"
#include "kws/gate/gate.h"
#include "kws/pipeline/pipeline.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr const char* kLabels[] = {"silence", "unknown", "yes", "no"};
constexpr size_t kArena = 65536;

// A pipeline that reports the best label early, optionally with a gate.
class Device {
 public:
  Device(const std::vector<uint8_t>& bytes, bool gated, int stride = 2)
      : model_(GetModel(bytes.data(), bytes.size())),
        pipeline(Config(stride), model_, resolver_, arena_, kArena, {frames_, 49}, &output) {
    if (gated) pipeline.UseGate(&gate_);
    EXPECT_EQ(pipeline.Start(), Status::kOk);
  }

  struct Answers {
    std::string text;
    std::vector<std::vector<int8_t>> scores;
    uint32_t skipped;
  };
  Answers Hear(const std::vector<int16_t>& samples) {
    Answers answers;
    output.Clear();
    for (size_t at = 0; at + kHop <= samples.size(); at += kHop) {
      EXPECT_EQ(pipeline.ProcessHop(&samples[at]), Status::kOk);
      if (!pipeline.inferred()) continue;
      answers.scores.emplace_back(pipeline.scores(), pipeline.scores() + 4);
    }
    answers.text = output.text();
    answers.skipped = pipeline.skipped();
    return answers;
  }

 private:
  static PipelineConfig Config(int stride) {
    PipelineConfig config{};
    config.model_name = "tiny";
    config.model_sha8 = "01234567";
    config.labels = kLabels;
    config.label_count = 4;
    config.inference_stride = stride;
    config.recognizer.detection_threshold = 60;
    config.recognizer.suppression_ms = 0;
    config.recognizer.average_window_ms = 200;
    return config;
  }

  int8_t frames_[49 * Frontend::kChannels];
  alignas(16) uint8_t arena_[kArena] = {};
  Model model_;
  AllOpsResolver resolver_;
  Gate gate_{15};

 public:
  RecordingOutput output;
  ReportedPipeline pipeline;
};

const std::vector<int8_t> kSilence = {127, -128, -128, -128};

// Constant noise, louder in the middle.
std::vector<int16_t> QuietRoom(size_t hops, int loud_hops) {
  std::vector<int16_t> samples(hops * kHop);
  std::mt19937 random(4);
  for (size_t i = 0; i < samples.size(); ++i) {
    const size_t hop = i / kHop;
    const bool loud = hop >= hops / 2 && hop < hops / 2 + static_cast<size_t>(loud_hops);
    samples[i] = static_cast<int16_t>(static_cast<int>(random() % 200 - 100) * (loud ? 50 : 1));
  }
  return samples;
}

class GatedPipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    model_ = ReadModel("tiny_conv.tflite");
    ASSERT_FALSE(model_.empty()) << "no model in tests/data/models";
  }
  std::vector<uint8_t> model_;
};

TEST_F(GatedPipelineTest, QuietInferencesAreSilence) {
  Device device(model_, true);
  const Device::Answers answers = device.Hear(QuietRoom(2000, 0));
  const size_t open = (Gate::kSettlingFrames + 50) / 2;
  ASSERT_EQ(answers.scores.size(), 1000u);
  EXPECT_EQ(device.pipeline.inferences(), answers.scores.size());
  EXPECT_GE(answers.skipped, answers.scores.size() - open);
  for (size_t i = open; i < answers.scores.size(); ++i) EXPECT_EQ(answers.scores[i], kSilence);
}

TEST_F(GatedPipelineTest, SoundGivesTheSameScoresAsWithoutAGate) {
  const std::vector<int16_t> samples = QuietRoom(2000, 20);
  Device gated(model_, true);
  Device open(model_, false);
  const Device::Answers some = gated.Hear(samples);
  const Device::Answers all = open.Hear(samples);
  ASSERT_EQ(some.scores.size(), all.scores.size());
  size_t answered = 0;
  for (size_t i = 0; i < some.scores.size(); ++i) {
    // The first inference is in the second hop. These windows contain the whole sound.
    const size_t hop = 2 + 2 * i;
    if (hop >= 1021 && hop < 1049) {
      EXPECT_EQ(some.scores[i], all.scores[i]) << hop;
      ++answered;
    }
    if (some.scores[i] != kSilence) {
      EXPECT_EQ(some.scores[i], all.scores[i]) << hop;
    }
  }
  EXPECT_EQ(answered, 14u);
  EXPECT_EQ(all.skipped, 0u);
  EXPECT_GT(some.skipped, some.scores.size() * 8 / 10);
}

TEST_F(GatedPipelineTest, ResetClearsTheGate) {
  Device device(model_, true);
  const std::vector<int16_t> samples = QuietRoom(600, 20);
  const Device::Answers first = device.Hear(samples);
  ASSERT_EQ(device.pipeline.Reset(), Status::kOk);
  EXPECT_EQ(device.pipeline.inferences(), 0u);
  const Device::Answers second = device.Hear(samples);
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.scores, second.scores);
  EXPECT_EQ(first.skipped, second.skipped);
  EXPECT_GT(first.skipped, 0u);
}

TEST_F(GatedPipelineTest, StreamingModelIsNotGated) {
  const std::vector<uint8_t> streaming = ReadModel("low_latency_svdf.tflite");
  ASSERT_FALSE(streaming.empty());
  Device device(streaming, true, 1);
  Device::Answers answers = device.Hear(QuietRoom(1000, 0));
  EXPECT_GT(answers.scores.size(), 900u);
  EXPECT_EQ(answers.skipped, 0u);
}

TEST_F(GatedPipelineTest, SecondBundleIsNotGated) {
  Device device(model_, true);
  AllOpsResolver resolver;
  const Model model = GetModel(model_.data(), model_.size());
  PipelineConfig config{};
  config.model_name = "commands";
  config.model_sha8 = "01234567";
  config.labels = kLabels;
  config.label_count = 4;
  config.inference_stride = 2;
  config.recognizer.detection_threshold = 254;  // a command would end it
  alignas(16) static uint8_t arena[kArena];
  MicroInterpreter runner(model, resolver, arena, sizeof(arena));
  Commands commands = {config, &runner, 1000000, {}};
  device.pipeline.UseCommands(&commands);
  ASSERT_EQ(device.pipeline.Start(), Status::kOk);
  device.Hear(Sound(2000, 7));
  ASSERT_TRUE(device.pipeline.listening()) << "the sound has a wake word";
  const uint32_t before = device.pipeline.skipped();
  const uint32_t inferences = device.pipeline.inferences();
  device.Hear(QuietRoom(1000, 0));
  EXPECT_EQ(device.pipeline.skipped(), before);
  EXPECT_EQ(device.pipeline.inferences(), inferences + 500);
}

}  // namespace
}  // namespace kws
