// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/second_look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/played_noise.h"
#include "core/recording_output.h"
#include "core/reported_pipeline.h"
#include "kws/gate/gate.h"
#include "kws/pipeline/pipeline.h"
#include "kws/runtime/all_ops_resolver.h"

namespace kws {
namespace {

constexpr int kLabels = 4;
constexpr uint8_t kProposal = 60;
constexpr uint8_t kSecond[kLabels] = {200, 200, 150, 180};

// Mean scores of silence, unknown and two keywords.
std::vector<int8_t> Row(int silence, int unknown, int yes, int no) {
  std::vector<int8_t> row;
  for (const int score : {silence, unknown, yes, no}) {
    row.push_back(static_cast<int8_t>(score - 128));
  }
  return row;
}

class ProposalsTest : public testing::Test {
 protected:
  void Use(const SecondLookSettings& settings) {
    recognizer_.emplace(kLabels, RecognizerSettings(1, 1500, 1, 200, kSecond));
    proposals_ = Proposals(&*recognizer_, kLabels, 2, settings);
    time_ = 0;
  }

  // Adds a result 100 ms after the last; `second` is what the second model sees.
  Recognizer::Result Add(const std::vector<int8_t>& first, const std::vector<int8_t>& second) {
    time_ += 100;
    Recognizer::Result result;
    EXPECT_EQ(proposals_.Add(first.data(), time_, &result, &looked_), Status::kOk);
    if (looked_) proposals_.Confirm(second.data(), &result);
    return result;
  }

