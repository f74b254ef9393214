// SPDX-License-Identifier: Apache-2.0
// Arduino Nano 33 BLE Sense, both revisions. Source, unless noted:
// arduino/ArduinoCore-mbed, variants/ARDUINO_NANO33BLE, pins_arduino.h and variant.cpp, and the
// board's schematic.
#ifndef KWS_BOARDS_NRF52840_TABLES_NANO33BLE_H_
#define KWS_BOARDS_NRF52840_TABLES_NANO33BLE_H_

#include "boards/nrf52840/tables/pins.h"

namespace kws {
namespace board {
namespace table {

// The module has the inductor.
constexpr bool kDcDc = true;

// An MP34DT05, or on Rev2 an MP34DT06J at the same pins. The L/R pin is wired so that the data is
// valid when the clock falls. libraries/PDM of the same repository reads it accordingly: mono, left
// on the falling edge.
constexpr Pin kMicrophonePower = {0, 17};
constexpr bool kMicrophonePowerIsStrong = false;
constexpr Pin kMicrophoneClock = {0, 26};
constexpr Pin kMicrophoneData = {0, 25};
constexpr Edge kMicrophoneEdge = Edge::kFalling;

// The pins marked TX and RX.
constexpr Pin kUartSend = {1, 3};
constexpr Pin kUartReceive = {1, 10};

// A red, green and blue LED; the orange LED, marked L; the green power LED.
constexpr Led kRed = {{0, 24}, Lit::kLow};
constexpr Led kGreen = {{0, 16}, Lit::kLow};
constexpr Led kBlue = {{0, 6}, Lit::kLow};
constexpr Led kListening = {{0, 13}, Lit::kHigh};
constexpr Led kPower = {{1, 9}, Lit::kHigh};

constexpr bool kHasUsb = true;

// Arduino's own (boards.txt and pins_arduino.h), so that tools find the board.
constexpr uint16_t kUsbVendor = 0x2341;
constexpr uint16_t kUsbProduct = 0x805a;
constexpr char kUsbVendorName[] = "Arduino";
constexpr char kUsbProductName[] = "Nano 33 BLE";

// Value of GPREGRET that makes the bootloader stay instead of starting the firmware:
// DFU_MAGIC_SERIAL_ONLY_RESET, which Arduino's core for this board writes on the 1200 bps touch
// (_ontouch1200bps_).
constexpr uint32_t kStayInBootloader = 0xb0;

}  // namespace table
}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_TABLES_NANO33BLE_H_
