// SPDX-License-Identifier: Apache-2.0
// One of the board's two PDM microphones (MP34DT01-M), which share a data line; the DFSDM gives
// them their clock and filters what they send, DMA takes the samples to memory.
//
// 80 MHz by 40 by 125 is 16 kHz. 2 MHz is in the middle of what the microphone takes (its data
// sheet: 1 to 3.25 MHz). A filter of fourth order costs 3.7 dB at 4 kHz, 15.7 dB at 8 kHz, and what
// folds back from above that comes in weaker than 15.7 dB; one of third order would let more noise
// of the modulator in. A ratio of 125 then gives at most 125^4, which is 27.9 bits without the
// sign: 5 fewer fit the 24 bits of the data register.
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

// Each microphone drives the line for half of the clock's period, and is read as that half ends.
constexpr uint32_t kEdge = KWS_OTHER_MICROPHONE ? kDfsdmFallingEdge : 0;

// 20 ms: one interrupt a hop. The DMA goes round over two blocks, and says when each is whole.
constexpr size_t kBlockSamples = 320;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

// At 0 dB a sample is a 128th of the filter's value. All ones on the line, 125^4 / 2^5, would
// be 5.2 dB above full scale, so that the loudest sound that the microphone can send uses all 16
// bits. 94 dB of sound, 26 dB below all ones, come out 20.8 dB below full scale.
constexpr uint32_t kScaleBits = 7;

volatile int32_t words[2][kBlockSamples];
int16_t block[kBlockSamples];
uint32_t completed = 0;  // blocks
volatile int32_t gain = kGainOne;
int32_t rest = 0;  // what the microphone gives in silence, measured while it settles
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

// The data register's upper 24 bits. The lower ones say which channel it was.
int32_t Level(int32_t word) { return word >> kDfsdmDataShift; }

// With the gain even a small offset would cost much of the range. The pipeline follows its drift.
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

  // What a channel and a filter do is set while they are disabled.
  Register(kDfsdmChannel2nd) = kDroppedBits * kDfsdmDrop1Bit;
  Register(kDfsdmChannel) = kDfsdmOwnClock | kEdge;
  Register(kDfsdmChannel) = kDfsdmOwnClock | kEdge | kDfsdmChannelEnable;
  constexpr uint32_t kClock = (kClockDivisor - 1) * kDfsdmDivisor1;
  Register(kDfsdmClock) = kClock;
  Register(kDfsdmClock) = kClock | kDfsdmEnable;
  Register(kDfsdmDecimation) = kDfsdmSinc4 | (kRatio - 1) * kDfsdmRatio1;
  // Not fast, each sample would wait for the filter to fill anew (RM 24.4.13).
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

// Until the other block is whole, 20 ms later, this one is ours. Where both are, this interrupt
// came a block late and the DMA writes the older one again. An overrun is at least one sample;
// those while the DMA stood still are in the block that it lost.
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