  std::optional<Recognizer> recognizer_;
  Proposals proposals_;
  int32_t time_ = 0;
  bool looked_ = false;
};

const std::vector<int8_t> kNothing = Row(250, 0, 0, 0);
const std::vector<int8_t> kMaybeYes = Row(0, 150, 70, 0);

TEST_F(ProposalsTest, LooksOnlyAtProposals) {
  Use({kProposal, 3, 1});
  EXPECT_FALSE(Add(Row(200, 0, 50, 0), Row(0, 0, 255, 0)).is_new);
  EXPECT_FALSE(looked_);
  const Recognizer::Result result = Add(kMaybeYes, Row(0, 0, 151, 0));
  EXPECT_TRUE(looked_);
  EXPECT_TRUE(result.is_new);
  EXPECT_EQ(result.label, 2);
  EXPECT_EQ(result.score, 151) << "the second model's";
}

TEST_F(ProposalsTest, TheSecondThresholdHasToBeExceeded) {
  Use({kProposal, 3, 1});
  EXPECT_FALSE(Add(kMaybeYes, Row(0, 0, 150, 0)).is_new);
  EXPECT_TRUE(Add(kMaybeYes, Row(0, 0, 151, 0)).is_new);
}

TEST_F(ProposalsTest, RefusedOnesAreLookedAtAFewTimes) {
  Use({kProposal, 2, 2});
  std::vector<bool> looks;
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(Add(kMaybeYes, Row(0, 200, 0, 0)).is_new);
    looks.push_back(looked_);
  }
  EXPECT_EQ(looks, (std::vector<bool>{true, false, true, false, false, false}));
  // The proposal has ended; the next one gets its own looks, at once.
  Add(kNothing, kNothing);
  EXPECT_FALSE(looked_);
  EXPECT_TRUE(Add(kMaybeYes, Row(0, 0, 200, 0)).is_new);
}

TEST_F(ProposalsTest, OfSeveralProposalsTheSecondModelChooses) {
  Use({kProposal, 3, 1});
  const std::vector<int8_t> both = Row(0, 0, 70, 170);
  EXPECT_EQ(Add(both, Row(0, 0, 200, 190)).label, 2);
  Use({kProposal, 3, 1});
  EXPECT_EQ(Add(both, Row(0, 0, 140, 190)).label, 3);
  // It cannot report what was not proposed.
  Use({kProposal, 3, 1});
  EXPECT_FALSE(Add(kMaybeYes, Row(0, 0, 0, 255)).is_new);
}

TEST_F(ProposalsTest, OnlyConfirmedWordsAreSuppressed) {
  Use({kProposal, 3, 1});
  EXPECT_FALSE(Add(kMaybeYes, Row(0, 200, 100, 0)).is_new);
  EXPECT_TRUE(Add(kMaybeYes, Row(0, 0, 200, 0)).is_new);
  for (int i = 0; i < 15; ++i) {
    EXPECT_FALSE(Add(kMaybeYes, Row(0, 0, 200, 0)).is_new);
    EXPECT_FALSE(looked_) << "no look at a suppressed word";
  }
  EXPECT_TRUE(Add(kMaybeYes, Row(0, 0, 200, 0)).is_new) << "1600 ms later";
  // Another word is not suppressed.
  EXPECT_EQ(Add(Row(0, 100, 0, 90), Row(0, 0, 0, 200)).label, 3);
}

TEST_F(ProposalsTest, SilenceAndUnknownNeedNoLook) {
  Use({kProposal, 3, 1});
  const Recognizer::Result result = Add(Row(0, 250, 0, 0), kNothing);
  EXPECT_TRUE(result.is_new);
  EXPECT_EQ(result.label, 1);
  EXPECT_FALSE(looked_);
  // They end suppression, as without a second look.
  EXPECT_TRUE(Add(kMaybeYes, Row(0, 0, 200, 0)).is_new);
  EXPECT_TRUE(Add(kNothing, kNothing).is_new);
  EXPECT_TRUE(Add(kMaybeYes, Row(0, 0, 200, 0)).is_new);
}

TEST_F(ProposalsTest, ErrorsOfTheRecognizerReachTheCaller) {
  Use({kProposal, 3, 1});
  Recognizer::Result result;
  ASSERT_EQ(proposals_.Add(kMaybeYes.data(), 100, &result, &looked_), Status::kOk);
  EXPECT_EQ(proposals_.Add(kMaybeYes.data(), 99, &result, &looked_), Status::kBadArgument);
  EXPECT_FALSE(looked_);
}

constexpr const char* kNames[] = {"silence", "unknown", "yes", "no"};
constexpr size_t kArenaBytes = 65536;
constexpr int kFrames = 49;
constexpr int kEarlier = 12;
constexpr size_t kLateHops = 500;

class SecondLookTest : public testing::Test {
 protected:
  SecondLookTest() : arena_(kArenaBytes + 16), own_(kArenaBytes + 16) {}

  static uint8_t* Aligned(std::vector<uint8_t>& bytes) {
    return bytes.data() + ((0 - reinterpret_cast<uintptr_t>(bytes.data())) & 15);
  }

  // A pipeline whose second model has `thresholds`; null: none.
  ReportedPipeline& Make(const uint8_t* thresholds, bool shares = true, const char* first = nullptr,
                         const char* second = "bc_resnet.tflite") {
    bytes_ = ReadModel(first != nullptr ? first : "tiny_conv.tflite");
    second_bytes_ = ReadModel(second);
    EXPECT_FALSE(bytes_.empty() || second_bytes_.empty()) << "no model in tests/data/models";
    model_ = GetModel(bytes_.data(), bytes_.size());
    second_model_ = GetModel(second_bytes_.data(), second_bytes_.size());
    config_ = {"two",   "01234567", kNames,
               kLabels, stride_,    RecognizerSettings(200, 0, 1, kProposal, thresholds)};
    config_.stride_samples = stride_samples_;
    pipeline_.emplace(config_, model_, resolver_, Aligned(arena_), kArenaBytes,
                      FrameMemory{frames_, kFrames + kEarlier + queued_, queued_}, &output_);
    if (gate_) pipeline_->UseGate(&*gate_);
    if (thresholds != nullptr) {
      runner_.emplace(second_model_, resolver_, Aligned(shares ? arena_ : own_), second_arena_);
      look_.reset(new SecondLook(&*runner_, {kProposal, 3, 1, earlier_}, order_, shares));
      pipeline_->UseSecondLook(0, look_.get());
    }
    return *pipeline_;
  }

