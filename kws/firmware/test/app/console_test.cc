// SPDX-License-Identifier: Apache-2.0
#include "app/console.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "app/recording_board.h"
#include "app/simulated_flash.h"
#include "boards/audio_ring.h"
#include "core/recording_output.h"
#include "core/reported_pipeline.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr const char* kLabels[] = {"silence", "unknown", "yes"};

// A device with a console. Construct another one for a reset: only the flash is kept.
class Device {
 public:
  explicit Device(uint8_t threshold = 200, const char* model = "0", const char* word = "yes")
      : labels_{"silence", "unknown", word},
        pipeline_({"m", model, labels_, 3, 2, {1000, 1500, 3, threshold, nullptr}}, model_,
                  resolver_, arena_, sizeof(arena_), {frames_, 49}, &output_),
        diagnostics_(&pipeline_, &pipeline_.responder(), &audio_, &output_),
        console_(&pipeline_, &audio_, &meter_, &diagnostics_, &output_) {
    board::gain = 0;
    console_.Restore();
    restored_ = output_.text();
  }

  const std::string& restored() const { return restored_; }
  int threshold(int label) const { return pipeline_.threshold(label); }
  std::string Type(const std::string& text) {
    output_.Clear();
    for (char c : text) console_.Put(c);
    return output_.text();
  }

 protected:
  const char* labels_[3];
  Model model_ = GetModel(nullptr, 0);
  AllOpsResolver resolver_;
  alignas(16) uint8_t arena_[64] = {};
  int8_t frames_[49 * Frontend::kChannels];
  RecordingOutput output_;
  ReportedPipeline pipeline_;
  AudioRing audio_;
  LevelMeter meter_;
  Diagnostics diagnostics_;
  Console console_;
  std::string restored_;
};

struct NewBoard {
  NewBoard() {
    flash = SimulatedFlash();
    board::now_ms = board::sleep_ms = board::ms_per_look = 0;
  }
};

class ConsoleTest : public testing::Test, private NewBoard, protected Device {};

TEST_F(ConsoleTest, LevelIsTheLastSeconds) {
  EXPECT_EQ(Type("level\n"), "level: peak 0, RMS 0, offset 0, 0.0 % clipped\n");
  std::vector<int16_t> samples(LevelMeter::kSamples, -40);
  for (size_t i = 0; i < 400; ++i) samples[i] = -32768;
  meter_.Add(samples.data(), samples.size());
  EXPECT_EQ(Type("level\n"), "level: peak 32768, RMS 5050, offset -839, 2.4 % clipped\n");
}

TEST_F(ConsoleTest, GainReachesTheBoard) {
  EXPECT_EQ(Type("gain 12\n"), "gain 12 dB\n");
  EXPECT_EQ(board::gain, 12);
  EXPECT_EQ(Type("gain -20\r\n"), "gain -20 dB\n");
  EXPECT_EQ(board::gain, -20);
  EXPECT_EQ(Type("gain\n"), "gain -20 dB\n") << "alone it shows the gain";
  for (const char* wrong : {"gain 21\n", "gain -21\n", "gain x\n", "gain 1 2\n", "gain 1.5\n",
                            "gain -\n", "gain 99999999999999999999\n"}) {
    EXPECT_EQ(Type(wrong), "error: gain takes a whole number from -20 to 20 dB\n") << wrong;
    EXPECT_EQ(board::gain, -20);
  }
}

TEST_F(ConsoleTest, ThresholdReachesTheRecognizer) {
  EXPECT_EQ(Type("threshold\n"), "threshold 200\n");
  EXPECT_EQ(Type("threshold 180\n"), "threshold 180\n");
  for (int label = 0; label < 3; ++label) EXPECT_EQ(pipeline_.threshold(label), 180);
  for (const char* wrong :
       {"256", "-1", "yess 7", "ye 7", "yes 256", "yes -1", "yes 7 7", "7 yes", "yes no", "1.5"}) {
    EXPECT_EQ(Type(std::string("threshold ") + wrong + "\n"),
              "error: threshold takes a whole number from 0 to 255, for one label after its name\n")
        << wrong;
    for (int label = 0; label < 3; ++label) EXPECT_EQ(pipeline_.threshold(label), 180) << wrong;
  }
}

