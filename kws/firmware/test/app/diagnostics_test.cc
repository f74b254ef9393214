// SPDX-License-Identifier: Apache-2.0
#include "app/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/recording_board.h"
#include "boards/audio_ring.h"
#include "core/played_noise.h"
#include "core/recording_output.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr const char* kLabels[] = {"silence", "unknown", "yes", "no"};
constexpr uint32_t kHopsPerSecond = 50;

class DiagnosticsTest : public testing::Test {
 protected:
  DiagnosticsTest()
      : bytes_(ReadModel("tiny_conv.tflite")),
        model_(GetModel(bytes_.data(), bytes_.size())),
        pipeline_({"m", "0", kLabels, 4, 2, {}}, model_, resolver_, arena_, sizeof(arena_),
                  {frames_, 49}, &output_),
        diagnostics_(&pipeline_, &pipeline_.responder(), &audio_, &output_) {
    board::fast.clear();
    board::sample_lines.clear();
    board::sample_rate = 0;
    EXPECT_EQ(pipeline_.Start(), Status::kOk);
    output_.Clear();
  }

  // Hops of a sawtooth that continues from call to call.
  void Play(uint32_t hops) {
    int16_t hop[AudioRing::kHopSamples];
    for (uint32_t i = 0; i < hops; ++i) {
      for (int16_t& sample : hop) sample = next_ = static_cast<int16_t>(next_ * 5 + 1);
      ASSERT_EQ(diagnostics_.ProcessHop(hop), Status::kOk);
    }
  }

  std::vector<uint8_t> bytes_;
  Model model_;
  AllOpsResolver resolver_;
  alignas(16) uint8_t arena_[65536] = {};
  int8_t frames_[49 * Frontend::kChannels];
  RecordingOutput output_;
  ReportedPipeline pipeline_;
  AudioRing audio_;
  Diagnostics diagnostics_;
  int16_t next_ = 0;
};

// The checksum by its definition, bit by bit.
uint16_t Crc(const std::vector<uint8_t>& bytes, size_t size) {
  uint32_t crc = 0xffff;
  for (size_t i = 0; i < size; ++i) {
    crc ^= static_cast<uint32_t>(bytes[i]) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1;
    }
  }
  return static_cast<uint16_t>(crc);
}

// The bytes of a Base64 string, decoded bit by bit.
std::vector<uint8_t> Decode(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<uint8_t>(bits >> count));
    }
  }
  return bytes;
}

uint16_t Word(const std::vector<uint8_t>& bytes, size_t index) {
  return static_cast<uint16_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
}

TEST_F(DiagnosticsTest, SampleLinesHaveNumberSamplesAndChecksum) {
  diagnostics_.SendSamples(1);
  EXPECT_EQ(output_.text(), "pcm: 1 s at 0 bit/s\n");
  Play(kHopsPerSecond + 1);
  int16_t expected = 0;
  uint16_t number = 0;
  std::istringstream lines(board::sample_lines);
  for (std::string name, text; lines >> name >> text; ++number) {
    EXPECT_EQ(name, "pcm");
    const std::vector<uint8_t> bytes = Decode(text);
    ASSERT_EQ(bytes.size(), 2 * (Diagnostics::kLineSamples + 2));
    EXPECT_EQ(Word(bytes, 0), number);
    for (size_t i = 1; i <= Diagnostics::kLineSamples; ++i) {
      expected = static_cast<int16_t>(expected * 5 + 1);
      ASSERT_EQ(static_cast<int16_t>(Word(bytes, i)), expected);
    }
    EXPECT_EQ(Word(bytes, Diagnostics::kLineSamples + 1), Crc(bytes, bytes.size() - 2));
  }
  EXPECT_EQ(number, 16000 / Diagnostics::kLineSamples);
  EXPECT_EQ(output_.text().substr(output_.text().rfind("pcm: ")), "pcm: 16000 samples, 0 lost\n");
  EXPECT_TRUE(board::fast.empty()) << "a port without a rate keeps none";
}

