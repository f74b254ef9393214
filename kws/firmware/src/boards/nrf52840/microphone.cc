// SPDX-License-Identifier: Apache-2.0
// The board's PDM microphone. The PDM peripheral supplies the clock and the decimation filter (PS
// 6.15): 1.28 MHz / 80 is exactly 16 kHz, as both come from the crystal.
#include "boards/board.h"
#include "boards/nrf52840/clock.h"
#include "boards/nrf52840/nrf52840.h"
#include "boards/nrf52840/tables/board_table.h"

namespace kws {
namespace board {
namespace {

// Mono is the left channel, read at this edge.
constexpr uint32_t kLeftEdge = table::kMicrophoneEdge == Edge::kRising ? kPdmLeftOnRisingEdge : 0;

constexpr uint32_t kPowerDrive = table::kMicrophonePowerIsStrong ? kPinStrongHigh : 0;

constexpr uint32_t kPriority = 1;  // only the watchdog is more urgent

// 20 ms: one interrupt per hop.
constexpr size_t kBlockSamples = 320;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

int16_t blocks[2][kBlockSamples] __attribute__((aligned(4)));
uint32_t started = 0;  // blocks started by the DMA; number n is in blocks[n % 2]
AudioProvider* provider = nullptr;

}  // namespace

const int kMinGain = -20;
const int kMaxGain = 20;

// The default of Arduino's library for this chip: 20 on a scale of half decibels from -20 dB on
// (arduino/ArduinoCore-mbed, libraries/PDM/src/nrf52/PDM.cpp).
const int kDefaultGain = -10;

Status Start(AudioProvider* audio) {
  if (!CrystalRuns()) return Status::kError;
  provider = audio;

  Drive(table::kMicrophoneClock, false);
  Configure(table::kMicrophoneClock, kPinOutput | kPinNoInput);
  Configure(table::kMicrophoneData, 0);  // an input
  if (IsThere(table::kMicrophonePower)) {
    Drive(table::kMicrophonePower, true);
    Configure(table::kMicrophonePower, kPinOutput | kPinNoInput | kPowerDrive);
  }

  Register(kPdmPinClock) = table::kMicrophoneClock.Select();
  Register(kPdmPinData) = table::kMicrophoneData.Select();
  Register(kPdmClock) = kPdmClock1280k;
  Register(kPdmRatio) = kPdmRatio80;
  Register(kPdmMode) = kPdmMono | kLeftEdge;
  SetGain(kDefaultGain);
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

// The pointer is double-buffered. STARTED: the DMA has taken the pointer for a new block, the next
// pointer may be written, and the previous block is complete (PS 6.15.4). It must be copied before
// the next STARTED, 20 ms later.
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