TEST_F(ConsoleTest, EachLabelHasItsOwnThreshold) {
  EXPECT_EQ(Type("threshold yes 150\n"), "threshold yes 150\n");
  EXPECT_EQ(pipeline_.threshold(2), 150);
  EXPECT_EQ(pipeline_.threshold(1), 200);
  EXPECT_EQ(Type("threshold yes\n"), "threshold yes 150\n");
  EXPECT_EQ(Type("threshold silence  255 \n"),
            "error: threshold takes a whole number from 0 to 255, for one label after its name\n");
  EXPECT_EQ(Type("threshold silence  255\n"), "threshold silence 255\n");
  EXPECT_EQ(Type("threshold\n"), "threshold silence 255, unknown 200, yes 150\n");
  EXPECT_EQ(Type("threshold 190\n"), "threshold 190\n") << "all at once";
  EXPECT_EQ(Type("threshold yes\n"), "threshold yes 190\n");
}

TEST_F(ConsoleTest, ALabelOfBothBundlesHasTwoThresholds) {
  constexpr const char* kMore[] = {"silence", "unknown", "yes", "yesterday"};
  MicroInterpreter runner(model_, resolver_, arena_, sizeof(arena_));
  Commands commands = {{"c", "1", kMore, 4, 2, {}}, &runner, 20, {}};
  pipeline_.UseCommands(&commands);
  EXPECT_EQ(Type("threshold\n"), "threshold 200\n");
  EXPECT_EQ(Type("threshold yes 150\n"), "threshold yes 150, yes 150\n");
  EXPECT_EQ(pipeline_.threshold(2), 150);
  EXPECT_EQ(pipeline_.threshold(5), 150);
  EXPECT_EQ(Type("threshold yesterday 255\n"), "threshold yesterday 255\n");
  EXPECT_EQ(Type("threshold yes\n"), "threshold yes 150, yes 150\n");
  EXPECT_EQ(Type("threshold\n"),
            "threshold silence 200, unknown 200, yes 150, silence 200, unknown 200, yes 150, "
            "yesterday 255\n");
  EXPECT_EQ(Type("threshold 90\n"), "threshold 90\n");
  EXPECT_EQ(pipeline_.threshold(6), 90);
}

TEST_F(ConsoleTest, SettingsSurviveAReset) {
  Type("gain 12\nthreshold yes 150\n");
  Device device;
  EXPECT_EQ(device.restored(),
            "settings: gain 12 dB, threshold silence 200, unknown 200, yes 150\n");
  EXPECT_EQ(board::gain, 12);
  EXPECT_EQ(device.threshold(2), 150);
  EXPECT_EQ(device.threshold(1), 200);
  EXPECT_EQ(device.Type("gain\n"), "gain 12 dB\n");
  device.Type("threshold 90\n");
  EXPECT_EQ(Device().restored(), "settings: gain 12 dB, threshold 90\n");
}

TEST_F(ConsoleTest, UnchangedSettingsAreNotWrittenOrReported) {
  Type("gain\nthreshold\nthreshold yes\ngain 99\nthreshold yes 999\nlevel\n");
  EXPECT_EQ(flash.written(), 0);
  EXPECT_EQ(Device().restored(), "");
}

TEST_F(ConsoleTest, ResetRestoresTheBundlesSettingsPermanently) {
  Type("gain 12\nthreshold yes 150\n");
  Device device;
  EXPECT_EQ(device.Type("reset\n"), "settings: gain -3 dB, threshold 200\n");
  EXPECT_EQ(board::gain, -3);
  EXPECT_EQ(device.threshold(2), 200);
  EXPECT_EQ(Device().restored(), "");
}

TEST_F(ConsoleTest, AnotherBundleIgnoresTheSettings) {
  Type("gain 12\nthreshold yes 150\n");
  EXPECT_EQ(Device(200, "1").restored(), "") << "another model";
  EXPECT_EQ(Device(190).restored(), "") << "other thresholds";
  EXPECT_EQ(Device(200, "0", "no").restored(), "") << "other words";
  Device other(190);
  EXPECT_EQ(other.threshold(2), 190);
  EXPECT_EQ(board::gain, 0);
  EXPECT_NE(Device().restored(), "") << "the bundle itself, again";
}

TEST_F(ConsoleTest, BrokenFlashIsReportedAndSettingsApply) {
  flash.broken = true;
  EXPECT_EQ(
      Type("gain 12\n"),
      "gain 12 dB\nerror: the settings were not saved; flash may be worn out; they last until "
      "the next reset\n");
  EXPECT_EQ(board::gain, 12);
}

