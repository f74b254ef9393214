// SPDX-License-Identifier: Apache-2.0
// Seeed XIAO nRF52840 Sense. Source, unless noted: Seeed-Studio/Adafruit_nRF52_Arduino,
// variants/Seeed_XIAO_nRF52840_Sense, variant.cpp and variant.h.
#ifndef KWS_BOARDS_NRF52840_TABLES_XIAO_NRF52840_SENSE_H_
#define KWS_BOARDS_NRF52840_TABLES_XIAO_NRF52840_SENSE_H_

#include "boards/nrf52840/tables/pins.h"

namespace kws {
namespace board {
namespace table {

// zephyrproject-rtos/zephyr, boards/seeed/xiao_ble, xiao_ble_common.dtsi: reg1.
constexpr bool kDcDc = true;

// An MSM261D3526H1CPM, powered by a pin that Zephyr (xiao_ble_nrf52840_sense.dts) drives strongly.
// Seeed's library Seeed_Arduino_Mic (nrf52840_adc.cpp) reads it mono, left on the falling edge.
constexpr Pin kMicrophonePower = {1, 10};
constexpr bool kMicrophonePowerIsStrong = true;
constexpr Pin kMicrophoneClock = {1, 0};
constexpr Pin kMicrophoneData = {0, 16};
constexpr Edge kMicrophoneEdge = Edge::kFalling;

// The pins marked 6 (TX) and 7 (RX).
constexpr Pin kUartSend = {1, 11};
constexpr Pin kUartReceive = {1, 12};

// A red, green and blue LED. The LED beside it belongs to the battery charger.
constexpr Led kRed = {{0, 26}, Lit::kLow};
constexpr Led kGreen = {{0, 30}, Lit::kLow};
constexpr Led kBlue = {{0, 6}, Lit::kLow};
constexpr Led kListening = kBlue;
constexpr Led kPower = {kNoPin, Lit::kHigh};

constexpr bool kHasUsb = true;

// boards.txt of the same repository.
constexpr uint16_t kUsbVendor = 0x2886;
constexpr uint16_t kUsbProduct = 0x8045;
constexpr char kUsbVendorName[] = "Seeed";
constexpr char kUsbProductName[] = "XIAO nRF52840 Sense";

// Value of GPREGRET that makes the bootloader stay and show its drive: DFU_MAGIC_UF2_RESET
// (adafruit/Adafruit_nRF52_Bootloader, src/main.c).
constexpr uint32_t kStayInBootloader = 0x57;

}  // namespace table
}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_TABLES_XIAO_NRF52840_SENSE_H_