  // Plays sound as the firmware does while samples arrive during looks: a few at a time, at random.
  std::string PlayLate(ReportedPipeline& pipeline, int queued, unsigned seed) {
    class Microphone final : public BackgroundTask {
     public:
      Microphone(ReportedPipeline* pipeline, const std::vector<int16_t>& sound, unsigned seed)
          : pipeline_(pipeline), sound_(sound), random_(seed) {}
      void Run() override {
        for (unsigned hops = random_() % 4; hops > 0 && !IsOver() && pipeline_->HasRoom(); --hops) {
          pipeline_->Queue(Next());
          most_ = std::max(most_, pipeline_->queued());
        }
      }
      bool IsOver() const { return at_ == sound_.size(); }
      const int16_t* Next() { return &sound_[std::exchange(at_, at_ + kHop)]; }
      int most() const { return most_; }

     private:
      ReportedPipeline* pipeline_;
      const std::vector<int16_t>& sound_;
      std::mt19937 random_;
      size_t at_ = 0;
      int most_ = 0;
    };
    const std::vector<int16_t> sound = Sound(kLateHops, 7);
    Microphone microphone(&pipeline, sound, seed);
    look_->UseBackgroundTask(&microphone);
    EXPECT_EQ(pipeline.Start(), Status::kOk);
    output_.Clear();
    while (pipeline.queued() > 0 || !microphone.IsOver()) {
      EXPECT_EQ(
          pipeline.queued() > 0 ? pipeline.ProcessQueued() : pipeline.ProcessHop(microphone.Next()),
          Status::kOk);
    }
    // With two frames per hop, half a hop may have no room.
    EXPECT_GE(microphone.most(), queued - 1);
    EXPECT_LE(microphone.most(), queued);
    return output_.text();
  }

  std::string Play(ReportedPipeline& pipeline) {
    EXPECT_EQ(pipeline.Start(), Status::kOk);
    return kws::Play(pipeline, output_, Sound(1500, 7));
  }

  static size_t Heard(const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("Heard"); at != text.npos; at = text.find("Heard", at + 1)) ++count;
    return count;
  }

  std::vector<uint8_t> arena_, own_, bytes_, second_bytes_;
  int8_t frames_[(kFrames + kEarlier + Pipeline::kMostQueued + 2) * Frontend::kChannels];
  int queued_ = 0;
  int stride_samples_ = Frontend::kStrideSamples;
  std::optional<Gate> gate_;
  size_t second_arena_ = kArenaBytes;
  int stride_ = 2;
  int earlier_ = 0;
  const uint8_t* order_ = nullptr;
  Model model_ = GetModel(nullptr, 0), second_model_ = GetModel(nullptr, 0);
  AllOpsResolver resolver_;
  PipelineConfig config_{};
  RecordingOutput output_;
  std::optional<MicroInterpreter> runner_;
  std::unique_ptr<SecondLook> look_;
  std::optional<ReportedPipeline> pipeline_;
};

constexpr uint8_t kAll[kLabels] = {kProposal, kProposal, 0, 0};
constexpr uint8_t kSome[kLabels] = {kProposal, kProposal, 128, 128};
constexpr uint8_t kNever[kLabels] = {kProposal, kProposal, 255, 255};

TEST_F(SecondLookTest, RefusesWhatTheSecondModelDoesNotHear) {
  const size_t proposed = Heard(Play(Make(nullptr)));
  ASSERT_GT(proposed, 20u);
  EXPECT_LT(Heard(Play(Make(kSome))), proposed);
  EXPECT_GE(look_->looks(), 20u);
  EXPECT_EQ(Heard(Play(Make(kNever))), 0u);
  EXPECT_EQ(look_->looks(), 0u) << "a look that cannot confirm anything";
}

