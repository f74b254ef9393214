// SPDX-License-Identifier: Apache-2.0
// The firmware's serial lines and LED codes.
#include "bindings.h"
#include "boards/fault.h"
#include "kws/status.h"
#include "serial/lines.h"

namespace kws::bindings {
namespace {

// Without the line's end, and with `{}` for every field.
std::string Line(const char* text) {
  std::string line = text;
  line = line.substr(0, line.find('\n'));
  for (size_t at; (at = line.find("{s}")) != std::string::npos;) line.replace(at, 3, "{}");
  return line;
}

}  // namespace

void BindSerial(nb::module_& m) {
  nb::dict formats;
  formats["boot"] = Line(lines::kBoot);
  formats["then"] = Line(lines::kThen);
  formats["heard"] = Line(lines::kHeard);
  formats["listening"] = Line(lines::kListening);
  formats["waiting"] = Line(lines::kWaiting);
  formats["stats"] = Line(lines::kStats);
  formats["level"] = Line(lines::kLevel);
  formats["scores"] = lines::kScores + std::string("{} ") + Line(lines::kScoresTime);
  formats["pcm_begin"] = Line(lines::kPcmBegin);
  formats["pcm"] = lines::kPcm + std::string("{}");
  formats["pcm_end"] = Line(lines::kPcmEnd);
  formats["health"] = Line(lines::kHealth);
  m.attr("LINE_FORMATS") = formats;

  m.attr("ERROR_MARK") = Line(lines::kError);
  nb::dict faults;
  faults["lost"] = Line(lines::kLost);
  faults["no_start"] = Line(lines::kNoStart);
  faults["no_samples"] = Line(lines::kNoSamples);
  faults["watchdog"] = Line(lines::kWatchdog);
  const std::string mark = lines::kError;
  faults["bad_model"] = mark + StatusMessage(Status::kBadModel);
  faults["wrong_schema_version"] = mark + StatusMessage(Status::kWrongSchemaVersion);
  faults["arena_too_small"] = mark + StatusMessage(Status::kArenaTooSmall);
  m.attr("FAULT_LINES") = faults;

  nb::dict blinks;
  blinks["model"] = static_cast<int>(Fault::kModel);
  blinks["microphone"] = static_cast<int>(Fault::kMicrophone);
  blinks["processor"] = static_cast<int>(Fault::kProcessor);
  m.attr("FAULT_BLINKS") = blinks;
}

}  // namespace kws::bindings
