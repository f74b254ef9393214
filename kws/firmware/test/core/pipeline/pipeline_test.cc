// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/played_noise.h"
#include "core/recording_output.h"
#include "core/reported_pipeline.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr const char* kLabels[] = {"silence", "unknown", "yes", "no"};

struct Device {
  explicit Device(std::vector<uint8_t> bytes, size_t arena_size = 65536)
      : data(std::move(bytes)), arena(arena_size + 16), model(GetModel(data.data(), data.size())) {
    config.model_name = "tiny";
    config.model_sha8 = "01234567";
    config.labels = kLabels;
    config.label_count = 4;
    config.inference_stride = 2;
    size = arena_size;
  }
  uint8_t* aligned_arena() {
    return arena.data() + ((0 - reinterpret_cast<uintptr_t>(arena.data())) & 15);
  }
  ReportedPipeline Make() { return MakeWith(resolver); }
  ReportedPipeline MakeWith(const OpResolver& ops, int kept_frames = 49) {
    return ReportedPipeline(config, model, ops, aligned_arena(), size, {frames, kept_frames},
                            &output);
  }

  int8_t frames[49 * Frontend::kChannels];
  std::vector<uint8_t> data;
  std::vector<uint8_t> arena;
  size_t size;
  Model model;
  AllOpsResolver resolver;
  PipelineConfig config{};
  RecordingOutput output;
};

// The error of a pipeline that does not start, with a mismatch in words.
std::string Fault(ReportedPipeline& pipeline, const Device& device, Status expected) {
  EXPECT_EQ(pipeline.Start(), expected);
  if (pipeline.mismatch() == Mismatch::kNone) return device.output.text();
  EXPECT_EQ(device.output.text(), "error: the settings do not match the model (" +
                                      std::to_string(static_cast<int>(pipeline.mismatch())) +
                                      "); convert the model again and rebuild\n");
  return std::string("error: ") + MismatchMessage(pipeline.mismatch()) + "\n";
}

std::string StartFault(Device& device, Status expected) {
  ReportedPipeline pipeline = device.Make();
  return Fault(pipeline, device, expected);
}

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    model_ = ReadModel("tiny_conv.tflite");
    ASSERT_FALSE(model_.empty()) << "no model in tests/data/models";
  }
  // Reports the best label as early as possible.
  static void MakeTalkative(Device& device) {
    device.config.recognizer.detection_threshold = 60;
    device.config.recognizer.suppression_ms = 0;
    device.config.recognizer.average_window_ms = 200;
  }
  std::vector<uint8_t> model_;
};

TEST_F(PipelineTest, BootLineNamesVersionBoardModelAndArena) {
  Device device(model_);
  ReportedPipeline pipeline = device.Make();
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  EXPECT_GT(pipeline.arena_used_bytes(), 1960u);
  EXPECT_EQ(device.output.text(), "kws 1.2.3 on test, model tiny 01234567, arena " +
                                      std::to_string(pipeline.arena_used_bytes()) +
                                      " of 65536 bytes\n");
}

TEST_F(PipelineTest, NeedsExactlyTheReportedArena) {
  Device probe(model_);
  ReportedPipeline first = probe.Make();
  ASSERT_EQ(first.Start(), Status::kOk);
  const size_t used = first.arena_used_bytes();

  Device exact(model_, used);
  ReportedPipeline pipeline = exact.Make();
  EXPECT_EQ(pipeline.Start(), Status::kOk);

  Device small(model_, used - 16);
  EXPECT_EQ(StartFault(small, Status::kArenaTooSmall),
            "error: tensor arena is too small; make it larger than " + std::to_string(used - 16) +
                " bytes\n");
}

