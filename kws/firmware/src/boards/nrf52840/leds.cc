// SPDX-License-Identifier: Apache-2.0
#include "boards/nrf52840/leds.h"

#include "boards/board.h"
#include "boards/nrf52840/nrf52840.h"
#include "boards/nrf52840/tables/board_table.h"

namespace kws {
namespace board {
namespace {

// On port 0; the first three are active low.
constexpr uint32_t kRed = table::kRed.pin.Mask();
constexpr uint32_t kGreen = table::kGreen.pin.Mask();
constexpr uint32_t kBlue = table::kBlue.pin.Mask();
constexpr uint32_t kAll = kRed | kGreen | kBlue;
constexpr uint32_t kListening = table::kListening.pin.Mask();
constexpr bool kListeningIsShared = (kAll & kListening) != 0;

// Silence, unknown, then the keywords, repeated cyclically.
constexpr uint32_t kColours[] = {
    0, kBlue, kGreen, kRed, kRed | kGreen, kGreen | kBlue, kRed | kBlue, kAll};
constexpr int kColourCount = sizeof(kColours) / sizeof(kColours[0]);
constexpr int kFirstKeyword = 2;

constexpr uint32_t kPwmEnables[] = {kPwm0Enable, kPwm1Enable, kPwm2Enable, kPwm3Enable};

uint32_t shown = 0;

void Show(uint32_t colour) {
  shown = colour;
  Register(kPort0Set) = kAll & ~colour;
  Register(kPort0Clear) = colour;
}

}  // namespace

void LedInit() {
  // Stop the bootloader's PWM, which would keep controlling an LED's pin.
  for (const uint32_t enable : kPwmEnables) Register(enable) = 0;
  Show(0);
  ShowListening(false);
  for (uint32_t pin = 0; pin < 32; ++pin) {
    if (((kAll | kListening) >> pin & 1) != 0) {
      Register(kPort0Config + pin * 4) = kPinOutput | kPinNoInput;
    }
  }
  if (IsThere(table::kPower.pin)) {
    Drive(table::kPower.pin, table::kPower.Level(true));
    Configure(table::kPower.pin, kPinOutput | kPinNoInput);
  }
}

void SetLed(int label) {
  if (label >= kColourCount) {
    label = kFirstKeyword + (label - kFirstKeyword) % (kColourCount - kFirstKeyword);
  }
  Show(kColours[label]);
}

void ShowRed(bool on) { Show(on ? kRed : 0); }

void ShowListening(bool on) {
  if (kListeningIsShared && shown != 0) return;
  Drive(table::kListening.pin, table::kListening.Level(on));
}

}  // namespace board
}  // namespace kws
