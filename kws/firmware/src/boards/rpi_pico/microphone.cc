// SPDX-License-Identifier: Apache-2.0
// An I2S microphone such as the INMP441 or ICS-43434, with its pin L/R at GND. A state machine of
// the PIO supplies the clocks and shifts the data in; DMA moves the samples to memory.
//
// A frame is two slots of 32 bits; the microphone sends in the first one, while WS is low. It
// changes the data after a falling edge of SCK, starting with bit 31 one SCK after WS has changed;
// the PIO reads at the rising edge. 16 kHz * 64 = 1.024 MHz, within the microphones' ranges (data
// sheets: INMP441 0.5 to 3.2 MHz, ICS-43434 0.46 to 3.379 MHz).
#include "boards/board.h"
#include "boards/gain.h"
#include "boards/rpi_pico/clock.h"
#include "boards/rpi_pico/pins.h"
#include "boards/rpi_pico/rp2040.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 2;  // more urgent than the serial port

// The same pins as in the sketch of `kws export arduino`. WS has to be the pin after SCK.
constexpr uint32_t kClockPin = 26;   // SCK
constexpr uint32_t kSelectPin = 27;  // WS
constexpr uint32_t kDataPin = 28;    // SD
static_assert(kSelectPin == kClockPin + 1, "the state machine sets both");

// Two steps per bit: 133 MHz / 2.048 MHz = 64 + 241/256, exactly. So a step is 64 or 65 cycles of
// the core, and an edge is early or late by at most 7.5 ns.
constexpr uint32_t kSampleRate = 16000;
constexpr uint64_t kSteps = uint64_t{kSampleRate} * 64 * 2;
constexpr uint32_t kDivisor256ths = kSystemHz * uint64_t{256} / kSteps;
static_assert(kDivisor256ths * kSteps == kSystemHz * uint64_t{256}, "the rate is exact");

// Levels of the pins during an instruction.
enum Level : uint32_t { kLow = 0, kSck = 1, kWs = 2 };

// Instructions (DS 3.4). The pins' levels are the upper 2 bits of the delay field.
constexpr uint32_t Pins(uint32_t levels) { return levels << 11; }
constexpr uint32_t Jump(uint32_t to, uint32_t levels) { return Pins(levels) | to; }
constexpr uint32_t JumpXNotZero(uint32_t to, uint32_t levels) { return Pins(levels) | 2 << 5 | to; }
constexpr uint32_t InBit(uint32_t levels) { return 0x4000 | Pins(levels) | 1; }
constexpr uint32_t SetX(uint32_t value, uint32_t levels) {
  return 0xe000 | Pins(levels) | 1 << 5 | value;
}
constexpr uint32_t SetOutputs(uint32_t mask, uint32_t levels) {
  return 0xe000 | Pins(levels) | 4 << 5 | mask;
}

// SCK falls at each even step and rises at the next one. A slot's last bit is sent after WS has
// changed. X counts the 31 others.
constexpr uint32_t kProgram[] = {
    /* 0 */ SetX(30, kLow),         // WS low: the other slot's last bit, ignored
    /* 1 */ Jump(3, kSck),          //
    /* 2 */ InBit(kSck),            // bits 31 to 2
    /* 3 */ JumpXNotZero(2, kLow),  //
    /* 4 */ InBit(kSck),            // bit 1
    /* 5 */ SetX(30, kWs),          // WS high
    /* 6 */ InBit(kSck | kWs),      // bit 0; the word is complete
    /* 7 */ JumpXNotZero(9, kWs),   // the other slot
    /* 8 */ Jump(0, kSck | kWs),    //
    /* 9 */ Jump(7, kSck | kWs),    //
};

// 20 ms: one interrupt per hop.
constexpr size_t kBlockSamples = 320;
constexpr uint32_t kBlockUs = 20 * 1000;
constexpr uint32_t kDroppedBlocks = KWS_DROPPED_SAMPLES / kBlockSamples;
static_assert(KWS_DROPPED_SAMPLES % kBlockSamples == 0 && kDroppedBlocks > 0,
              "samples are dropped in whole blocks");

// The microphone's 24 bits are the upper ones of a slot, with 94 dB SPL at -26 dB of full scale. At
// 0 dB a sample is the slot / 2^13, which is 18 dB louder: 94 dB SPL is at -8 dB, and a tone above
// 102 dB SPL is clipped. The microphones remove their offset themselves.
constexpr uint32_t kScaleBits = 13;

volatile int32_t words[2][kBlockSamples];
int16_t block[kBlockSamples];
uint32_t completed = 0;  // blocks
uint32_t last_us = 0;    // when the last block was taken
volatile int32_t gain = kGainOne;
AudioProvider* provider = nullptr;

