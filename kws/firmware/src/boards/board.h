// All that the core asks of a board. A port is one folder beside this file.
#ifndef KWS_BOARDS_BOARD_H_
#define KWS_BOARDS_BOARD_H_

#include <cstddef>
#include <cstdint>

#include "audio_provider.h"
#include "status.h"

namespace kws {
namespace board {

// Short name, as in `kws build --board <name>` and in the boot line.
extern const char kName[];

// Brings up clocks, serial port and LED. Call it first; text can be written afterwards.
void Init();

// Starts the microphone: from here on 16 kHz mono samples are pushed into `audio` from interrupt
// context. `audio` must live for ever.
Status Start(AudioProvider* audio);

// Shows class `label` (0 silence: the LED is off). Which lamp a label gets is the board's choice.
void SetLed(int label);

// Sends `size` bytes on the serial port, in order; waits while the port is busy.
void Write(const char* text, size_t size);

// Milliseconds since Init, wrapping at 2^32. For blink codes and benchmarks: the pipeline counts
// time in samples and never asks.
uint32_t Milliseconds();

// Sleeps until the next interrupt. Returns at once if one came since the last call, so that samples
// that arrive between the main loop's last look and the sleep are not left waiting.
void Sleep();

// The end after a fault: the `error:` line is out, so blink for ever (an emulator exits, status 1).
[[noreturn]] void Halt();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_BOARD_H_