TEST_F(SecondLookTest, ASharedArenaGivesTheSameLines) {
  for (const int earlier : {0, kEarlier}) {
    earlier_ = earlier;
    const std::string shared = Play(Make(kAll, true));
    EXPECT_GT(Heard(shared), 5u);
    EXPECT_EQ(shared, Play(Make(kAll, false)));
  }
}

TEST_F(SecondLookTest, SamplesThatArriveDuringALookGiveTheSameLines) {
  earlier_ = kEarlier;
  for (const int samples : {Frontend::kStrideSamples, Frontend::kStrideSamples / 2}) {
    stride_samples_ = samples;
    const int strides = Frontend::kStrideSamples / samples;
    queued_ = 0;
    for (const bool gated : {false, true}) {
      if (gated) gate_.emplace(8);
      ReportedPipeline& plain = Make(kAll);
      ASSERT_EQ(plain.Start(), Status::kOk);
      const std::string at_once = kws::Play(plain, output_, Sound(kLateHops, 7));
      EXPECT_GT(Heard(at_once), 5u);
      EXPECT_EQ(pipeline_->skipped() > 0, gated);
      for (const bool shares : {true, false}) {
        queued_ = 10;
        ReportedPipeline& pipeline = Make(kAll, shares);
        EXPECT_EQ(PlayLate(pipeline, queued_ / strides, 1), at_once);
        EXPECT_EQ(pipeline.hops(), kLateHops);
      }
    }
    gate_.reset();
  }
}

TEST_F(SecondLookTest, TheQueueIsLimited) {
  queued_ = Pipeline::kMostQueued + 2;
  PlayLate(Make(kSome), Pipeline::kMostQueued, 2);
}

TEST_F(SecondLookTest, ResetDropsTheQueue) {
  const std::string at_once = Play(Make(kSome));
  queued_ = 4;
  ReportedPipeline& pipeline = Make(kSome);
  ASSERT_EQ(pipeline.Start(), Status::kOk);
  const std::vector<int16_t> sound = Sound(1500, 7);
  ASSERT_EQ(pipeline.ProcessHop(&sound[kHop]), Status::kOk);
  pipeline.Queue(&sound[0]);
  pipeline.Queue(&sound[0]);
  ASSERT_EQ(pipeline.Reset(), Status::kOk);
  EXPECT_EQ(pipeline.queued(), 0);
  EXPECT_EQ(kws::Play(pipeline, output_, sound), at_once);
}

TEST_F(SecondLookTest, AnEarlierWindowHasToConfirmToo) {
  // The scores of the newest window, and those of kEarlier frames before.
  ReportedPipeline& one = Make(kAll);
  ASSERT_EQ(one.Start(), Status::kOk);
  const std::vector<int16_t> sound = Sound(400, 3);
  std::vector<std::vector<int8_t>> newest;
  for (size_t at = 0; at < sound.size(); at += kHop) {
    ASSERT_EQ(one.ProcessHop(&sound[at]), Status::kOk);
    newest.emplace_back(kLabels);
    ASSERT_EQ(look_->Look(newest.back().data()), Status::kOk);
  }
  earlier_ = kEarlier;
  ReportedPipeline& both = Make(kAll);
  ASSERT_EQ(both.Start(), Status::kOk);
  size_t lower = 0;
  for (size_t hop = 0; hop < newest.size(); ++hop) {
    ASSERT_EQ(both.ProcessHop(&sound[hop * kHop]), Status::kOk);
    if (hop <= kEarlier) continue;
    int8_t scores[kLabels];
    ASSERT_EQ(look_->Look(scores), Status::kOk);
    for (size_t label = 0; label < kLabels; ++label) {
      const int8_t before = newest[hop - kEarlier][label];
      ASSERT_EQ(scores[label], std::min(newest[hop][label], before)) << hop << " " << label;
      if (before < newest[hop][label]) ++lower;
    }
  }
  EXPECT_GT(lower, 100u) << "the earlier window decides";
}

