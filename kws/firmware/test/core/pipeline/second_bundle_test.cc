// SPDX-License-Identifier: Apache-2.0
// Two bundles in one pipeline.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/played_noise.h"
#include "core/recording_output.h"
#include "core/reported_pipeline.h"
#include "kws/pipeline/pipeline.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr const char* kWakeLabels[] = {"silence", "unknown", "yes", "no"};
constexpr const char* kCommandLabels[] = {"silence", "unknown", "up", "down"};
constexpr size_t kArenaBytes = 65536;

struct Event {
  std::string text;  // without the time
  uint32_t time_ms;
};

// The lines with a time.
std::vector<Event> Events(const std::string& text) {
  std::vector<Event> events;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const size_t mark = line.rfind(" @");
    EXPECT_NE(mark, std::string::npos) << line;
    const std::string words = line.substr(0, line.rfind(" (", mark) + 1 ? line.rfind(" (") : mark);
    events.push_back({words, static_cast<uint32_t>(std::stoul(line.substr(mark + 2)))});
  }
  return events;
}

class SecondBundleTest : public testing::Test {
 protected:
  SecondBundleTest() : arena_(kArenaBytes + 16) {}

  void SetUp() override { Use(ReadModel("tiny_conv.tflite"), ReadModel("tiny_conv.tflite")); }

  void Use(std::vector<uint8_t> wake, std::vector<uint8_t> commands) {
    ASSERT_FALSE(wake.empty() || commands.empty()) << "no model in tests/data/models";
    wake_bytes_ = std::move(wake);
    command_bytes_ = std::move(commands);
    wake_model_ = GetModel(wake_bytes_.data(), wake_bytes_.size());
    command_model_ = GetModel(command_bytes_.data(), command_bytes_.size());
    config_ = {"wake", "01234567", kWakeLabels, 4, 2, {}};
    command_config_ = {"words", "89abcdef", kCommandLabels, 4, 2, {}};
    // Reports the best label as early as possible.
    for (PipelineConfig* config : {&config_, &command_config_}) {
      config->recognizer.detection_threshold = 60;
      config->recognizer.suppression_ms = 0;
      config->recognizer.average_window_ms = 200;
    }
  }

  uint8_t* arena() {
    return arena_.data() + ((0 - reinterpret_cast<uintptr_t>(arena_.data())) & 15);
  }

  // Makes a pipeline of both bundles.
  ReportedPipeline& Make(uint32_t listen_ms, size_t arena_bytes = kArenaBytes) {
    command_runner_.emplace(command_model_, resolver_, arena(), arena_bytes);
    commands_.reset(new Commands{command_config_, &*command_runner_, listen_ms, {}});
    pipeline_.emplace(config_, wake_model_, resolver_, arena(), arena_bytes,
                      FrameMemory{frames_, 49}, &output_);
    pipeline_->UseCommands(commands_.get());
    return *pipeline_;
  }

  // The output for `samples`, without boot lines.
  std::string Play(const std::vector<int16_t>& samples, uint32_t listen_ms) {
    ReportedPipeline& pipeline = Make(listen_ms);
    EXPECT_EQ(pipeline.Start(), Status::kOk);
    return Hear(pipeline, samples);
  }

  std::string Hear(ReportedPipeline& pipeline, const std::vector<int16_t>& samples) {
    return kws::Play(pipeline, output_, samples);
  }

  int8_t frames_[49 * Frontend::kChannels];
  std::vector<uint8_t> arena_, wake_bytes_, command_bytes_;
  Model wake_model_ = GetModel(nullptr, 0), command_model_ = GetModel(nullptr, 0);
  AllOpsResolver resolver_;
  PipelineConfig config_{}, command_config_{};
  RecordingOutput output_;
  std::unique_ptr<Commands> commands_;
  std::optional<MicroInterpreter> command_runner_;
  std::optional<ReportedPipeline> pipeline_;
};

TEST_F(SecondBundleTest, BootLinesNameBothBundles) {
  ReportedPipeline& pipeline = Make(5000);
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  const std::string arena = ", arena " + std::to_string(pipeline.arena_used_bytes()) + " of 65536";
  EXPECT_EQ(output_.text(), "kws 1.2.3 on test, model wake 01234567" + arena +
                                " bytes\nthen model words 89abcdef for 5000 ms" + arena +
                                " bytes\n");
  EXPECT_FALSE(pipeline.listening());
}