TEST_F(PipelineTest, TimesAreTheEndsOfHopsAtTheStride) {
  for (int stride : {1, 2, 5}) {
    Device device(model_);
    MakeTalkative(device);
    device.config.inference_stride = stride;
    device.config.recognizer.minimum_count = 1;
    ReportedPipeline pipeline = device.Make();
    ASSERT_EQ(pipeline.Start(), Status::kOk);
    const std::string text = Play(pipeline, device.output, Sound(1000, 7));
    int lines = 0;
    for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
      const int time = std::stoi(text.substr(at + 1));
      // The first frame ends with the second hop; a span of 50 ms is trusted.
      EXPECT_GE(time, 90);
      // The 49th frame ends with the 50th hop, at 1000 ms.
      EXPECT_EQ((time - 1000) % (20 * stride), 0) << time << " at stride " << stride;
      ++lines;
    }
    EXPECT_GT(lines, 3);
  }
}

// A device that starts with a word's first sample computes the same scores as a device that has
// processed silence before.
TEST_F(PipelineTest, StartEqualsAStartAfterSilence) {
  struct Answers {
    std::vector<std::vector<int8_t>> scores;
    std::vector<uint32_t> times;
  };
  std::vector<int16_t> sound = Sound(150, 5);
  // A frame that ends here begins before the start, where there is no frame.
  std::fill_n(sound.begin(), Frontend::kNewestSamples, int16_t{0});
  for (const char* name : {"tiny_conv.tflite", "low_latency_svdf.tflite"}) {
    const std::vector<uint8_t> bytes = ReadModel(name);
    ASSERT_FALSE(bytes.empty()) << name;
    Answers answers[2];
    for (const bool waits : {false, true}) {
      Device device(bytes);
      device.config.inference_stride = std::string(name) == "tiny_conv.tflite" ? 2 : 1;
      ReportedPipeline pipeline = device.Make();
      ASSERT_EQ(pipeline.Start(), Status::kOk);
      const size_t silent_hops = waits ? 60 : 0;  // more than a window, and whole inferences
      std::vector<int16_t> samples(silent_hops * kHop, 0);
      samples.insert(samples.end(), sound.begin(), sound.end());
      for (size_t hop = 0; hop < samples.size() / kHop; ++hop) {
        ASSERT_EQ(pipeline.ProcessHop(&samples[hop * kHop]), Status::kOk);
        if (!pipeline.inferred() || hop <= silent_hops) continue;
        answers[waits].scores.emplace_back(pipeline.scores(), pipeline.scores() + 4);
        answers[waits].times.push_back(pipeline.inferred_ms() - 20 * silent_hops);
      }
    }
    EXPECT_GT(answers[0].times.size(), 40u);
    EXPECT_LT(answers[0].times[0], 100u);
    EXPECT_EQ(answers[0].times, answers[1].times) << name;
    EXPECT_EQ(answers[0].scores, answers[1].scores) << name;
  }
}

TEST_F(PipelineTest, ResetRestoresTheStart) {
  Device device(model_);
  MakeTalkative(device);
  ReportedPipeline pipeline = device.Make();
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  const std::vector<int16_t> samples = Sound(500, 3);
  const std::string first = Play(pipeline, device.output, samples);
  EXPECT_NE(first, "");
  const std::string running = Play(pipeline, device.output, samples);
  EXPECT_NE(running, first) << "time runs on";
  ASSERT_EQ(pipeline.Reset(), Status::kOk);
  EXPECT_EQ(Play(pipeline, device.output, samples), first);
}

// All lines except detections of unknown.
std::string OfKeywords(const std::string& text) {
  std::string lines;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
    if (line.rfind("Heard unknown", 0) != 0) lines += line;
  }
  return lines;
}

TEST_F(PipelineTest, ReportingUnknownChangesNoOtherLine) {
  std::string texts[2];
  for (const bool report_unknown : {false, true}) {
    Device device(model_);
    MakeTalkative(device);
    device.config.report_unknown = report_unknown;
    ReportedPipeline pipeline = device.Make();
    ASSERT_EQ(pipeline.Start(), Status::kOk);
    texts[report_unknown] = Play(pipeline, device.output, Sound(2000, 7));
  }
  EXPECT_EQ(texts[false], OfKeywords(texts[true]));
  EXPECT_NE(texts[false], texts[true]) << "the sound has an unknown word";
  EXPECT_NE(texts[false], "") << "and keywords";
}

