// SPDX-License-Identifier: Apache-2.0
// Pins of a board's table.
#ifndef KWS_BOARDS_NRF52840_TABLES_PINS_H_
#define KWS_BOARDS_NRF52840_TABLES_PINS_H_

#include <cstdint>

namespace kws {
namespace board {

struct Pin {
  uint32_t port;    // 0 or 1
  uint32_t number;  // 0 to 31; port 1 ends at 15

  // In its port's registers.
  constexpr uint32_t Mask() const { return 1u << number; }

  // As a peripheral's PSEL registers number it (PS 6.34.9, PSEL.TXD).
  constexpr uint32_t Select() const { return 32 * port + number; }
};

// The board has no such pin.
constexpr Pin kNoPin = {2, 0};

constexpr bool IsThere(Pin pin) { return pin.port < 2; }

enum class Lit { kLow, kHigh };  // the level that lights an LED

struct Led {
  Pin pin;
  Lit lit;

  constexpr bool Level(bool on) const { return on == (lit == Lit::kHigh); }
};

// The edge of its clock after which a microphone drives its data.
enum class Edge { kFalling, kRising };

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_TABLES_PINS_H_