TEST_F(SecondBundleTest, OneBundleIsActiveAtATime) {
  int commands = 0, timeouts = 0;
  for (const uint8_t threshold : {60, 160}) {
    const uint32_t listen_ms = threshold == 60 ? 3000 : 400;
    command_config_.recognizer.detection_threshold = threshold;
    const std::vector<Event> events = Events(Play(Sound(2000, 7), listen_ms));
    ASSERT_GT(events.size(), 8u);
    bool listening = false;
    uint32_t since = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      const bool of_command = event.text == "Heard up" || event.text == "Heard down";
      const bool of_wake_word = event.text == "Heard yes" || event.text == "Heard no";
      if (of_wake_word || of_command) {
        EXPECT_EQ(of_command, listening) << event.text << " @" << event.time_ms;
        ASSERT_LT(i + 1, events.size()) << "each is followed by a hand-over";
        EXPECT_EQ(events[i + 1].time_ms, event.time_ms);
        EXPECT_EQ(events[i + 1].text.rfind("Heard", 0), std::string::npos);
        commands += of_command;
      } else if (event.text == "Listening for commands") {
        EXPECT_FALSE(listening);
        listening = true;
        since = event.time_ms;
      } else {
        EXPECT_EQ(event.text, "Waiting for the wake word");
        EXPECT_TRUE(listening);
        listening = false;
        if (events[i - 1].time_ms == event.time_ms) continue;
        EXPECT_EQ(event.time_ms - since, listen_ms) << "times out if no command is given";
        ++timeouts;
      }
    }
  }
  EXPECT_GT(commands, 2);
  EXPECT_GT(timeouts, 2);
}

TEST_F(SecondBundleTest, CommandInTheLastHopCounts) {
  const std::vector<int16_t> samples = Sound(1500, 7);
  const std::vector<Event> events = Events(Play(samples, 60000));
  size_t at = 0;
  while (at < events.size() && events[at].text != "Heard up" && events[at].text != "Heard down") {
    ++at;
  }
  ASSERT_LT(at, events.size()) << "the sound has a command";
  const Event command = events[at];
  const uint32_t needed = command.time_ms - events[at - 1].time_ms;
  ASSERT_GT(needed, 20u);

  const std::vector<Event> just = Events(Play(samples, needed));
  ASSERT_GT(just.size(), at + 1);
  EXPECT_EQ(just[at].text, command.text);
  EXPECT_EQ(just[at].time_ms, command.time_ms);
  EXPECT_EQ(just[at + 1].text, "Waiting for the wake word");
  EXPECT_EQ(just[at + 1].time_ms, command.time_ms) << "one line, though both reasons hold";
  EXPECT_NE(just[at + 2].text, "Waiting for the wake word");

  const std::vector<Event> late = Events(Play(samples, needed - 20));
  EXPECT_EQ(late[at].text, "Waiting for the wake word");
  EXPECT_EQ(late[at].time_ms, command.time_ms - 20);

  // A time that is not a multiple of a hop is rounded up.
  const std::vector<Event> rounded = Events(Play(samples, needed - 39));
  EXPECT_EQ(rounded[at].time_ms, command.time_ms - 20);
}

TEST_F(SecondBundleTest, LedShowsTheWakeWordUntilTheTimeout) {
  // The second bundle detects no command.
  command_config_.recognizer.detection_threshold = 60;
  const uint8_t thresholds[] = {0, 0, 255, 255};
  command_config_.recognizer.thresholds = thresholds;
  const std::vector<Event> events = Events(Play(Sound(2000, 7), 1000));
  size_t waiting = 0;
  for (const Event& event : events) waiting += event.text == "Waiting for the wake word";
  size_t dark = 0;
  const std::vector<int>& leds = output_.leds();
  for (size_t i = 1; i < leds.size(); ++i) dark += leds[i] == 0 && leds[i - 1] != 0;
  EXPECT_GT(waiting, 1u);
  EXPECT_EQ(dark, waiting);
}

TEST_F(SecondBundleTest, LedShowsACommandWithTheWakeWordsColour) {
  // Off briefly between the two, and off at the end. Words are 200 ms apart, longer than the gap.
  for (PipelineConfig* config : {&config_, &command_config_}) {
    config->inference_stride = 10;
    config->recognizer.average_window_ms = 1000;
  }
  const std::vector<Event> events = Events(Play(Sound(2000, 7), 3000));
  size_t words = 0;
  for (const Event& event : events) words += event.text.rfind("Heard", 0) == 0;
  const std::vector<int>& leds = output_.leds();
  size_t lit = 0;
  for (size_t i = 0; i < leds.size(); ++i) lit += leds[i] >= 2 && (i == 0 || leds[i - 1] == 0);
  EXPECT_GT(words, 3u);
  EXPECT_LE(words - lit, 1u) << "the sound may end in the gap before the last one";
}

TEST_F(SecondBundleTest, StreamingModelNeedsAFullWindow) {
  Use(ReadModel("tiny_conv.tflite"), ReadModel("mixed_net.tflite"));
  command_config_.inference_stride = 3;
  command_config_.report_unknown = true;  // this model classifies all sound as unknown
  uint32_t since = 0;
  int heard = 0;
  for (const Event& event : Events(Play(Sound(1000, 7), 3000))) {
    if (event.text == "Heard unknown") {
      EXPECT_GE(event.time_ms - since, 49u * 20u);
      EXPECT_LE(event.time_ms - since, 3000u);
      ++heard;
    } else {
      since = event.time_ms;
    }
  }
  EXPECT_GT(heard, 3);
}

