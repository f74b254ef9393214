// SPDX-License-Identifier: Apache-2.0
// UART0, for the board's USB-serial adapter.
#include "boards/uart.h"

#include <cstdint>

#include "boards/sparkfun_edge/apollo3.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 6;  // far below the microphones

// 24 MHz / (16 * 115200) is 13 and 1/64.
constexpr uint32_t kDivisor = 13;
constexpr uint32_t kDivisorFraction = 1;
// 24 MHz / (16 * 1000000) is 1 and 32/64.
constexpr uint32_t kFastDivisor = 1;
constexpr uint32_t kFastDivisorFraction = 32;

constexpr uint32_t kQueueBytes = 1024;  // powers of two; a hop's samples fit
constexpr uint32_t kReceivedBytes = 64;

// Counters of bytes since the start; they wrap.
char queue[kQueueBytes];
uint32_t queued = 0;         // by UartWrite
volatile uint32_t sent = 0;  // by UartService

char received[kReceivedBytes];
volatile uint32_t received_count = 0;  // by UartService
uint32_t taken_count = 0;              // by UartRead

// Divisors may be changed only while the port is disabled (ARM DDI 0183G, 3.3.7).
void SetDivisor(uint32_t integer, uint32_t fraction) {
  Register(kUartControl) = kUartClockEnable | kUartClock24MHz;
  Register(kUartDivisor) = integer;
  Register(kUartDivisorFraction) = fraction;
  Register(kUartLine) = kUart8Bits | kUartFifos;  // applies the divisor, so it comes last
  Register(kUartControl) =
      kUartClockEnable | kUartClock24MHz | kUartSendEnable | kUartReceiveEnable | kUartEnable;
}

}  // namespace

void UartInit() {
  Register(kPowerEnable) |= kPowerUart0;
  while ((Register(kPowerStatus) & kPowerUartIsOn) == 0) {
  }
  Register(kUartLevels) = 0;
  SetDivisor(kDivisor, kDivisorFraction);
  Register(kUartClearInterrupts) = ~0u;
  Register(kUartEnableInterrupts) = kUartWhenReceived | kUartWhenReceivedEnds | kUartWhenSent;
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
  while ((Register(kUartFlags) & kUartBusy) != 0) {
  }
  const InterruptsOff off;
  if (fast) {
    SetDivisor(kFastDivisor, kFastDivisorFraction);
  } else {
    SetDivisor(kDivisor, kDivisorFraction);
  }
}

// Polls the port too: the interrupt for a line's last bytes, fewer than the FIFO's level, comes 32
// bit times after them, and not at all in an emulator that does not model it.
size_t UartRead(char* text, size_t size) {
  UartService();
  size_t count = 0;
  while (count < size && taken_count != received_count) {
    text[count++] = received[taken_count % kReceivedBytes];
    ++taken_count;
  }
  return count;
}

// The transmit interrupt is raised when the FIFO drains past its level, so it is cleared before the
// FIFO is filled (ARM DDI 0183G, 2.8.2).
void UartService() {
  const InterruptsOff off;
  Register(kUartClearInterrupts) = kUartWhenReceived | kUartWhenReceivedEnds | kUartWhenSent;
  while ((Register(kUartFlags) & kUartNothingReceived) == 0) {
    const char byte = static_cast<char>(Register(kUartData));
    if (received_count - taken_count < kReceivedBytes) {
      received[received_count % kReceivedBytes] = byte;
      received_count = received_count + 1;
    }
  }
  while (sent != queued && (Register(kUartFlags) & kUartSendFull) == 0) {
    Register(kUartData) = static_cast<uint8_t>(queue[sent % kQueueBytes]);
    sent = sent + 1;
  }
}

}  // namespace board
}  // namespace kws

extern "C" void KwsUartInterrupt() { kws::board::UartService(); }
