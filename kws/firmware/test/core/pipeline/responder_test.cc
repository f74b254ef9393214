// SPDX-License-Identifier: Apache-2.0
#include "pipeline/responder.h"

#include <gtest/gtest.h>

#include "core/recording_output.h"

namespace kws {
namespace {

constexpr const char* kLabels[] = {"silence", "unknown", "yes", "no"};

Recognizer::Result New(int label, uint8_t score) {
  Recognizer::Result result;
  result.label = label;
  result.score = score;
  result.is_new = true;
  return result;
}

TEST(Responder, WritesTheLineThatToolsMatch) {
  RecordingOutput output;
  Responder responder(kLabels, false, 0, &output);
  responder.Respond(New(2, 201), 4056);
  EXPECT_EQ(output.text(), "Heard yes (201) @4056ms\n");
  EXPECT_EQ(output.leds(), std::vector<int>{2});
}

TEST(Responder, UnknownWritesNothingAndTurnsTheLightOff) {
  RecordingOutput output;
  Responder responder(kLabels, false, 0, &output);
  responder.Respond(New(3, 201), 0);
  responder.Respond(New(1, 255), 40);
  EXPECT_EQ(output.text(), "Heard no (201) @0ms\n");
  EXPECT_EQ(output.leds(), (std::vector<int>{3, 0}));
}

TEST(Responder, SaysUnknownIfAsked) {
  RecordingOutput output;
  Responder responder(kLabels, true, 0, &output);
  responder.Respond(New(1, 255), 0);
  EXPECT_EQ(output.text(), "Heard unknown (255) @0ms\n");
  EXPECT_EQ(output.leds(), std::vector<int>{1});
}

TEST(Responder, SilenceOnlyTurnsTheLightOff) {
  RecordingOutput output;
  Responder responder(kLabels, true, 0, &output);
  responder.Respond(New(0, 255), 1000);
  EXPECT_EQ(output.text(), "");
  EXPECT_EQ(output.leds(), std::vector<int>{0});
}

TEST(Responder, KeepsStillWhenNothingIsNew) {
  RecordingOutput output;
  Responder responder(kLabels, false, 0, &output);
  Recognizer::Result result = New(2, 255);
  result.is_new = false;
  responder.Respond(result, 1000);
  EXPECT_EQ(output.text(), "");
  EXPECT_TRUE(output.leds().empty());
}

TEST(Output, WritesNumbersOfAllLengths) {
  RecordingOutput output;
  for (uint32_t value : {0u, 9u, 10u, 4294967295u}) {
    WriteNumber(&output, value);
    WriteText(&output, " ");
  }
  EXPECT_EQ(output.text(), "0 9 10 4294967295 ");
}

TEST(Output, WritesAFaultAsOneLine) {
  RecordingOutput output;
  WriteError(&output, "the microphone did not start", nullptr, "check the cable");
  WriteError(&output, "no jobs in memory", " at all", nullptr);
  EXPECT_EQ(
      output.text(),
      "error: the microphone did not start; check the cable\nerror: no jobs in memory at all\n");
}

}  // namespace
}  // namespace kws