TEST_F(SecondBundleTest, ThresholdsAreKeptWhenBundlesChange) {
  ReportedPipeline& pipeline = Make(1000);
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  ASSERT_EQ(pipeline.label_count(), 8);
  EXPECT_STREQ(pipeline.label(3), "no");
  EXPECT_STREQ(pipeline.label(4), "silence");
  EXPECT_STREQ(pipeline.label(7), "down");
  for (int label = 0; label < 8; ++label) EXPECT_EQ(pipeline.threshold(label), 60);
  for (int label = 4; label < 8; ++label) pipeline.SetThreshold(label, 255);
  const std::vector<int16_t> samples = Sound(2000, 7);
  const std::string text = Hear(pipeline, samples);
  EXPECT_NE(text.find("Listening"), std::string::npos);
  EXPECT_EQ(text.find("Heard up"), std::string::npos);
  EXPECT_EQ(text.find("Heard down"), std::string::npos);
  for (int label = 0; label < 4; ++label) pipeline.SetThreshold(label, 255);
  // The second bundle may still be active until its timeout.
  Hear(pipeline, Sound(60, 1));
  EXPECT_EQ(Hear(pipeline, samples), "") << "no wake word, whichever bundle was active";
  EXPECT_EQ(pipeline.threshold(2), 255);
}

TEST_F(SecondBundleTest, ResetWhileListeningRestoresTheStart) {
  ReportedPipeline& pipeline = Make(60000);
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  const std::vector<int16_t> samples = Sound(500, 7);
  const std::string first = Hear(pipeline, samples);
  std::vector<int16_t> until;
  for (size_t hop = 0; !pipeline.listening(); ++hop) {
    ASSERT_LT(hop, 2000u);
    ASSERT_EQ(pipeline.ProcessHop(&samples[hop % 500 * kHop]), Status::kOk);
  }
  ASSERT_EQ(pipeline.Reset(), Status::kOk);
  EXPECT_FALSE(pipeline.listening());
  EXPECT_EQ(pipeline.hops(), 0u);
  EXPECT_EQ(Hear(pipeline, samples), first);
}

TEST_F(SecondBundleTest, StartReportsErrorsOfTheSecondBundle) {
  const auto fault = [this](uint32_t listen_ms) {
    output_.Clear();
    ReportedPipeline& pipeline = Make(listen_ms);
    EXPECT_NE(pipeline.Start(), Status::kOk);
    if (pipeline.mismatch() == Mismatch::kNone) return output_.text();
    return std::string("error: ") + MismatchMessage(pipeline.mismatch()) + "\n";
  };
  EXPECT_EQ(fault(0), "error: listen_ms is less than 20; build it with --for 5s\n");
  EXPECT_EQ(fault(19), fault(0));
  command_config_.label_count = 3;
  EXPECT_EQ(fault(1000).rfind("error: the model's output is not one int8 score per label", 0), 0u);
  command_config_.label_count = 1000;
  EXPECT_EQ(fault(1000).rfind("error: the number of labels is out of range", 0), 0u);
  command_config_.label_count = 4;
  command_bytes_.resize(200);
  command_model_ = GetModel(command_bytes_.data(), command_bytes_.size());
  EXPECT_EQ(fault(1000), "error: model is damaged; convert it again\n");
}

TEST_F(SecondBundleTest, ArenaIsTheLargerModels) {
  ReportedPipeline probe(config_, wake_model_, resolver_, arena(), kArenaBytes, {frames_, 49},
                         &output_);
  ASSERT_EQ(probe.Start(), Status::kOk);
  ReportedPipeline& pipeline = Make(1000, probe.arena_used_bytes());
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  EXPECT_GT(Events(Hear(pipeline, Sound(1500, 7))).size(), 4u);
}

TEST_F(SecondBundleTest, BundlesNeedTheSameFeatures) {
  command_config_.keep_noise = true;
  EXPECT_EQ(Make(5000).Start(), Status::kBadArgument);
  EXPECT_EQ(pipeline_->mismatch(), Mismatch::kDifferentFrames);
  config_.keep_noise = true;
  EXPECT_EQ(Make(5000).Start(), Status::kOk);
}

TEST_F(SecondBundleTest, BundlesNeedTheSameStride) {
  command_config_.stride_samples = 160;
  EXPECT_EQ(Make(5000).Start(), Status::kBadArgument);
  EXPECT_EQ(pipeline_->mismatch(), Mismatch::kDifferentFrames);
}

}  // namespace
}  // namespace kws
