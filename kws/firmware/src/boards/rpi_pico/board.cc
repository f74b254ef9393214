// SPDX-License-Identifier: Apache-2.0
// The board interface on the Raspberry Pi Pico: the LED and Halt. Other parts are in this folder's
// files.
#include "boards/board.h"

#include "boards/rpi_pico/clock.h"
#include "boards/rpi_pico/pins.h"
#include "boards/rpi_pico/rp2040.h"
#include "boards/uart.h"
#include "serial/lines.h"

namespace kws {
namespace board {
namespace {

// The only LED, green, active high (Pico datasheet, schematic). On: a keyword.
constexpr uint32_t kLed = 25;
constexpr int kFirstKeyword = 2;

// It also shows listening: on for 120 ms per second. A few hops would not be visible, because hops
// that waited for an inference are processed within a moment.
constexpr uint32_t kBeatHops = 50;
constexpr uint32_t kBeatOnHops = 6;

constexpr uint32_t kBlinkUs = 200 * 1000;  // on, and off
constexpr uint32_t kPauseUs = 1000 * 1000;
constexpr uint32_t kRestartUs = 10 * 1000 * 1000;

bool keyword = false;

// Waits, and does the work of the interrupts in the meantime.
void Wait(uint32_t microseconds) {
  const uint32_t begin = Microseconds();
  while (Microseconds() - begin < microseconds) {
    UartService();
    RestartWatchdog();
    Nap();
  }
}

}  // namespace

const char kName[] = KWS_BOARD;

// The firmware stores no settings: the ROM's flash functions are untested.
const size_t kSettingsPageWords = 0;
const uint32_t* SettingsPage(int) { return nullptr; }
Status EraseSettings(int) { return Status::kError; }
Status WriteSettings(int, size_t, const uint32_t*, size_t) { return Status::kError; }

void Init() {
  static bool done = false;
  if (done) return;
  done = true;
  // The boot ROM may leave interrupts enabled or pending.
  Register(kNvicDisable) = ~0u;
  Register(kNvicForget) = ~0u;
  ClockInit();
  PinsInit();
  MakeOutput(kLed);
  UartInit();
  asm volatile("cpsie i" ::: "memory");
  if (WasWatchdog()) Write(lines::kWatchdog, sizeof(lines::kWatchdog) - 1);
}

void Write(const char* text, size_t size) { UartWrite(text, size); }
void WriteSamples(const char* text, size_t size) { UartWrite(text, size); }
uint32_t ChooseSamplePort() { return kUartFastRate; }
void SetFast(bool fast) { UartSetFast(fast); }
size_t Read(char* text, size_t size) { return UartRead(text, size); }

void SetLed(int label) {
  keyword = label >= kFirstKeyword;
  Drive(kLed, keyword);
}

void FeedWatchdog() {
  static uint32_t hop = 0;
  RestartWatchdog();
  Drive(kLed, keyword || hop < kBeatOnHops);
  hop = (hop + 1) % kBeatHops;
}

void Halt(Fault fault) {
  asm volatile("cpsid i" ::: "memory");
  const uint32_t begin = Microseconds();
  while (fault == Fault::kModel || Microseconds() - begin < kRestartUs) {
    for (int i = 0; i < static_cast<int>(fault); ++i) {
      Drive(kLed, true);
      Wait(kBlinkUs);
      Drive(kLed, false);
      Wait(kBlinkUs);
    }
    Wait(kPauseUs);
  }
  Restart();
}

}  // namespace board
}  // namespace kws
