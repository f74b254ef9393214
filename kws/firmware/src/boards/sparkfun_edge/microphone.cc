// The board's two analog microphones on the ADC's inputs 1 and 2. Timer A3 triggers a scan of both
// at 16 kHz; the DMA takes the FIFO to memory, a block at a time. How it is used: TensorFlow 2.1,
// tensorflow/lite/micro/examples/micro_speech/sparkfun_edge/audio_provider.cc, and HAL,
// am_hal_adc.c.
#include "boards/board.h"
#include "boards/sparkfun_edge/apollo3.h"
#include "dc_offset.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 1;

constexpr uint32_t kTriggerTicks = 750;  // of 12 MHz: 16 kHz

// 20 ms: one interrupt a hop.
constexpr size_t kBlockSamples = 320;
constexpr size_t kInputs = 2;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

// An average of 16 conversions of 14 bits has 18 bits. At 0 dB their lower 16 are the sample: the
// microphones are soft, and an example of the vendor's, who multiplies 14 bits by 10, has 8 dB
// where this has 12.
constexpr int kShift = 2;

// The microphones rest somewhere near the middle of the range. What is taken away before the sample
// is cut to 16 bits is coarse, in steps; DcOffset does the rest.
constexpr int32_t kCoarseStep = 2048;

// Of gains 0 to 19 dB in 1/4096.
constexpr uint16_t kGains[20] = {4096,  4596,  5157,  5786,  6492,  7284,  8173,
                                 9170,  10289, 11544, 12953, 14533, 16306, 18296,
                                 20529, 23034, 25844, 28998, 32536, 36506};
constexpr int kGainBits = 12;

uint32_t scans[2][kBlockSamples * kInputs];
int16_t block[kBlockSamples];
uint32_t completed = 0;  // blocks; number n is in scans[n % 2]
volatile int32_t gain = 1 << kGainBits;
int32_t coarse = 0;
AudioProvider* provider = nullptr;
DcOffset dc_offset;

void Arm(const uint32_t* target) {
  Register(kAdcDmaConfig) = 0;
  Register(kAdcDmaStatus) = 0;
  Register(kAdcDmaTarget) = reinterpret_cast<uintptr_t>(target);
  Register(kAdcDmaCount) = sizeof(scans[0]);
  Register(kAdcDmaConfig) = kAdcDmaUrgent | kAdcDmaEnable;
}

// Of both inputs, in steps of a sample at 0 dB.
int32_t Level(const uint32_t* scan) {
  const uint32_t sum = (scan[0] & kAdcData) + (scan[1] & kAdcData);
  return static_cast<int32_t>(sum >> (kShift + 1));
}

void SetCoarse(const uint32_t* taken) {
  int64_t sum = 0;
  for (size_t i = 0; i < kBlockSamples; ++i) sum += Level(taken + i * kInputs);
  const int32_t mean = static_cast<int32_t>(sum / static_cast<int32_t>(kBlockSamples));
  coarse = (mean + kCoarseStep / 2) / kCoarseStep * kCoarseStep;
}

void Take(uint32_t number, const uint32_t* taken) {
  const bool dropped = number < kDroppedBlocks;
  if (dropped) SetCoarse(taken);
  for (size_t i = 0; i < kBlockSamples; ++i) {
    int32_t sample = (Level(taken + i * kInputs) - coarse) * (gain / 4) / (1 << (kGainBits - 2));
    if (sample > INT16_MAX) sample = INT16_MAX;
    if (sample < INT16_MIN) sample = INT16_MIN;
    block[i] = static_cast<int16_t>(sample);
  }
  if (dropped) {
    dc_offset.Seed(block, kBlockSamples);
    return;
  }
  dc_offset.Remove(block, kBlockSamples);
  provider->Push(block, kBlockSamples);
}

}  // namespace

const int kMinGain = -20;
const int kMaxGain = 19;

Status Start(AudioProvider* audio) {
  provider = audio;
  Register(kPowerEnable) |= kPowerAdc;
  while ((Register(kPowerStatus) & kPowerAdcIsOn) == 0) {
  }
  Register(kAdcSlot0) = kAdcAverage16 | kAdcInput1 | kAdcSlotEnable;
  Register(kAdcSlot1) = kAdcAverage16 | kAdcInput2 | kAdcSlotEnable;
  constexpr uint32_t kConfig =
      kAdcClock48MHz | kAdcSoftwareTrigger | kAdcLowLatency | kAdcRepeat;  // reference: 2.0 V
  Register(kAdcConfig) = kConfig;
  Register(kAdcDmaTriggers) = kAdcDmaAt75Percent;
  Arm(scans[0]);
  Register(kAdcClearInterrupts) = ~0u;
  Register(kAdcEnableInterrupts) = kAdcDmaDone;
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

void SetGain(int decibels) {
  gain = decibels >= 0 ? kGains[decibels] : (1 << (2 * kGainBits)) / kGains[-decibels % 20];
  if (decibels == -20) gain = (1 << kGainBits) / 10;
}

// Until the next block is complete, 20 ms later, this one is ours. The FIFO holds what comes until
// the DMA is armed again.
void TakeBlock() {
  Register(kAdcClearInterrupts) = ~0u;
  const uint32_t number = completed++;
  Arm(scans[completed % 2]);
  Take(number, scans[number % 2]);
}

}  // namespace board
}  // namespace kws

extern "C" void KwsAdcInterrupt() { kws::board::TakeBlock(); }