TEST_F(SecondLookTest, ASecondWindowReportsFewerWords) {
  constexpr uint8_t kLow[kLabels] = {kProposal, kProposal, 70, 70};
  const std::string one = Play(Make(kLow, true, nullptr, "tiny_conv.tflite"));
  earlier_ = kEarlier;
  const std::string both = Play(Make(kLow, true, nullptr, "tiny_conv.tflite"));
  EXPECT_GT(Heard(both), 0u);
  EXPECT_LT(Heard(both), Heard(one));
}

TEST_F(SecondLookTest, TheLargerModelDecidesTheArena) {
  ASSERT_EQ(Make(kAll).Start(), Status::kOk);
  const size_t both = pipeline_->arena_used_bytes();
  EXPECT_EQ(both, runner_->arena_used_bytes());
  ASSERT_EQ(Make(nullptr).Start(), Status::kOk);
  EXPECT_LT(pipeline_->arena_used_bytes(), both);
}

TEST_F(SecondLookTest, ResetRestoresTheStart) {
  ReportedPipeline& pipeline = Make(kSome);
  const std::string before = Play(pipeline);
  ASSERT_EQ(pipeline.Reset(), Status::kOk);
  EXPECT_EQ(kws::Play(pipeline, output_, Sound(1500, 7)), before);
}

TEST_F(SecondLookTest, ResetAfterALookRestoresTheFirstModel) {
  ReportedPipeline& pipeline = Make(kSome);
  const std::string before = Play(pipeline);
  const std::vector<int16_t> sound = Sound(1500, 7);
  ASSERT_EQ(pipeline.Reset(), Status::kOk);
  const uint32_t looks = look_->looks();
  for (size_t at = 0; look_->looks() == looks; at += kHop) {
    ASSERT_LT(at, sound.size());
    ASSERT_EQ(pipeline.ProcessHop(&sound[at]), Status::kOk);
  }
  ASSERT_EQ(pipeline.Reset(), Status::kOk);
  EXPECT_EQ(kws::Play(pipeline, output_, sound), before);
}

TEST_F(SecondLookTest, TheOrderOfTheOutputsIsTheSecondModels) {
  constexpr uint8_t kSwapped[kLabels] = {0, 1, 3, 2};
  const std::string plain = Play(Make(kAll));
  order_ = kSwapped;
  EXPECT_NE(Play(Make(kAll)), plain);
}

TEST_F(SecondLookTest, ABadModelOrSettingIsRefused) {
  const auto refuses = [this](ReportedPipeline& pipeline) {
    return pipeline.Start() == Status::kBadArgument && pipeline.mismatch() == Mismatch::kSecondLook;
  };
  constexpr uint8_t kFar[kLabels] = {0, 1, 2, 4};
  order_ = kFar;
  EXPECT_TRUE(refuses(Make(kAll))) << "an output that the model does not have";
  order_ = nullptr;
  stride_ = 3;
  EXPECT_TRUE(refuses(Make(kAll, true, "mixed_net.tflite"))) << "the state would be lost";
  EXPECT_EQ(Make(kAll, false, "mixed_net.tflite").Start(), Status::kOk);
  stride_ = 2;
  Make(kAll);
  for (const auto& settings :
       {SecondLookSettings(0, 0, 1), SecondLookSettings(0, 3, 0), SecondLookSettings(0, 3, 1, -1),
        SecondLookSettings(0, 3, 1, kEarlier + 1)}) {
    SecondLook look(&*runner_, settings, nullptr, true);
    pipeline_->UseSecondLook(0, &look);
    EXPECT_TRUE(refuses(*pipeline_));
  }
}

TEST_F(SecondLookTest, TooSmallAnArenaIsReported) {
  second_arena_ = 9000;
  EXPECT_EQ(Make(kAll).Start(), Status::kArenaTooSmall);
}

}  // namespace
}  // namespace kws
