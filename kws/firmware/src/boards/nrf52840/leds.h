// SPDX-License-Identifier: Apache-2.0
// The board's LEDs: red, green, blue, one for listening, and optionally one for power.
#ifndef KWS_BOARDS_NRF52840_LEDS_H_
#define KWS_BOARDS_NRF52840_LEDS_H_

namespace kws {
namespace board {

void LedInit();

// Red or off, regardless of the previous state.
void ShowRed(bool on);

// The LED for listening. If it is one of the three colours, it is not shown while they show a
// label.
void ShowListening(bool on);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_LEDS_H_
