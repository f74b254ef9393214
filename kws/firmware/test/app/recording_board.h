// SPDX-License-Identifier: Apache-2.0
// A board that records calls.
#ifndef KWS_TEST_APP_RECORDING_BOARD_H_
#define KWS_TEST_APP_RECORDING_BOARD_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "boards/board.h"

namespace kws {
namespace board {

const char kName[] = "test";
const int kMinGain = -20;
const int kMaxGain = 20;
const int kDefaultGain = -3;
const uint32_t kClockKhz = 64000;
int gain = 0;
uint32_t now_ms = 0;
uint32_t ms_per_look = 0;  // time that passes per call of Milliseconds
uint32_t sleep_ms = 0;
uint32_t cycles = 0;
uint32_t cycles_per_ms = 0;
uint32_t sample_rate = 0;  // of the port for samples
std::vector<bool> fast;    // arguments of SetFast
std::string sample_lines;

void SetGain(int decibels) {
  EXPECT_GE(decibels, kMinGain);
  EXPECT_LE(decibels, kMaxGain);
  gain = decibels;
}
uint32_t Milliseconds() {
  now_ms += ms_per_look;
  cycles += ms_per_look * cycles_per_ms;
  return now_ms;
}
uint32_t SleepMilliseconds() { return sleep_ms; }
uint32_t Cycles() { return cycles; }
size_t StackSize() { return 8192; }
size_t StackUsed() { return 1412; }
const char* ResetCause() { return "pin"; }
uint32_t ChooseSamplePort() { return sample_rate; }
void SetFast(bool on) { fast.push_back(on); }
void WriteSamples(const char* text, size_t size) { sample_lines.append(text, size); }

}  // namespace board
}  // namespace kws

#endif  // KWS_TEST_APP_RECORDING_BOARD_H_
