// SPDX-License-Identifier: Apache-2.0
// The board interface on ST's B-L475E-IOT01A: LEDs and Halt. Other parts are in this folder's
// files.
#include "boards/board.h"

#include "boards/b_l475e_iot01a/clock.h"
#include "boards/b_l475e_iot01a/pins.h"
#include "boards/b_l475e_iot01a/stm32l475.h"
#include "boards/uart.h"
#include "serial/lines.h"

namespace kws {
namespace board {
namespace {

// Source: ST's UM2153, section LEDs; use of the shared pin: Zephyr 1.9,
// boards/arm/disco_l475_iot1/board.h.
constexpr Pin kListening = {kPortA, 5};  // LED 1, green
constexpr Pin kGreen = {kPortB, 14};     // LED 2
constexpr Pin kShared = {kPortC, 9};     // high: LED 3, yellow; low: LED 4, blue; an input: none

enum class Shared { kNone, kYellow, kBlue };

struct Light {
  bool green;
  Shared shared;
};

// Silence, unknown, then the keywords, repeated cyclically.
constexpr Light kLights[] = {
    {false, Shared::kNone},   {false, Shared::kBlue},  {true, Shared::kNone},
    {false, Shared::kYellow}, {true, Shared::kYellow}, {true, Shared::kBlue},
};
constexpr int kLightCount = sizeof(kLights) / sizeof(kLights[0]);
constexpr int kFirstKeyword = 2;

// LED 1 shows listening: on for 120 ms per second. A few hops would not be visible, because hops
// that waited for an inference are processed within a moment.
constexpr uint32_t kBeatHops = 50;
constexpr uint32_t kBeatOnHops = 6;

constexpr uint32_t kBlinkUs = 200 * 1000;  // on, and off
constexpr uint32_t kPauseUs = 1000 * 1000;
constexpr uint32_t kRestartUs = 10 * 1000 * 1000;

void Show(const Light& light) {
  Drive(kGreen, light.green);
  Drive(kShared, light.shared == Shared::kYellow);
  SetMode(kShared, light.shared == Shared::kNone ? PinMode::kInput : PinMode::kOutput);
}

// Yellow or off, regardless of the previous state.
void ShowFault(bool on) { Show({false, on ? Shared::kYellow : Shared::kNone}); }

void ShowListening(bool on) { Drive(kListening, on); }

void LedInit() {
  Show(kLights[0]);
  ShowListening(false);
  SetMode(kGreen, PinMode::kOutput);
  SetMode(kListening, PinMode::kOutput);
}

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

void Init() {
  static bool done = false;
  if (done) return;
  done = true;
  // The bootloader in the chip's ROM may leave interrupts enabled or pending.
  for (uint32_t i = 0; i < 3; ++i) {
    Register(kNvicDisable + i * 4) = ~0u;
    Register(kNvicForget + i * 4) = ~0u;
  }
  ClockInit();
  PinsInit();
  LedInit();
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
  if (label >= kLightCount) {
    label = kFirstKeyword + (label - kFirstKeyword) % (kLightCount - kFirstKeyword);
  }
  Show(kLights[label]);
}

void FeedWatchdog() {
  static uint32_t hop = 0;
  RestartWatchdog();
  ShowListening(hop < kBeatOnHops);
  hop = (hop + 1) % kBeatHops;
}

void Halt(Fault fault) {
  asm volatile("cpsid i" ::: "memory");
  ShowListening(false);
  const uint32_t begin = Microseconds();
  while (fault == Fault::kModel || Microseconds() - begin < kRestartUs) {
    for (int i = 0; i < static_cast<int>(fault); ++i) {
      ShowFault(true);
      Wait(kBlinkUs);
      ShowFault(false);
      Wait(kBlinkUs);
    }
    Wait(kPauseUs);
  }
  asm volatile("dsb" ::: "memory");
  Register(kSystemReset) = kSystemResetRequest;
  for (;;) {
  }
}

}  // namespace board
}  // namespace kws