TEST_F(ConsoleTest, StatsReportIdleTimeSinceTheLastStats) {
  board::now_ms = 10000;
  board::sleep_ms = 8325;
  EXPECT_EQ(
      Type("stats\n"),
      "stats: 0 hops, 0 samples lost, 83.2 % idle, 10752 k cycles per second, 0 of 0 inferences "
      "skipped, arena 0 bytes, stack 1412 of 8192 bytes\n");
  board::now_ms = 20000;
  board::sleep_ms = 8325 + 5000;
  EXPECT_NE(Type("stats\n").find(" 50.0 % idle, 32000 k cycles"), std::string::npos);
  EXPECT_NE(Type("stats\n").find(" 0.0 % idle"), std::string::npos) << "no time went by";
  // Three weeks at once: more tenths than 32 bits hold, and past the clock's wrap.
  board::now_ms += 3000000000u;
  board::sleep_ms += 2700000000u;
  EXPECT_NE(Type("stats\n").find(" 90.0 % idle"), std::string::npos);
}

TEST_F(ConsoleTest, StatsCountLostSamples) {
  static const int16_t samples[AudioRing::kCapacity + 100] = {};
  audio_.Push(samples, AudioRing::kCapacity + 100);
  EXPECT_NE(Type("stats\n").find(" 100 samples lost"), std::string::npos);
}

TEST_F(ConsoleTest, ScoresAreSwitchedOnAndOff) {
  EXPECT_EQ(Type("scores\n"), "scores off\n");
  EXPECT_EQ(Type("scores on\n"), "scores on\n");
  EXPECT_TRUE(diagnostics_.shows_scores());
  EXPECT_EQ(Type("scores\n"), "scores on\n");
  EXPECT_EQ(Type("scores off\n"), "scores off\n");
  EXPECT_FALSE(diagnostics_.shows_scores());
}

TEST_F(ConsoleTest, PcmTakesSeconds) {
  board::sample_rate = 0;
  EXPECT_EQ(Type("pcm 600\n"), "pcm: 600 s at 0 bit/s\n");
  EXPECT_EQ(Type("pcm 0\n"), "pcm: 0 samples, 0 lost\n");
  for (const char* wrong : {"pcm\n", "pcm 601\n", "pcm -1\n", "pcm x\n", "pcm 1.5\n"}) {
    EXPECT_EQ(Type(wrong), "error: pcm takes a whole number from 0 to 600 s\n") << wrong;
  }
}

TEST_F(ConsoleTest, HealthMeasuresTheCoresClock) {
  board::now_ms = 61000;
  board::ms_per_look = 1;
  board::cycles = 0xffffffff - 100000;  // the counter wraps during the command
  board::cycles_per_ms = 64000;
  const std::string line = Type("health\n");
  EXPECT_EQ(line.substr(0, 16), "health: test up ");
  EXPECT_NE(line.find(" ms, 64000 kHz, hop 0, inference 0 cycles, reset pin\n"), std::string::npos)
      << line;
}

TEST_F(ConsoleTest, LinesMayHaveCorrectionsAndNoise) {
  EXPECT_EQ(Type("\r\n\n\r"), "") << "empty lines";
  EXPECT_EQ(Type("gaim\b\x7fin 3\n"), "gain 3 dB\n") << "corrected while typing";
  EXPECT_EQ(Type("\b\b\bgain 4\n"), "gain 4 dB\n");
  EXPECT_EQ(Type("gain    5\n"), "gain 5 dB\n");
  EXPECT_EQ(Type("gain\x01\xff\t 6\n"), "gain 6 dB\n") << "noise on the line";
  const std::string unknown =
      "error: unknown command; choose from gain threshold scores pcm reset stats level health\n";
  for (const char* wrong : {"help\n", "gain6\n", "stats now\n", "gai\n", "stat\n", "Gain 3\n"}) {
    EXPECT_EQ(Type(wrong), unknown) << wrong;
  }
}

TEST_F(ConsoleTest, LongLinesAreRefusedWhole) {
  EXPECT_EQ(Type("gain" + std::string(26, ' ') + "7\n"), "gain 7 dB\n") << "31 characters";
  const std::string error = "error: the command is too long; a line has at most 31 characters\n";
  EXPECT_EQ(Type("gain" + std::string(27, ' ') + "8\n"), error);
  EXPECT_EQ(Type(std::string(100000, 'x') + "\n"), error);
  EXPECT_EQ(board::gain, 7);
  EXPECT_EQ(Type("gain 9\n"), "gain 9 dB\n") << "the next line counts again";
}

TEST_F(ConsoleTest, SurvivesRandomInput) {
  std::mt19937 random(1);
  const std::string alphabet = "gain threshold stats 0123456789-\n\r\b\x7f\xff";
  for (int i = 0; i < 200000; ++i) {
    console_.Put(random() % 8 == 0 ? static_cast<char>(random())
                                   : alphabet[random() % alphabet.size()]);
  }
  EXPECT_EQ(Type("\ngain 1\n").substr(output_.text().size() - 10), "gain 1 dB\n");
}

}  // namespace
}  // namespace kws
