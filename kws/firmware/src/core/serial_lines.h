// SPDX-License-Identifier: Apache-2.0
// The lines that firmware writes on its serial port and that other programs read: kws._core exports
// them to Python, and Python hands them to the emulators' suites. `{}` is a number, `{s}` a text.
#ifndef KWS_SERIAL_LINES_H_
#define KWS_SERIAL_LINES_H_

namespace kws {
namespace lines {

// Version, board, model, the first 8 digits of its SHA-256, bytes of arena used, bytes of arena.
inline constexpr char kBoot[] = "kws {s} on {s}, model {s} {s}, arena {} of {} bytes\n";

// After the boot line, of a second bundle: model, the first 8 digits of its SHA-256, ms that it
// listens for commands, bytes of arena used, bytes of arena.
inline constexpr char kThen[] = "then model {s} {s} for {} ms, arena {} of {} bytes\n";

// Time in ms. The second bundle takes over, and the first one again.
inline constexpr char kListening[] = "Listening for commands @{}ms\n";
inline constexpr char kWaiting[] = "Waiting for the wake word @{}ms\n";

// Label, mean score (0 to 255), time in ms.
inline constexpr char kHeard[] = "Heard {s} ({}) @{}ms\n";

// Hops, samples lost, idle time in percent and tenths of a percent, thousands of cycles in a second
// that was not idle, inferences that the gate skipped, inferences, bytes of arena used, bytes of
// stack used, bytes of stack.
inline constexpr char kStats[] =
    "stats: {} hops, {} samples lost, {}.{} % idle, {} k cycles per second, {} of {} inferences "
    "skipped, arena {} bytes, stack {} of {} bytes\n";

// Of the last second, in steps of 32768: peak, RMS about the offset, the offset's sign (`-` or
// nothing) and its magnitude; percent of samples that are clipped, and tenths of a percent.
inline constexpr char kLevel[] = "level: peak {}, RMS {}, offset {s}{}, {}.{} % clipped\n";

// What was set on the console before a reset, or what `reset` restored, begins with this.
inline constexpr char kSettings[] = "settings: ";

// The mean score (0 to 255) of each label, with spaces between them, then the time in ms.
inline constexpr char kScores[] = "scores ";
inline constexpr char kScoresTime[] = "@{}ms\n";

// Samples follow: for so many seconds, and after a pause at so many bit/s (0: at any rate).
inline constexpr char kPcmBegin[] = "pcm: {} s at {} bit/s\n";

// Begins a line of samples. What follows is base64 of 66 little-endian words of 16 bits: the line's
// number (from 0; it wraps), 64 samples, and the CRC-16 of all that.
inline constexpr char kPcm[] = "pcm ";

// The end: samples sent, samples that the board lost meanwhile.
inline constexpr char kPcmEnd[] = "pcm: {} samples, {} lost\n";

// Board, milliseconds since the start, the core's clock, cycles of the longest hop without and with
// an inference since the last `health`, and what caused the last reset.
inline constexpr char kHealth[] =
    "health: {s} up {} ms, {} kHz, hop {}, inference {} cycles, reset {s}\n";

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
