// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/responder.h"

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
  Responder responder(kLabels, 2, false, &output);
  EXPECT_EQ(responder.Respond(New(2, 201), 4056), 2);
  EXPECT_EQ(output.text(), "Heard yes (201) @4056ms\n");
}

TEST(Responder, UnknownWritesNothing) {
  RecordingOutput output;
  Responder responder(kLabels, 2, false, &output);
  EXPECT_EQ(responder.Respond(New(1, 255), 40), Responder::kNothing);
  EXPECT_EQ(output.text(), "");
}

TEST(Responder, ReportsUnknownIfConfigured) {
  RecordingOutput output;
  Responder responder(kLabels, 2, true, &output);
  EXPECT_EQ(responder.Respond(New(1, 255), 0), 1);
  EXPECT_EQ(output.text(), "Heard unknown (255) @0ms\n");
}

TEST(Responder, SilenceIsNeverReported) {
  RecordingOutput output;
  Responder responder(kLabels, 2, true, &output);
  EXPECT_EQ(responder.Respond(New(0, 255), 1000), Responder::kNothing);
  EXPECT_EQ(output.text(), "");
}

TEST(Responder, WritesNothingIfNothingIsNew) {
  RecordingOutput output;
  Responder responder(kLabels, 2, false, &output);
  Recognizer::Result result = New(2, 255);
  result.is_new = false;
  EXPECT_EQ(responder.Respond(result, 1000), Responder::kNothing);
  EXPECT_EQ(output.text(), "");
}

TEST(Responder, AllLabelsMayBeKeywords) {
  constexpr const char* kWords[] = {"alexa", "computer"};
  RecordingOutput output;
  Responder responder(kWords, 0, false, &output);
  EXPECT_EQ(responder.Respond(New(0, 230), 100), 0);
  EXPECT_EQ(responder.Respond(New(1, 231), 200), 1);
  EXPECT_EQ(output.text(), "Heard alexa (230) @100ms\nHeard computer (231) @200ms\n");
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
