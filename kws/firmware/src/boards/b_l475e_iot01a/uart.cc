// SPDX-License-Identifier: Apache-2.0
// USART1, the serial port of the board's ST-LINK. DMA sends from the queue and receives into a
// ring.
#include "boards/uart.h"

#include "boards/b_l475e_iot01a/pins.h"
#include "boards/b_l475e_iot01a/stm32l475.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 6;  // far below the microphone

// UM2153, ST-LINK's virtual COM port. DS, table 17: function 7 is USART1.
constexpr Pin kSendPin = {kPortB, 6};
constexpr Pin kReceivePin = {kPortB, 7};
constexpr uint32_t kFunction = 7;

// Of 80 MHz: 115274 bit/s, 0.06 % too fast, and exactly 1 Mbit/s.
constexpr uint32_t kDivisor = 694;
constexpr uint32_t kFastDivisor = 80;

constexpr uint32_t kQueueBytes = 1024;  // powers of two; a hop's samples fit
constexpr uint32_t kReceivedBytes = 64;

// Counters of bytes since the start; they wrap.
char queue[kQueueBytes];
uint32_t queued = 0;            // by UartWrite
volatile uint32_t sent = 0;     // by UartService
volatile uint32_t sending = 0;  // bytes of the current DMA transfer; 0: idle

volatile char received[kReceivedBytes];
uint32_t taken = 0;  // index in the ring

void SetDivisor(uint32_t divisor) {
  Register(kUartControl) = 0;
  Register(kUartDivisor) = divisor;
  Register(kUartControl3) = kUartReceiveByDma | kUartSendByDma | kUartNoOverrun;
  Register(kUartControl) = kUartSend | kUartReceive | kUartEnable;
}

void StartReceive() {
  Register(kReceiveDmaConfig) = 0;
  Register(kReceiveDmaFrom) = kUartReceived;
  Register(kReceiveDmaTo) = reinterpret_cast<uintptr_t>(received);
  Register(kReceiveDmaCount) = kReceivedBytes;
  taken = 0;
  Register(kReceiveDmaConfig) = kDmaNextInMemory | kDmaCircular | kDmaEnable;
}

void Send() {
  const uint32_t begin = sent % kQueueBytes;
  const uint32_t left = queued - sent;
  const uint32_t to_wrap = kQueueBytes - begin;
  sending = left < to_wrap ? left : to_wrap;
  if (sending == 0) return;
  Register(kSendDmaConfig) = 0;
  Register(kSendDmaFrom) = reinterpret_cast<uintptr_t>(queue + begin);
  Register(kSendDmaTo) = kUartToSend;
  Register(kSendDmaCount) = sending;
  asm volatile("dsb" ::: "memory");  // the bytes are in memory
  Register(kSendDmaConfig) =
      kDmaNextInMemory | kDmaToPeripheral | kDmaTellWhole | kDmaTellFailed | kDmaEnable;
}

}  // namespace

void UartInit() {
  Register(kClockApb2) |= kClockUart;
  Register(kClockAhb1) |= kClockDma2;
  [[maybe_unused]] const uint32_t enabled = Register(kClockAhb1);  // waits as PinsInit
  Connect(kSendPin, kFunction);
  Connect(kReceivePin, kFunction, PinPull::kUp);  // idle if nothing is connected
  Register(kUartDmaSelect) = kSendDmaIsUart1 | kReceiveDmaIsUart1;
  SetDivisor(kDivisor);
  StartReceive();
  EnableInterrupt(kSendDmaInterrupt, kPriority);
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
  while ((Register(kUartStatus) & kUartAllSent) == 0) {
  }
  SetDivisor(fast ? kFastDivisor : kDivisor);
}

size_t UartRead(char* text, size_t size) {
  if ((Register(kUartDmaStatus) & kReceiveDmaFailed) != 0) {
    Register(kUartDmaClear) = kReceiveDmaFailed;
    StartReceive();
  }
  const uint32_t end = (kReceivedBytes - Register(kReceiveDmaCount)) % kReceivedBytes;
  size_t count = 0;
  while (count < size && taken != end) {
    text[count++] = received[taken];
    taken = (taken + 1) % kReceivedBytes;
  }
  return count;
}

// After a DMA error the transfer is repeated.
void UartService() {
  const InterruptsOff off;
  const uint32_t flags = Register(kUartDmaStatus) & (kSendDmaWhole | kSendDmaFailed);
  Register(kUartDmaClear) = flags;
  if (sending > 0 && (flags & kSendDmaFailed) != 0) {
    sending = 0;
  } else if (sending > 0 && (flags & kSendDmaWhole) != 0) {
    sent = sent + sending;
    sending = 0;
  }
  if (sending == 0) Send();
}

}  // namespace board
}  // namespace kws

extern "C" void KwsSendDmaInterrupt() { kws::board::UartService(); }
