// SPDX-License-Identifier: Apache-2.0
// Differences between boards with an nRF52840: a header per board in this folder, selected by
// `table` in the board's JSON file. nano33ble.h is an example.
#ifndef KWS_BOARDS_NRF52840_TABLES_BOARD_TABLE_H_
#define KWS_BOARDS_NRF52840_TABLES_BOARD_TABLE_H_

#include KWS_BOARD_TABLE

namespace kws {
namespace board {
namespace table {

static_assert(kRed.pin.port == 0 && kGreen.pin.port == 0 && kBlue.pin.port == 0 &&
                  kListening.pin.port == 0,
              "leds.cc sets several in one write");
static_assert(kRed.lit == Lit::kLow && kGreen.lit == Lit::kLow && kBlue.lit == Lit::kLow,
              "leds.cc drives all three active low");

}  // namespace table
}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_TABLES_BOARD_TABLE_H_
