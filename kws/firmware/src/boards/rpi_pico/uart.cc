// SPDX-License-Identifier: Apache-2.0
// UART 0 at the Pico's pins GP0 (to the adapter) and GP1 (from it). Its FIFOs hold 32 bytes.
#include "boards/uart.h"

#include "boards/rpi_pico/clock.h"
#include "boards/rpi_pico/pins.h"
#include "boards/rpi_pico/rp2040.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 6;  // below the microphone

constexpr uint32_t kSendPin = 0;
constexpr uint32_t kReceivePin = 1;

constexpr uint32_t kRate = 115200;

// The divisor in 64ths, rounded: 115195 bit/s, and exactly 1 Mbit/s.
constexpr uint32_t Divisor(uint32_t rate) { return (kSystemHz * 4 + rate / 2) / rate; }
static_assert(Divisor(kUartFastRate) * kUartFastRate == kSystemHz * 4, "");

constexpr uint32_t kQueueBytes = 1024;  // powers of two; a hop's samples fit
constexpr uint32_t kReceivedBytes = 64;

// Counters of bytes since the start; they wrap.
char queue[kQueueBytes];
uint32_t queued = 0;         // by UartWrite
volatile uint32_t sent = 0;  // by UartService

char received[kReceivedBytes];
volatile uint32_t came = 0;   // by UartService
volatile uint32_t taken = 0;  // by UartRead

void SetDivisor(uint32_t divisor) {
  Register(kUartControl) = 0;
  Register(kUartDivisor) = divisor / 64;
  Register(kUartDivisor64ths) = divisor % 64;
  Register(kUartLine) = kUart8Bits | kUartFifos;
  Register(kUartControl) = kUartSend | kUartReceive | kUartEnable;
}

}  // namespace

void UartInit() {
  Register(kReset + kSetBits) = kResetUart;
  StartPeripherals(kResetUart);
  Connect(kSendPin, kPinUart);
  Connect(kReceivePin, kPinUart, kPadPullUp);  // idle if nothing is connected
  SetDivisor(Divisor(kRate));
  Register(kUartLevels) = 0;
  Register(kUartInterrupts) = kUartTellReceived | kUartTellIdle;
  EnableInterrupt(kUartInterrupt, kPriority);
}

void UartWrite(const char* text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    while (queued - sent == kQueueBytes) UartService();
    queue[queued % kQueueBytes] = text[i];
    ++queued;
  }
  UartService();
}

void UartSetFast(bool fast) {
  while (sent != queued) UartService();
  while ((Register(kUartStatus) & kUartBusy) != 0) {
  }
  SetDivisor(Divisor(fast ? kUartFastRate : kRate));
}

size_t UartRead(char* text, size_t size) {
  size_t count = 0;
  while (count < size && taken != came) {
    text[count++] = received[taken % kReceivedBytes];
    taken = taken + 1;
  }
  return count;
}

// The FIFO is filled before its transmit interrupt is enabled, which is raised only when the level
// falls below the threshold (DS 4.2.6).
void UartService() {
  const InterruptsOff off;
  Register(kUartForget) = kUartTellReceived | kUartTellIdle | kUartTellSent;
  while ((Register(kUartStatus) & kUartNothingReceived) == 0) {
    const char byte = static_cast<char>(Register(kUartData));
    if (came - taken == kReceivedBytes) continue;
    received[came % kReceivedBytes] = byte;
    came = came + 1;
  }
  while (sent != queued && (Register(kUartStatus) & kUartFull) == 0) {
    Register(kUartData) = static_cast<uint8_t>(queue[sent % kQueueBytes]);
    sent = sent + 1;
  }
  Register(kUartInterrupts) =
      kUartTellReceived | kUartTellIdle | (sent != queued ? kUartTellSent : 0);
}

}  // namespace board
}  // namespace kws

extern "C" void KwsUartInterrupt() { kws::board::UartService(); }
