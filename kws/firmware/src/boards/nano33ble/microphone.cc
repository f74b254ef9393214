// SPDX-License-Identifier: Apache-2.0
// The board's PDM microphone: MP34DT05 (Rev 1) or MP34DT06J (Rev 2). Clock and decimation filter
// are the PDM peripheral's (PS 6.15): 1.28 MHz / 80 is exactly 16 kHz, as both come from the
// crystal.
#include "boards/board.h"
#include "boards/nano33ble/clock.h"
#include "boards/nano33ble/nrf52840.h"

namespace kws {
namespace board {
namespace {

// Source: arduino/ArduinoCore-mbed, variants/ARDUINO_NANO33BLE/pins_arduino.h and variant.cpp.
constexpr uint32_t kPowerPin = 17;
constexpr uint32_t kClockPin = 26;
constexpr uint32_t kDataPin = 25;

// The microphone's L/R pin is tied so that its bit is there when the clock falls; so the same
// repository's libraries/PDM reads this board: mono, left on the falling edge, which is EDGE 0.
constexpr uint32_t kLeftOnFallingEdge = 0;

constexpr uint32_t kPriority = 1;  // only the watchdog's is above

// 20 ms: one interrupt a hop.
constexpr size_t kBlockSamples = 320;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

int16_t blocks[2][kBlockSamples] __attribute__((aligned(4)));
uint32_t started = 0;  // blocks that the DMA began; number n is in blocks[n % 2]
AudioProvider* provider = nullptr;

}  // namespace

const int kMinGain = -20;
const int kMaxGain = 20;

Status Start(AudioProvider* audio) {
  if (!CrystalRuns()) return Status::kError;
  provider = audio;

  Register(kPort0Clear) = 1u << kClockPin;
  Register(kPort0Config + kClockPin * 4) = kPinOutput | kPinNoInput;
  Register(kPort0Config + kDataPin * 4) = 0;  // an input
  Register(kPort0Set) = 1u << kPowerPin;
  Register(kPort0Config + kPowerPin * 4) = kPinOutput | kPinNoInput;

  Register(kPdmPinClock) = kClockPin;
  Register(kPdmPinData) = kDataPin;
  Register(kPdmClock) = kPdmClock1280k;
  Register(kPdmRatio) = kPdmRatio80;
  Register(kPdmMode) = kPdmMono | kLeftOnFallingEdge;
  SetGain(0);
  Register(kPdmPointer) = reinterpret_cast<uintptr_t>(blocks[0]);
  Register(kPdmCount) = kBlockSamples;
  Register(kPdmStarted) = 0;
  Register(kPdmEnableInterrupt) = kPdmInterruptStarted;
  Register(kPdmEnable) = 1;
  EnableInterrupt(kPdmInterrupt, kPriority);
  Register(kPdmStart) = 1;
  return Status::kOk;
}

void SetGain(int decibels) {
  const uint32_t gain = static_cast<uint32_t>(static_cast<int>(kPdmGain0dB) + 2 * decibels);
  Register(kPdmGainLeft) = gain;
  Register(kPdmGainRight) = gain;
}

// The pointer is double-buffered: STARTED says that the DMA has taken it over for the block that it
// begins, so that the next one may be written, and that the block before is complete (PS 6.15.4).
// Until the next STARTED, 20 ms later, that block is ours.
void TakeBlock() {
  ClearEvent(kPdmStarted);
  int16_t* const complete = blocks[(started + 1) % 2];
  Register(kPdmPointer) = reinterpret_cast<uintptr_t>(complete);
  if (started > kDroppedBlocks) provider->Push(complete, kBlockSamples);
  ++started;
}

}  // namespace board
}  // namespace kws

extern "C" void KwsPdmInterrupt() { kws::board::TakeBlock(); }
