// SPDX-License-Identifier: Apache-2.0
// The board's two analog microphones on the ADC's inputs 1 and 2. Timer A3 triggers a scan of both;
// DMA moves the FIFO to memory, a block at a time. Example of use: TensorFlow 2.1,
// tensorflow/lite/micro/examples/micro_speech/sparkfun_edge/audio_provider.cc ("Google's driver"),
// and HAL, am_hal_adc.c.
#include "boards/board.h"
#include "boards/gain.h"
#include "boards/sparkfun_edge/apollo3.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 1;

// Five scans per sample: 80 kHz. The ADC can average, but it is undocumented whether that needs a
// trigger per measurement; Google's driver uses single measurements.
constexpr uint32_t kTriggerTicks = 150;  // of 12 MHz
constexpr size_t kScansPerSample = 5;

// Bit n: input n. BSP names: MIC0 on pad 11, input 2, next to the camera's connector; MIC1 on pad
// 29, input 1, next to the LEDs.
#if KWS_MICROPHONES < 1 || KWS_MICROPHONES > 3
#error "KWS_MICROPHONES is 1 (MIC0), 2 (MIC1) or 3 (both)"
#endif
constexpr bool kMic0 = (KWS_MICROPHONES & 1) != 0;
constexpr bool kMic1 = (KWS_MICROPHONES & 2) != 0;
constexpr size_t kInputs = kMic0 && kMic1 ? 2 : 1;

// 20 ms: one interrupt per hop. A transfer need not be a multiple of a burst of 12 words: Google's
// driver used 1024.
constexpr size_t kBlockSamples = 320;
constexpr size_t kWordsPerSample = kScansPerSample * kInputs;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

// At 0 dB a sample is the sum of ten measurements of 14 bits, or twice the sum of five: as loud as
// Google's driver, which multiplied one by 10.
constexpr int32_t kMeasurements = 10;
constexpr int32_t kWeight = kMeasurements / kWordsPerSample;

uint32_t scans[2][kBlockSamples * kWordsPerSample];
int16_t block[kBlockSamples];
uint32_t completed = 0;  // blocks; number n is in scans[n % 2]
volatile int32_t gain = kGainOne;
int32_t rest =
    0;  // the microphones' offset, measured while they settle; not the middle of the range
AudioProvider* provider = nullptr;

void Arm(const uint32_t* target) {
  Register(kAdcDmaConfig) = 0;
  Register(kAdcDmaStatus) = 0;
  Register(kAdcDmaTarget) = reinterpret_cast<uintptr_t>(target);
  Register(kAdcDmaCount) = sizeof(scans[0]);
  Register(kAdcDmaConfig) = kAdcDmaUrgent | kAdcDmaEnable;
}

// The sum of one sample's measurements, in its unit at 0 dB.
int32_t Level(const uint32_t* words) {
  uint32_t sum = 0;
  for (size_t i = 0; i < kWordsPerSample; ++i) sum += (words[i] & kAdcData) >> kAdcFractionBits;
  return static_cast<int32_t>(sum) * kWeight;
}

// Without it a sample would not fit 16 bits. The pipeline removes its drift.
void MeasureRest(const uint32_t* taken) {
  constexpr int32_t kCount = kBlockSamples;
  int32_t sum = 0;  // 320 levels of 18 bits fit
  for (int32_t i = 0; i < kCount; ++i) sum += Level(taken + i * kWordsPerSample);
  rest = (sum + kCount / 2) / kCount;
}

void Take(uint32_t number, const uint32_t* taken) {
  if (number < kDroppedBlocks) {
    MeasureRest(taken);
    return;
  }
  for (size_t i = 0; i < kBlockSamples; ++i) {
    int32_t sample =
        (Level(taken + i * kWordsPerSample) - rest) * (gain / 4) / (1 << (kGainBits - 2));
    if (sample > INT16_MAX) sample = INT16_MAX;
    if (sample < INT16_MIN) sample = INT16_MIN;
    block[i] = static_cast<int16_t>(sample);
  }
  provider->Push(block, kBlockSamples);
}

}  // namespace

const int kMinGain = -20;
const int kMaxGain = 20;
const int kDefaultGain = 0;

Status Start(AudioProvider* audio) {
  provider = audio;
  Register(kPowerEnable) |= kPowerAdc;
  while ((Register(kPowerStatus) & kPowerAdcIsOn) == 0) {
  }
  Register(kAdcSlot0) = kMic1 ? kAdcInput1 | kAdcSlotEnable : 0;
  Register(kAdcSlot1) = kMic0 ? kAdcInput2 | kAdcSlotEnable : 0;
  constexpr uint32_t kConfig =
      kAdcClock48MHz | kAdcSoftwareTrigger | kAdcLowLatency | kAdcRepeat;  // reference: 2.0 V
  Register(kAdcConfig) = kConfig;
  Register(kAdcDmaTriggers) = kAdcDmaAt75Percent;
  Arm(scans[0]);
  Register(kAdcClearInterrupts) = ~0u;
  Register(kAdcEnableInterrupts) = kAdcDmaDone | kAdcDmaFailed;
  Register(kAdcConfig) = kConfig | kAdcEnable;
  EnableInterrupt(kAdcInterrupt, kPriority);

  Register(kTimer3Control) = kTimer3Clear;
  Register(kTimer3Compare) = kTriggerTicks - 1;
  constexpr uint32_t kTrigger = kTimer3Clock12MHz | kTimer3Repeat | kTimer3Adc;
  Register(kTimer3Control) = kTrigger;
  Register(kTimer3Control) = kTrigger | kTimer3Enable;
  Register(kAdcTrigger) = kAdcTriggerKey;  // the first scan; the timer does the others
  return Status::kOk;
}

void SetGain(int decibels) { gain = GainOf(decibels); }

// The block must be copied before the next block is complete, 20 ms later. Until the DMA is armed
// again, the FIFO holds 16 measurements, 100 us at 160 kHz. After an error the transfer is
// restarted.
void TakeBlock() {
  const bool failed = (Register(kAdcDmaStatus) & kAdcDmaError) != 0;
  Register(kAdcClearInterrupts) = ~0u;
  if (failed) {
    Arm(scans[completed % 2]);
    provider->Lose(kBlockSamples);
    return;
  }
  const uint32_t number = completed++;
  Arm(scans[completed % 2]);
  Take(number, scans[number % 2]);
}

}  // namespace board
}  // namespace kws

extern "C" void KwsAdcInterrupt() { kws::board::TakeBlock(); }
