// SPDX-License-Identifier: Apache-2.0
// The board's LEDs: red, green and blue, one that says that it listens, and maybe one for power.
#ifndef KWS_BOARDS_NRF52840_LAMP_H_
#define KWS_BOARDS_NRF52840_LAMP_H_

namespace kws {
namespace board {

void LampInit();

// Red or nothing, whatever was shown before.
void ShowRed(bool on);

// The LED that says that samples come. Where it is one of the three, it waits while they show a
// label.
void ShowListening(bool on);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_LAMP_H_
