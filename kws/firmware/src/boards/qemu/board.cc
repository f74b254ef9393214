// The emulated board: QEMU's mps2-an386. Its microphone is a recording in memory.
#include "boards/board.h"

#include "boards/qemu/mps2_an386.h"
#include "boards/qemu/semihosting.h"

namespace kws {
namespace board {
namespace {

// The recording in PSRAM: a uint32 count of samples, then so many int16. Without one the memory is
// zero, so the count is too.
constexpr uint32_t kHeaderBytes = 4;
constexpr uint32_t kMaxSamples = (kPsramBytes - kHeaderBytes) / 2;

// What an interrupt of a microphone's DMA would bring at once: 16 ms. It does not divide a hop, so
// that the ring is exercised as on a board.
constexpr uint32_t kBlockSamples = 256;

AudioProvider* audio = nullptr;
uint32_t next_sample = 0;

void WaitForUart() {
  while ((Register(kUart0State) & kUartTransmitFull) != 0) {
  }
}

}  // namespace

const char kName[] = "qemu";

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

void SetLed(int) {}  // nobody looks

void Write(const char* text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    WaitForUart();
    Register(kUart0Data) = static_cast<uint8_t>(text[i]);
  }
}

uint32_t Milliseconds() {
  const uint64_t ticks = ~Register(kTimerValue);
  return static_cast<uint32_t>(ticks * (256 * 1000) / kSystemClock);
}

// Time stands still while the core sleeps: the next block is there at once, and after the
// last one the emulator ends. So every run executes the same instructions.
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

void Halt() {
  WaitForUart();
  SemihostingExit(1);
}

}  // namespace board
}  // namespace kws
