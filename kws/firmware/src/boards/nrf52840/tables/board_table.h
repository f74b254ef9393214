// SPDX-License-Identifier: Apache-2.0
// What the boards with an nRF52840 differ in: a header beside this one for each. The build names it
// (`table` in the board's JSON file). nano33ble.h shows what a table has to say.
#ifndef KWS_BOARDS_NRF52840_TABLES_BOARD_TABLE_H_
#define KWS_BOARDS_NRF52840_TABLES_BOARD_TABLE_H_

#include KWS_BOARD_TABLE

namespace kws {
namespace board {
namespace table {

static_assert(kRed.pin.port == 0 && kGreen.pin.port == 0 && kBlue.pin.port == 0 &&
                  kListening.pin.port == 0,
              "lamp.cc sets several in one write");
static_assert(kRed.lit == Lit::kLow && kGreen.lit == Lit::kLow && kBlue.lit == Lit::kLow,
              "lamp.cc lights the three by a low pin");

}  // namespace table
}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_TABLES_BOARD_TABLE_H_
