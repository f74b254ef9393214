// SPDX-License-Identifier: Apache-2.0
// The board interface used by the firmware. A port is a folder next to this file; boards with the
// same chip may share one (nrf52840/tables/).
#ifndef KWS_BOARDS_BOARD_H_
#define KWS_BOARDS_BOARD_H_

#include <cstddef>
#include <cstdint>

#include "boards/audio_provider.h"
#include "boards/fault.h"
#include "kws/status.h"

namespace kws {
namespace board {

using kws::Fault;

// Short name, as in `kws build --board <name>` and in the boot line.
extern const char kName[];

// Cycles per second of the processor, in thousands.
extern const uint32_t kClockKhz;

// Range and default of SetGain, in dB. All equal if the gain is fixed.
extern const int kMinGain;
extern const int kMaxGain;
extern const int kDefaultGain;

// Flash for settings: pages of kSettingsPageWords words. 0 words: the board keeps no settings.
constexpr int kSettingsPages = 2;
extern const size_t kSettingsPageWords;

// Starts clocks, serial port, LED and watchdog. Call it first. After a reset by the watchdog,
// writes an `error: ` line.
void Init();

// Starts the microphone, which pushes 16 kHz mono samples into `audio` from interrupt context.
// `audio` must have static lifetime.
Status Start(AudioProvider* audio);

// kMinGain..kMaxGain dB.
void SetGain(int decibels);

// Shows class `label`; 0 (silence): the LED is off. The board chooses the LED or colour of a label.
void SetLed(int label);

// A pin, by its number in the board's JSON file (`pins`). StartPin makes it an output, low.
void StartPin(uint32_t pin);
void SetPin(uint32_t pin, bool high);

// Queues `size` bytes for the serial port; waits while the queue is full, without delaying the
// microphone's interrupts. From the main loop or a fault handler.
void Write(const char* text, size_t size);

// Chooses the serial port for lines of samples. Returns the rate that it needs, in bit/s; 0: none.
uint32_t ChooseSamplePort();

// Waits until the queue is sent, then sets that port to its rate for samples or back to its normal
// rate. Call it only if ChooseSamplePort returned a rate.
void SetFast(bool fast);

// Like Write, but only to the port for lines of samples.
void WriteSamples(const char* text, size_t size);

// Takes at most `size` received bytes; returns their number. Never waits.
size_t Read(char* text, size_t size);

// The words of a page (0 to kSettingsPages - 1). Erased words are 0xffffffff.
const uint32_t* SettingsPage(int page);

// Main loop; blocking. Erase a page; write `count` erased words from word `first` on, in order.
// Both numbers are even, `words` is in RAM. kError if the flash does not answer. After a power
// failure the word being written, or all words of a page being erased, are undefined.
Status EraseSettings(int page);
Status WriteSettings(int page, size_t first, const uint32_t* words, size_t count);

// Milliseconds since Init, modulo 2^32. Not used by the pipeline, which counts samples.
uint32_t Milliseconds();

// Milliseconds spent in Sleep.
uint32_t SleepMilliseconds();

// Cycles of the core while it is awake, modulo 2^32; 0 if there is no counter.
uint32_t Cycles();

// The cause of the last reset, in a word: power, pin, software, watchdog or other.
const char* ResetCause();

// Sleeps until the next interrupt, at most a tenth of a second. Returns at once if an interrupt
// came since the last call, so that samples do not wait.
void Sleep();

// Bytes of the stack, and its maximum use since the reset.
size_t StackSize();
size_t StackUsed();

// Call it once per hop; after some seconds without a call the board resets.
void FeedWatchdog();

// Stops the firmware after an `error:` line. Blinks; except after Fault::kModel, the board resets
// after about ten seconds. Also for fault handlers. QEMU exits with status 1.
[[noreturn]] void Halt(Fault fault);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_BOARD_H_
