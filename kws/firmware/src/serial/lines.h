// SPDX-License-Identifier: Apache-2.0
// The serial protocol: lines of the firmware that other programs read. kws._core exports them to
// Python. `{}` is a number, `{s}` a text. Commands: see app/console.h.
#ifndef KWS_SERIAL_LINES_H_
#define KWS_SERIAL_LINES_H_

namespace kws {
namespace lines {

// Version, board, model, the first 8 digits of its SHA-256, bytes of arena used, bytes of arena.
inline constexpr char kBoot[] = "kws {s} on {s}, model {s} {s}, arena {} of {} bytes\n";

// After the boot line, for a second bundle: model, the first 8 digits of its SHA-256, ms for each
// command, bytes of arena used, bytes of arena.
inline constexpr char kThen[] = "then model {s} {s} for {} ms, arena {} of {} bytes\n";

// Time in ms. The second bundle becomes active; the first becomes active again.
inline constexpr char kListening[] = "Listening for commands @{}ms\n";
inline constexpr char kWaiting[] = "Waiting for the wake word @{}ms\n";

// Label, mean score (0 to 255), time in ms.
inline constexpr char kHeard[] = "Heard {s} ({}) @{}ms\n";

// Hops, samples lost, idle time in percent and tenths, busy kilocycles per second, inferences
// skipped by the gate, inferences, bytes of arena used, bytes of stack used, bytes of stack.
inline constexpr char kStats[] =
    "stats: {} hops, {} samples lost, {}.{} % idle, {} k cycles per second, {} of {} inferences "
    "skipped, arena {} bytes, stack {} of {} bytes\n";

// Of the last second; full scale is 32768: peak, RMS about the offset, the offset's sign (`-` or
// nothing) and magnitude, clipped samples in percent and tenths.
inline constexpr char kLevel[] = "level: peak {}, RMS {}, offset {s}{}, {}.{} % clipped\n";

// Prefix of the settings that were restored at start-up or by `reset`.
inline constexpr char kSettings[] = "settings: ";

// The mean score (0 to 255) of each label, with spaces between them, then the time in ms.
inline constexpr char kScores[] = "scores ";
inline constexpr char kScoresTime[] = "@{}ms\n";

// Start of samples: seconds, and the port's rate in bit/s after a pause (0: any rate).
inline constexpr char kPcmBegin[] = "pcm: {} s at {} bit/s\n";

// Prefix of a line of samples: base64 of 66 little-endian 16-bit words: line number (from 0;
// wraps), 64 samples, CRC-16 of both.
inline constexpr char kPcm[] = "pcm ";

// End of samples: samples sent, samples lost meanwhile.
inline constexpr char kPcmEnd[] = "pcm: {} samples, {} lost\n";

// Board, ms since the start, clock, cycles of the longest hop without and with an inference since
// the last `health`, cause of the last reset.
inline constexpr char kHealth[] =
    "health: {s} up {} ms, {} kHz, hop {}, inference {} cycles, reset {s}\n";

// Prefix of errors.
inline constexpr char kError[] = "error: ";

// A kws::Mismatch. Commands that make bundles find these errors first, and write them in words.
inline constexpr char kMismatch[] =
    "error: the settings do not match the model ({}); convert the model again and rebuild\n";

// A kws::Status in words. With the bytes of an arena that is too small. With an operator's index in
// the model and its code in TFLite's schema.
inline constexpr char kFailure[] = "error: {s}\n";
inline constexpr char kSmallArena[] = "error: {s} than {} bytes\n";
inline constexpr char kOperator[] = "error: operator {} (builtin code {}): {s}\n";

// Samples lost.
inline constexpr char kLost[] =
    "error: lost {} samples; the board does not keep up: raise inference_stride\n";

inline constexpr char kTooLong[] =
    "error: the command is too long; a line has at most 31 characters\n";
inline constexpr char kNotKept[] =
    "error: the settings were not saved; flash may be worn out; they last until the next reset\n";

inline constexpr char kNoStart[] =
    "error: the microphone did not start; check the board and reset\n";
inline constexpr char kNoSamples[] =
    "error: no samples from the microphone; check its wiring; the board resets\n";
inline constexpr char kWatchdog[] =
    "error: the watchdog reset the board; the firmware hung, report it if it does so again\n";

}  // namespace lines
}  // namespace kws

#endif  // KWS_SERIAL_LINES_H_
