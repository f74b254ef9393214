// SPDX-License-Identifier: Apache-2.0
// The lines that firmware writes on its serial port and that other programs read: kws._core exports
// them to Python, and Python hands them to the emulators' suites. `{}` is a text or a number.
#ifndef KWS_SERIAL_LINES_H_
#define KWS_SERIAL_LINES_H_

namespace kws {
namespace lines {

// Version, board, model, the first 8 digits of its SHA-256, bytes of arena used, bytes of arena.
inline constexpr char kBoot[] = "kws {} on {}, model {} {}, arena {} of {} bytes\n";

// After the boot line, of a second bundle: model, the first 8 digits of its SHA-256, ms that it
// listens for commands, bytes of arena used, bytes of arena.
inline constexpr char kThen[] = "then model {} {} for {} ms, arena {} of {} bytes\n";

// Time in ms. The second bundle takes over, and the first one again.
inline constexpr char kListening[] = "Listening for commands @{}ms\n";
inline constexpr char kWaiting[] = "Waiting for the wake word @{}ms\n";

// Label, mean score (0 to 255), time in ms.
inline constexpr char kHeard[] = "Heard {} ({}) @{}ms\n";

// Hops, samples lost, idle time in percent and tenths of a percent, thousands of cycles in a second
// that was not idle, inferences that the gate skipped, inferences, bytes of arena used, bytes of
// stack used, bytes of stack.
inline constexpr char kStats[] =
    "stats: {} hops, {} samples lost, {}.{} % idle, {} k cycles per second, {} of {} inferences "
    "skipped, arena {} bytes, stack {} of {} bytes\n";

// Of the last second, in steps of 32768: peak, RMS about the offset, the offset's sign (`-` or
// nothing) and its magnitude; percent of samples that are clipped, and tenths of a percent.
inline constexpr char kLevel[] = "level: peak {}, RMS {}, offset {}{}, {}.{} % clipped\n";

// What was set on the console before a reset, or what `reset` restored, begins with this.
inline constexpr char kSettings[] = "settings: ";

// Faults begin with this.
inline constexpr char kError[] = "error: ";

// Samples.
inline constexpr char kLost[] =
    "error: lost {} samples; the board does not keep up: raise inference_stride\n";

inline constexpr char kNotKept[] =
    "error: the settings were not kept; the flash may be worn, they last until the next reset\n";

inline constexpr char kNoStart[] =
    "error: the microphone did not start; check the board and reset\n";
inline constexpr char kNoSamples[] =
    "error: no samples from the microphone; check its wiring; the board resets\n";
inline constexpr char kWatchdog[] =
    "error: the watchdog reset the board; the firmware hung, report it if it does so again\n";

}  // namespace lines
}  // namespace kws

#endif  // KWS_SERIAL_LINES_H_
