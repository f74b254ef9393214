// SPDX-License-Identifier: Apache-2.0
// The emulated board: QEMU's mps2-an386. Its microphone is a recording in memory.
#include "boards/board.h"

#include "boards/qemu/mps2_an386.h"
#include "boards/qemu/semihosting.h"

namespace kws {
namespace board {
namespace {

// The recording in PSRAM: a uint32 count of samples, the int16 samples, then the serial input,
// ended by a zero. Without a recording the memory is zero, so the count is 0.
constexpr uint32_t kHeaderBytes = 4;
constexpr uint32_t kMaxSamples = (kPsramBytes - kHeaderBytes - 1) / 2;

// Samples per simulated DMA interrupt: 16 ms. Not a divisor of a hop, to exercise the ring.
constexpr uint32_t kBlockSamples = 256;

AudioProvider* audio = nullptr;
uint32_t next_sample = 0;
uint32_t typed_read = 0;

void WaitForUart() {
  while ((Register(kUart0State) & kUartTransmitFull) != 0) {
  }
}

}  // namespace

const char kName[] = KWS_BOARD;
const uint32_t kClockKhz = kSystemClock / 1000;
const int kMinGain = 0;
const int kMaxGain = 0;
const int kDefaultGain = 0;
const size_t kSettingsPageWords = 0;

void Init() {
  Register(kUart0BaudDivider) = kSystemClock / 115200;
  Register(kUart0Control) = kUartTransmitEnable;
  Register(kTimerControl) = kTimerEnable | kTimerPrescale256 | kTimer32Bit;
}

Status Start(AudioProvider* provider) {
  audio = provider;
  next_sample = 0;
  return Register(kPsram) <= kMaxSamples ? Status::kOk : Status::kBadArgument;
}

void SetGain(int) {}
void SetLed(int) {}
void FeedWatchdog() {}
void StartPin(uint32_t) {}
void SetPin(uint32_t, bool) {}

void Write(const char* text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    WaitForUart();
    Register(kUart0Data) = static_cast<uint8_t>(text[i]);
  }
}

uint32_t ChooseSamplePort() { return 0; }
void SetFast(bool) {}
void WriteSamples(const char* text, size_t size) { Write(text, size); }

// Serial input comes from memory, so that all runs are identical.
size_t Read(char* text, size_t size) {
  const char* typed = reinterpret_cast<const char*>(kPsram + kHeaderBytes + 2 * Register(kPsram));
  if (size == 0 || audio == nullptr || typed[typed_read] == '\0') return 0;
  text[0] = typed[typed_read++];
  return 1;
}

const uint32_t* SettingsPage(int) { return nullptr; }
Status EraseSettings(int) { return Status::kError; }
Status WriteSettings(int, size_t, const uint32_t*, size_t) { return Status::kError; }

uint32_t Milliseconds() {
  constexpr uint32_t kTicks = 3125;  // in 32 ms
  static_assert(kTicks * 256 * 1000 / 32 == kSystemClock, "the timer's prescaler is 256");
  const uint32_t ticks = ~Register(kTimerValue);
  return ticks / kTicks * 32 + ticks % kTicks * 32 / kTicks;
}

uint32_t SleepMilliseconds() { return 0; }
const char* ResetCause() { return "unknown"; }
uint32_t Cycles() { return 0; }

// Sleep takes no time: the next block arrives at once, and after the last block the emulator exits.
// So every run executes the same instructions.
void Sleep() {
  const uint32_t count = Register(kPsram);
  const uint32_t left = count - next_sample;
  if (left == 0) Exit();
  const uint32_t block = left < kBlockSamples ? left : kBlockSamples;
  const int16_t* samples = reinterpret_cast<const int16_t*>(kPsram + kHeaderBytes);
  audio->Push(samples + next_sample, block);
  next_sample += block;
}

void Exit() {
  WaitForUart();
  SemihostingExit(0);
}

void Halt(Fault) {
  WaitForUart();
  SemihostingExit(1);
}

}  // namespace board
}  // namespace kws
