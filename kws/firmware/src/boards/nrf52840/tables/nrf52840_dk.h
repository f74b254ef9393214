// SPDX-License-Identifier: Apache-2.0
// Nordic's nRF52840 DK (PCA10056) with a PDM microphone that the user connects to the Arduino
// header. Source, unless noted: zephyrproject-rtos/zephyr, boards/nordic/nrf52840dk.
#ifndef KWS_BOARDS_NRF52840_TABLES_NRF52840_DK_H_
#define KWS_BOARDS_NRF52840_TABLES_NRF52840_DK_H_

#include "boards/nrf52840/tables/pins.h"

namespace kws {
namespace board {
namespace table {

// nrf52840dk_nrf52840.dts: reg1.
constexpr bool kDcDc = true;

// At A4 and A5, as in Zephyr's samples/drivers/audio/dmic (its overlay for this board); supplied by
// the header's VDD. Its L/R pin selects left, which the peripheral reads at the falling edge.
constexpr Pin kMicrophonePower = kNoPin;
constexpr bool kMicrophonePowerIsStrong = false;
constexpr Pin kMicrophoneClock = {0, 30};
constexpr Pin kMicrophoneData = {0, 31};
constexpr Edge kMicrophoneEdge = Edge::kFalling;

// The debugger connects them to a serial port (nrf52840dk_nrf52840-pinctrl.dtsi).
constexpr Pin kUartSend = {0, 6};
constexpr Pin kUartReceive = {0, 8};

// LED1 to LED4, all green. LED1: listening; LED2: first keyword; LED3: second keyword; LED4:
// unknown.
constexpr Led kListening = {{0, 13}, Lit::kLow};
constexpr Led kGreen = {{0, 14}, Lit::kLow};
constexpr Led kRed = {{0, 15}, Lit::kLow};
constexpr Led kBlue = {{0, 16}, Lit::kLow};
constexpr Led kPower = {kNoPin, Lit::kHigh};

constexpr bool kHasUsb = false;

}  // namespace table
}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_TABLES_NRF52840_DK_H_