// Where channel 0 writes, read by channel 1 as a ring of 8 bytes.
alignas(8) volatile int32_t* const destinations[2] = {words[0], words[1]};

uint32_t AddressOf(const volatile void* object) { return reinterpret_cast<uintptr_t>(object); }

void StartPio() {
  for (uint32_t i = 0; i < sizeof(kProgram) / sizeof(kProgram[0]); ++i) {
    Register(kPioProgram + 4 * i) = kProgram[i];
  }
  Register(kPioDivisor) =
      kDivisor256ths / 256 * kPioDivisor1 | kDivisor256ths % 256 * kPioDivisor256th;
  Register(kPioShift) = kPioAutoPush | kPioReceiveOnly;
  Register(kPioPins) = kPioSide2 | kPioSet2 | kDataPin * kPioInBase1 | kClockPin * kPioSideBase1 |
                       kClockPin * kPioSetBase1;
  Register(kPioControl) = kPioRestart | kPioRestartDivisor;
  // WS is high, so that the program begins with its falling edge.
  Register(kPioExecute) = SetOutputs(3, kWs);
  Connect(kClockPin, kPinPio);
  Connect(kSelectPin, kPinPio);
  // The microphone does not drive the line during the other slot.
  Connect(kDataPin, kPinPio, kPadPullDown);
  Register(kPioExecute) = Jump(0, kWs);
}

// Each time channel 0 has filled a block, channel 1 writes the other block's address, which starts
// channel 0 again. The timing of the interrupt does not matter.
void StartDma() {
  constexpr uint32_t kAlways = kDmaEnable | kDmaUrgent | kDmaWords;
  Register(kDmaFrom) = kPioReceived;
  Register(kDmaCount) = kBlockSamples;
  Register(kDmaControl) = kAlways | kDmaNextWrite | kDmaFromPio | 1 * kDmaThen1;
  Register(kNextFrom) = AddressOf(destinations);
  Register(kNextTo) = kDmaStartTo;
  Register(kNextCount) = 1;
  Register(kDmaInterrupts) = kDmaSamples;
  Register(kNextStart) =
      kAlways | kDmaNextRead | 3 * kDmaRing1 | kDmaAtOnce | kDmaQuiet | 1 * kDmaThen1;
}

int16_t Sample(int32_t word) {
  constexpr int kBits = kGainBits + kScaleBits;
  const int64_t value = static_cast<int64_t>(word) * gain;
  const int64_t sample = (value + (1 << (kBits - 1))) >> kBits;
  if (sample > INT16_MAX) return INT16_MAX;
  if (sample < INT16_MIN) return INT16_MIN;
  return static_cast<int16_t>(sample);
}

void Take(const volatile int32_t* taken) {
  if (completed++ < kDroppedBlocks) return;
  for (size_t i = 0; i < kBlockSamples; ++i) block[i] = Sample(taken[i]);
  provider->Push(block, kBlockSamples);
}

}  // namespace

const int kMinGain = -20;
const int kMaxGain = 20;
const int kDefaultGain = 0;

Status Start(AudioProvider* audio) {
  provider = audio;
  Register(kReset + kSetBits) = kResetPio | kResetDma;
  StartPeripherals(kResetPio | kResetDma);
  StartPio();
  StartDma();
  EnableInterrupt(kDmaInterrupt, kPriority);
  last_us = Microseconds();
  Register(kPioControl) = kPioEnable;
  return Status::kOk;
}

void SetGain(int decibels) { gain = GainOf(decibels); }

// The complete block is the one that DMA does not write. It must be copied before the other block
// is complete, 20 ms later: if this interrupt is later than that, the blocks in between are lost.
// Channel 1 may not have set the next address yet, which is then the end of the complete block. If
// DMA is late by 8 samples, the PIO stalls, and with it the microphone's clock.
void TakeBlock() {
  Register(kDmaStatus) = kDmaSamples;
  const uint32_t offset = Register(kDmaTo) - AddressOf(words);
  const bool in_second = offset >= sizeof(words[0]) && offset < sizeof(words);
  const uint32_t now = Microseconds();
  const uint32_t missed = (now - last_us + kBlockUs / 2) / kBlockUs;
  last_us = now;
  if (missed > 1) provider->Lose((missed - 1) * kBlockSamples);
  if ((Register(kPioDebug) & kPioStalled) != 0) {
    Register(kPioDebug) = kPioStalled;
    provider->Lose(1);
  }
  Take(words[in_second ? 0 : 1]);
}

}  // namespace board
}  // namespace kws

extern "C" void KwsDmaInterrupt() { kws::board::TakeBlock(); }
