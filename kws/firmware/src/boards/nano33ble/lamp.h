// SPDX-License-Identifier: Apache-2.0
// The board's LEDs: red, green and blue in one, the orange one marked L, and the green one for
// power.
#ifndef KWS_BOARDS_NANO33BLE_LAMP_H_
#define KWS_BOARDS_NANO33BLE_LAMP_H_

namespace kws {
namespace board {

void LampInit();

// Red or nothing, whatever was shown before.
void ShowRed(bool on);

// The orange LED.
void ShowListening(bool on);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NANO33BLE_LAMP_H_
