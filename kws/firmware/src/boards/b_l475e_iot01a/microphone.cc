// SPDX-License-Identifier: Apache-2.0
// One of the board's two PDM microphones (MP34DT01-M), which share a data line. The DFSDM supplies
// their clock and filters the data; DMA moves the samples to memory.
//
// 80 MHz / 40 / 125 = 16 kHz. The clock of 2 MHz is within the microphone's range (data sheet: 1 to
// 3.25 MHz). A fourth-order filter attenuates 3.7 dB at 4 kHz and 15.7 dB at 8 kHz, and aliases
// from above 8 kHz by more than 15.7 dB; a third-order filter would pass more of the modulator's
// noise. With a ratio of 125 the maximum is 125^4, 27.9 bits without sign: shifted right by 5, it
// fits the data register's 24 bits.
#include "boards/b_l475e_iot01a/pins.h"
#include "boards/b_l475e_iot01a/stm32l475.h"
#include "boards/board.h"
#include "boards/gain.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 1;

// UM2153, digital microphones. DS, table 17: function 6 is the DFSDM.
constexpr Pin kClockPin = {kPortE, 9};
constexpr Pin kDataPin = {kPortE, 7};
constexpr uint32_t kFunction = 6;

constexpr uint32_t kClockDivisor = 40;
constexpr uint32_t kRatio = 125;
constexpr uint32_t kDroppedBits = 5;

// Each microphone drives the line for half of the clock's period and is read at the end of that
// half.
constexpr uint32_t kEdge = KWS_OTHER_MICROPHONE ? kDfsdmFallingEdge : 0;

// 20 ms: one interrupt per hop. Circular DMA over two blocks, with an interrupt after each.
constexpr size_t kBlockSamples = 320;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

// At 0 dB a sample is the filter's value / 128. All ones on the line, 125^4 / 2^5, are 5.2 dB above
// full scale, so that the microphone's loudest sound uses all 16 bits. 94 dB SPL, 26 dB below all
// ones, is 20.8 dB below full scale.
constexpr uint32_t kScaleBits = 7;

volatile int32_t words[2][kBlockSamples];
int16_t block[kBlockSamples];
uint32_t completed = 0;  // blocks
volatile int32_t gain = kGainOne;
int32_t rest = 0;  // the microphone's offset, measured while it settles
AudioProvider* provider = nullptr;

void StartDma() {
  Register(kMicDmaConfig) = 0;
  Register(kMicDmaClear) = kMicDmaHalf | kMicDmaWhole | kMicDmaFailed;
  Register(kMicDmaFrom) = kDfsdmData;
  Register(kMicDmaTo) = reinterpret_cast<uintptr_t>(words);
  Register(kMicDmaCount) = 2 * kBlockSamples;
  Register(kMicDmaConfig) = kDmaUrgent | kDmaReadWords | kDmaWriteWords | kDmaNextInMemory |
                            kDmaCircular | kDmaTellHalf | kDmaTellWhole | kDmaTellFailed |
                            kDmaEnable;
}

// The data register's upper 24 bits; the lower bits are the channel.
int32_t Level(int32_t word) { return word >> kDfsdmDataShift; }

// With gain, even a small offset would take much of the range. The pipeline removes its drift.
void MeasureRest(const volatile int32_t* taken) {
  int64_t sum = 0;
  for (size_t i = 0; i < kBlockSamples; ++i) sum += Level(taken[i]);
  rest = static_cast<int32_t>(sum / static_cast<int32_t>(kBlockSamples));
}

int16_t Sample(int32_t word) {
  constexpr int kBits = kGainBits + kScaleBits;
  const int64_t value = static_cast<int64_t>(Level(word) - rest) * gain;
  const int64_t sample = (value + (1 << (kBits - 1))) >> kBits;
  if (sample > INT16_MAX) return INT16_MAX;
  if (sample < INT16_MIN) return INT16_MIN;
  return static_cast<int16_t>(sample);
}

void Take(const volatile int32_t* taken) {
  if (completed++ < kDroppedBlocks) {
    MeasureRest(taken);
    return;
  }
  for (size_t i = 0; i < kBlockSamples; ++i) block[i] = Sample(taken[i]);
  provider->Push(block, kBlockSamples);
}

}  // namespace

const int kMinGain = -20;
const int kMaxGain = 20;
const int kDefaultGain = 0;

Status Start(AudioProvider* audio) {
  provider = audio;
  Register(kClockApb2) |= kClockDfsdm;
  Register(kClockAhb1) |= kClockDma1;
  [[maybe_unused]] const uint32_t enabled = Register(kClockAhb1);  // waits as PinsInit
  Connect(kClockPin, kFunction);
  Connect(kDataPin, kFunction);

  // Channel and filter are configured while disabled.
  Register(kDfsdmChannel2nd) = kDroppedBits * kDfsdmDrop1Bit;
  Register(kDfsdmChannel) = kDfsdmOwnClock | kEdge;
  Register(kDfsdmChannel) = kDfsdmOwnClock | kEdge | kDfsdmChannelEnable;
  constexpr uint32_t kClock = (kClockDivisor - 1) * kDfsdmDivisor1;
  Register(kDfsdmClock) = kClock;
  Register(kDfsdmClock) = kClock | kDfsdmEnable;
  Register(kDfsdmDecimation) = kDfsdmSinc4 | (kRatio - 1) * kDfsdmRatio1;
  // Without fast mode, each sample would wait until the filter is filled again (RM 24.4.13).
  constexpr uint32_t kFilter =
      kDfsdmFilterChannel2 | kDfsdmFilterRepeat | kDfsdmFilterByDma | kDfsdmFilterFast;
  Register(kDfsdmFilter) = kFilter;
  Register(kDfsdmFilter) = kFilter | kDfsdmFilterEnable;

  Register(kMicDmaSelect) &= ~kMicDmaSelectMask;
  StartDma();
  EnableInterrupt(kMicDmaInterrupt, kPriority);
  Register(kDfsdmFilter) = kFilter | kDfsdmFilterEnable | kDfsdmFilterStart;
  return Status::kOk;
}

void SetGain(int decibels) { gain = GainOf(decibels); }

// The block must be copied before the other block is complete, 20 ms later. If both are complete,
// this interrupt is a block late and the DMA is overwriting the older block. An overrun counts as
// one sample; samples lost while the DMA was stopped are in the lost block.
void TakeBlock() {
  const uint32_t flags = Register(kMicDmaStatus) & (kMicDmaHalf | kMicDmaWhole | kMicDmaFailed);
  Register(kMicDmaClear) = flags;
  const bool failed = (flags & kMicDmaFailed) != 0;
  if (failed) StartDma();
  const bool overrun = (Register(kDfsdmStatus) & kDfsdmOverrun) != 0;
  if (overrun) Register(kDfsdmClear) = kDfsdmClearOverrun;
  if (failed) {
    provider->Lose(kBlockSamples);
    return;
  }
  if (overrun) provider->Lose(1);
  if (flags == (kMicDmaHalf | kMicDmaWhole)) {
    provider->Lose(2 * kBlockSamples);
  } else if (flags != 0) {
    Take(words[flags == kMicDmaHalf ? 0 : 1]);
  }
}

}  // namespace board
}  // namespace kws

extern "C" void KwsMicDmaInterrupt() { kws::board::TakeBlock(); }
