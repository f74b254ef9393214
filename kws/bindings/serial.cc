// SPDX-License-Identifier: Apache-2.0
// What the firmware says on its serial port and with its lamp, for programs that read it.
#include "bindings.h"
#include "fault.h"
#include "serial_lines.h"
#include "status.h"

namespace kws::bindings {
namespace {

// Without the end of the line.
std::string Line(const char* text) {
  const std::string line = text;
  return line.substr(0, line.find('\n'));
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