TEST_F(PipelineTest, WithoutSilenceAndUnknownAllLabelsAreKeywords) {
  Device device(model_);
  MakeTalkative(device);
  ReportedPipeline pipeline = device.Make();
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  const std::string usual = Play(pipeline, device.output, Sound(2000, 7));
  EXPECT_EQ(usual.find("Heard unknown"), std::string::npos);
  device.config.first_keyword = 0;
  ReportedPipeline all = device.Make();
  ASSERT_EQ(all.Start(), Status::kOk);
  EXPECT_NE(Play(all, device.output, Sound(2000, 7)).find("Heard unknown"), std::string::npos);
}

TEST_F(PipelineTest, EachReportedWordLightsTheLed) {
  Device device(model_);
  MakeTalkative(device);
  device.config.inference_stride = 10;  // so words are 200 ms apart, more than an LED's gap
  device.config.recognizer.average_window_ms = 1000;
  ReportedPipeline pipeline = device.Make();
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  const std::vector<int16_t> samples = Sound(2000, 7);
  std::vector<int> heard, lit;
  device.output.Clear();
  for (size_t at = 0; at + Frontend::kStrideSamples <= samples.size();
       at += Frontend::kStrideSamples) {
    ASSERT_EQ(pipeline.ProcessHop(&samples[at]), Status::kOk);
    const int label = pipeline.detection().label;
    if (label != Detection::kNothing) heard.push_back(label);
  }
  for (const int led : device.output.leds()) {
    if (led > 0) lit.push_back(led);
  }
  const std::string text = device.output.text();
  EXPECT_EQ(heard.size(), static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
  if (lit.size() < heard.size()) heard.pop_back();  // the sound ended in the gap
  EXPECT_EQ(lit, heard);
  EXPECT_GT(heard.size(), 5u);
}

TEST_F(PipelineTest, LostSamplesAreReported) {
  Device device(model_);
  ReportedPipeline pipeline = device.Make();
  pipeline.responder().WriteLost(512);
  EXPECT_EQ(device.output.text(),
            "error: lost 512 samples; the board does not keep up: raise inference_stride\n");
}

TEST_F(PipelineTest, ReportsErrorsOfTheModel) {
  Device truncated(std::vector<uint8_t>(model_.begin(), model_.begin() + 200));
  EXPECT_EQ(StartFault(truncated, Status::kBadModel),
            "error: model is damaged; convert it again\n");

  Device noise(std::vector<uint8_t>(1000, 0xa5));
  EXPECT_EQ(StartFault(noise, noise.model.status()).rfind("error: model is ", 0), 0u);

  // A missing op: the error names its index and code.
  Device device(model_);
  MicroMutableOpResolver<1> resolver;
  resolver.AddSoftmax();
  ReportedPipeline pipeline = device.MakeWith(resolver);
  EXPECT_EQ(pipeline.Start(), Status::kUnsupportedOp);
  EXPECT_EQ(
      device.output.text(),
      "error: operator 0 (builtin code 3): op is not registered; add it to the op resolver\n");
}

TEST_F(PipelineTest, ReportsErrorsOfTheSettings) {
  Device labels(model_);
  labels.config.label_count = 3;
  EXPECT_EQ(
      StartFault(labels, Status::kBadArgument),
      "error: the model's output is not one int8 score per label; convert the model again and "
      "rebuild\n");

  Device stride(model_);
  stride.config.inference_stride = 0;
  EXPECT_EQ(StartFault(stride, Status::kBadArgument).rfind("error: inference_stride", 0), 0u);

  Device window(model_);
  window.config.inference_stride = 1;
  window.config.recognizer.average_window_ms = 3000;
  EXPECT_EQ(StartFault(window, Status::kBadArgument).rfind("error: average_window_ms", 0), 0u);
}

TEST_F(PipelineTest, ReportsErrorsOfStrideAndLabels) {
  for (const int stride : {0, 80, 161, 480}) {
    Device device(model_);
    device.config.stride_samples = stride;
    EXPECT_EQ(StartFault(device, Status::kBadArgument).rfind("error: the frames' stride", 0), 0u);
  }
  Device often(model_);
  often.config.stride_samples = 160;
  often.config.inference_stride = 1;
  EXPECT_EQ(StartFault(often, Status::kBadArgument).rfind("error: inferences are less", 0), 0u);
  Device keyword(model_);
  keyword.config.first_keyword = 1;
  EXPECT_EQ(StartFault(keyword, Status::kBadArgument).rfind("error: the first keyword", 0), 0u);
}

TEST_F(PipelineTest, ScoresAreInTheOrderOfTheLabels) {
  static constexpr uint8_t kOrder[] = {3, 1, 0, 2};
  const std::vector<int16_t> sound = Sound(80, 3);
  std::vector<std::vector<int8_t>> scores[2];
  for (const int reordered : {0, 1}) {
    Device device(model_);
    if (reordered != 0) device.config.output_order = kOrder;
    ReportedPipeline pipeline = device.Make();
    ASSERT_EQ(pipeline.Start(), Status::kOk);
    for (size_t at = 0; at + kHop <= sound.size(); at += kHop) {
      ASSERT_EQ(pipeline.ProcessHop(&sound[at]), Status::kOk);
      if (!pipeline.inferred()) continue;
      scores[reordered].emplace_back(pipeline.scores(), pipeline.scores() + 4);
    }
  }
  ASSERT_GT(scores[0].size(), 3u);
  ASSERT_EQ(scores[0].size(), scores[1].size());
  for (size_t row = 0; row < scores[0].size(); ++row) {
    for (size_t label = 0; label < 4; ++label) {
      EXPECT_EQ(scores[1][row][label], scores[0][row][kOrder[label]]);
    }
  }
}

TEST_F(PipelineTest, OutputOrderMustBeAPermutation) {
  static constexpr uint8_t kTwice[] = {0, 1, 1, 3};
  static constexpr uint8_t kBeyond[] = {0, 1, 2, 4};
  for (const uint8_t* order : {kTwice, kBeyond}) {
    Device device(model_);
    device.config.output_order = order;
    EXPECT_EQ(StartFault(device, Status::kBadArgument).rfind("error: output_order", 0), 0u);
  }
}

TEST_F(PipelineTest, HalfTheStrideDoublesTheInferences) {
  const std::vector<int16_t> sound = Sound(60, 3);
  for (const int stride : {320, 160}) {
    Device device(model_);
    device.config.stride_samples = stride;
    device.config.inference_stride = 7;
    ReportedPipeline pipeline = device.Make();
    ASSERT_EQ(pipeline.Start(), Status::kOk);
    std::vector<uint32_t> times;
    for (size_t at = 0; at + kHop <= sound.size(); at += kHop) {
      ASSERT_EQ(pipeline.ProcessHop(&sound[at]), Status::kOk);
      if (pipeline.inferred()) times.push_back(pipeline.inferred_ms());
    }
    // One inference is at the 49th frame: 48 strides after the first frame, which ends at 30 ms.
    const uint32_t full = stride == 320 ? 1000 : 510;
    const uint32_t step = stride == 320 ? 140 : 70;
    ASSERT_GT(times.size(), 7u);
    EXPECT_EQ(times[0], full - 6 * step);
    EXPECT_EQ(times[6], full);
    EXPECT_EQ(times[1] - times[0], step);
  }
}

TEST_F(PipelineTest, ReportsErrorsOfTheWindow) {
  for (const int frames : {24, 151}) {
    Device device(model_);
    device.config.window_frames = frames;
    EXPECT_EQ(StartFault(device, Status::kBadArgument).rfind("error: the window is shorter", 0),
              0u);
  }
  Device shorter(model_);  // than the model's input
  shorter.config.window_frames = 48;
  EXPECT_EQ(StartFault(shorter, Status::kBadArgument).rfind("error: the model's input", 0), 0u);

  Device memory(model_);
  ReportedPipeline pipeline = memory.MakeWith(memory.resolver, 48);
  EXPECT_EQ(Fault(pipeline, memory, Status::kBadArgument),
            "error: there is memory for fewer frames than the model takes; convert the model again "
            "and rebuild\n");
}

}  // namespace
}  // namespace kws