TEST_F(DiagnosticsTest, PortIsFastWhileSamplesAreSent) {
  board::sample_rate = 1000000;
  diagnostics_.SendSamples(1);
  EXPECT_EQ(output_.text(), "pcm: 1 s at 1000000 bit/s\n");
  EXPECT_EQ(board::fast, std::vector<bool>{true});
  Play(Diagnostics::kPauseHops - 1);
  EXPECT_TRUE(board::sample_lines.empty()) << "the computer has time to change its rate";
  Play(kHopsPerSecond - 1);
  EXPECT_EQ(board::fast.size(), 1u);
  Play(1);
  EXPECT_EQ(board::fast, (std::vector<bool>{true, false}));
  const size_t size = board::sample_lines.size();
  Play(10);
  EXPECT_EQ(board::sample_lines.size(), size);
  EXPECT_EQ(output_.text().substr(output_.text().rfind("pcm: ")), "pcm: 16000 samples, 0 lost\n");
}

TEST_F(DiagnosticsTest, PipelineIsResetAtTheFirstSampleSent) {
  Play(100);
  output_.Clear();
  diagnostics_.SendSamples(2);
  Play(1);
  EXPECT_EQ(pipeline_.time_ms(), 20u);
  EXPECT_NE(output_.text().find("kws 1.2.3 on test, model m 0, arena "), std::string::npos);
  diagnostics_.SendSamples(3);  // continues
  Play(99);
  EXPECT_EQ(pipeline_.time_ms(), 2000u);
  EXPECT_EQ(output_.text().find(" lost"), std::string::npos);
  Play(51);
  EXPECT_NE(output_.text().find("pcm: 48320 samples, 0 lost\n"), std::string::npos);
}

TEST_F(DiagnosticsTest, LostSamplesAreCountedFromTheCommand) {
  static const int16_t samples[AudioRing::kCapacity + 100] = {};
  audio_.Push(samples, AudioRing::kCapacity + 100);
  diagnostics_.SendSamples(1);
  Play(1);
  audio_.Push(samples, 7);
  diagnostics_.SendSamples(0);
  EXPECT_NE(output_.text().find("pcm: 320 samples, 7 lost\n"), std::string::npos) << output_.text();
  const size_t size = board::sample_lines.size();
  diagnostics_.SendSamples(0);
  Play(1);
  EXPECT_EQ(board::sample_lines.size(), size) << "nothing is sent any more";
}

TEST_F(DiagnosticsTest, SendingMayEndBeforeTheFirstSample) {
  board::sample_rate = 1000000;
  diagnostics_.SendSamples(1);
  Play(1);
  diagnostics_.SendSamples(0);
  Play(Diagnostics::kPauseHops);
  EXPECT_EQ(board::fast, (std::vector<bool>{true, false}));
  EXPECT_TRUE(board::sample_lines.empty());
  EXPECT_EQ(output_.text(), "pcm: 1 s at 1000000 bit/s\npcm: 0 samples, 0 lost\n");
}

TEST_F(DiagnosticsTest, ScoresFollowEachInference) {
  Play(48);
  diagnostics_.ShowScores(true);
  Play(1);  // the 49th frame comes with the 50th hop
  EXPECT_EQ(output_.text(), "");
  Play(1);
  std::istringstream line(output_.text());
  std::string name, score, time;
  line >> name;
  EXPECT_EQ(name, "scores");
  for (int label = 0; label < 4; ++label) {
    line >> score;
    EXPECT_EQ(score, std::to_string(pipeline_.MeanScore(label)));
  }
  line >> time;
  EXPECT_EQ(time, "@1000ms");
  Play(4);
  diagnostics_.ShowScores(false);
  const std::string text = output_.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  Play(4);
  EXPECT_EQ(output_.text(), text);
}

}  // namespace
}  // namespace kws
