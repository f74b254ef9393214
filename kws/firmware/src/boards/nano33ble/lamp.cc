// SPDX-License-Identifier: Apache-2.0
#include "boards/nano33ble/lamp.h"

#include "boards/board.h"
#include "boards/nano33ble/nrf52840.h"

namespace kws {
namespace board {
namespace {

// On port 0, lit when low, but for the orange one. Source: arduino/ArduinoCore-mbed,
// variants/ARDUINO_NANO33BLE/variant.cpp, and the board's schematic.
constexpr uint32_t kRed = 1u << 24;
constexpr uint32_t kGreen = 1u << 16;
constexpr uint32_t kBlue = 1u << 6;
constexpr uint32_t kAll = kRed | kGreen | kBlue;
constexpr uint32_t kOrange = 1u << 13;
constexpr uint32_t kPowerPin = 9;  // on port 1, lit when high

// Silence, unknown, then the keywords; after the last one they come again.
constexpr uint32_t kColours[] = {
    0, kBlue, kGreen, kRed, kRed | kGreen, kGreen | kBlue, kRed | kBlue, kAll};
constexpr int kColourCount = sizeof(kColours) / sizeof(kColours[0]);
constexpr int kFirstKeyword = 2;

constexpr uint32_t kPwmEnables[] = {kPwm0Enable, kPwm1Enable, kPwm2Enable, kPwm3Enable};

void Show(uint32_t colour) {
  Register(kPort0Set) = kAll & ~colour;
  Register(kPort0Clear) = colour;
}

}  // namespace

void LampInit() {
  // The bootloader lets an LED breathe by PWM, which would hold its pin.
  for (const uint32_t enable : kPwmEnables) Register(enable) = 0;
  Show(0);
  ShowListening(false);
  for (uint32_t pin = 0; pin < 32; ++pin) {
    if (((kAll | kOrange) >> pin & 1) != 0) {
      Register(kPort0Config + pin * 4) = kPinOutput | kPinNoInput;
    }
  }
  Register(kPort1Set) = 1u << kPowerPin;
  Register(kPort1Config + kPowerPin * 4) = kPinOutput | kPinNoInput;
}

void SetLed(int label) {
  if (label >= kColourCount) {
    label = kFirstKeyword + (label - kFirstKeyword) % (kColourCount - kFirstKeyword);
  }
  Show(kColours[label]);
}

void ShowRed(bool on) { Show(on ? kRed : 0); }

void ShowListening(bool on) { Register(on ? kPort0Set : kPort0Clear) = kOrange; }

}  // namespace board
}  // namespace kws
