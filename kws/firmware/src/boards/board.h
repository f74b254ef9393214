// SPDX-License-Identifier: Apache-2.0
// All that the core asks of a board. A port is one folder next to this file; boards
// with the same chip may share one (nrf52840/tables/).
#ifndef KWS_BOARDS_BOARD_H_
#define KWS_BOARDS_BOARD_H_

#include <cstddef>
#include <cstdint>

#include "boards/audio_provider.h"
#include "fault.h"
#include "status.h"

namespace kws {
namespace board {

using kws::Fault;

// Short name, as in `kws build --board <name>` and in the boot line.
extern const char kName[];

// Cycles per second of the processor, in thousands.
extern const uint32_t kClockKhz;

// What SetGain takes, in dB, and what it starts at. Equal where the gain cannot be set.
extern const int kMinGain;
extern const int kMaxGain;
extern const int kDefaultGain;

// Flash for settings: pages of kSettingsPageWords words that are erased as a whole. 0 words: the
// board keeps no settings.
constexpr int kSettingsPages = 2;
extern const size_t kSettingsPageWords;

// Brings up clocks, serial port, LED and watchdog. Call it first; text can be written afterwards.
// Where the watchdog caused the reset, writes an `error: ` line that says so.
void Init();

// Starts the microphone: from here on 16 kHz mono samples are pushed into `audio`
// from interrupt context. `audio` must live for ever.
Status Start(AudioProvider* audio);

// Sets the microphone's gain to kMinGain..kMaxGain dB. It starts at kDefaultGain.
void SetGain(int decibels);

// Shows class `label` from now on (0 silence: the LED is off). Which lamp a label gets is the
// board's choice.
void SetLed(int label);

// A pin of the board, by the number that the board's JSON file gives it (`pins`): makes it an
// output, low; sets it. Never called for a board that names none.
void StartPin(uint32_t pin);
void SetPin(uint32_t pin, bool high);

// Queues `size` bytes for the serial port, in order; waits while the queue is full. Never holds up
// the microphone's interrupts. Works in a fault's handler too, where no interrupt comes, and not in
// other interrupts.
void Write(const char* text, size_t size);

// Chooses the serial port that lines of samples go to, and returns the rate that it then needs, in
// bit/s; 0: it has no rate.
uint32_t ChooseSamplePort();

// Sets that port to its rate for samples, or back to its usual one, once all that is queued was
// sent. Call it only if ChooseSamplePort returned a rate.
void SetFast(bool fast);

// As Write, for lines of samples: to the port that was chosen alone.
void WriteSamples(const char* text, size_t size);

// Takes at most `size` received bytes; returns how many, 0 where none wait. Never waits.
size_t Read(char* text, size_t size);

// The words of a page (0 to kSettingsPages - 1). Erased ones are 0xffffffff.
const uint32_t* SettingsPage(int page);

// Main loop. Erase a page; write `count` erased words of it from the word `first` on, in order;
// both numbers are even.
// They return when it is done; where the flash does not answer, kError. `words` is in RAM. The
// power may end at any time: then a word, or all words of a page that was erased, may be anything.
Status EraseSettings(int page);
Status WriteSettings(int page, size_t first, const uint32_t* words, size_t count);

// Milliseconds since Init, wrapping at 2^32. The pipeline counts time in samples and never asks.
uint32_t Milliseconds();

// Of those, milliseconds spent in Sleep.
uint32_t SleepMilliseconds();

// Cycles of the core while it does not sleep; they wrap at 2^32. 0 where nothing counts them.
uint32_t Cycles();

// What caused the last reset, in a word: power, pin, software, watchdog or another.
const char* ResetCause();

// Sleeps until the next interrupt, a tenth of a second at most. Returns at once if one came since
// the last call, so that samples that arrive between the main loop's last look and the sleep are
// not left waiting.
void Sleep();

// Bytes of the stack, and of these the most that were in use at once since the reset.
size_t StackSize();
size_t StackUsed();

// Call once a hop. Without it for some seconds the board resets.
void FeedWatchdog();

// The end after a fault: the `error:` line is out. Blinks, for ever after Fault::kModel; after the
// others the board resets in about ten seconds. Works in a fault's handler too. QEMU exits,
// status 1.
[[noreturn]] void Halt(Fault fault);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_BOARD_H_
