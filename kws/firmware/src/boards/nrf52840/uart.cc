// SPDX-License-Identifier: Apache-2.0
// UARTE0 on the pins in the board's table; sends by DMA.
#include "boards/uart.h"

#include <cstdint>

#include "boards/nrf52840/nrf52840.h"
#include "boards/nrf52840/tables/board_table.h"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPriority = 6;  // far below the microphone

constexpr uint32_t kQueueBytes = 1024;  // powers of two; a hop's samples fit
constexpr uint32_t kReceivedBytes = 64;

// Counters of bytes since the start; they wrap. DMA reads the queue and writes `incoming`.
uint8_t queue[kQueueBytes];
uint32_t queued = 0;            // by UartWrite
volatile uint32_t sent = 0;     // by UartService
volatile uint32_t sending = 0;  // bytes of the current DMA transfer; 0: idle

volatile uint8_t incoming;
char received[kReceivedBytes];
volatile uint32_t received_count = 0;  // by UartService
uint32_t taken_count = 0;              // by UartRead

void StartReceive() {
  Register(kUartReceivePointer) = reinterpret_cast<uintptr_t>(&incoming);
  Register(kUartReceiveCount) = 1;
  Register(kUartStartReceive) = 1;
}

// Stops a receiver that the bootloader left running.
void StopBootloadersReceive() {
  constexpr int kLooks = 100000;  // 20 ms: five bytes' time is enough [PS 6.34.2]
  if (Register(kUartEnable) != kUartEnabled) return;
  Register(kUartDisableInterrupt) = ~0u;
  Register(kUartReceiveStopped) = 0;
  Register(kUartStopReceive) = 1;
  for (int i = 0; i < kLooks && Register(kUartReceiveStopped) == 0; ++i) {
  }
  Register(kUartEnable) = 0;
}

void Send() {
  const uint32_t begin = sent % kQueueBytes;
  const uint32_t left = queued - sent;
  const uint32_t to_wrap = kQueueBytes - begin;
  sending = left < to_wrap ? left : to_wrap;
  if (sending == 0) return;
  Register(kUartSendPointer) = reinterpret_cast<uintptr_t>(queue + begin);
  Register(kUartSendCount) = sending;
  Register(kUartStartSend) = 1;
}

}  // namespace

void UartInit() {
  StopBootloadersReceive();
  Drive(table::kUartSend, true);  // idle is high
  Configure(table::kUartSend, kPinOutput | kPinNoInput);
  Configure(table::kUartReceive, kPinPullUp);  // idle if nothing is connected
  Register(kUartPinSend) = table::kUartSend.Select();
  Register(kUartPinReceive) = table::kUartReceive.Select();
  Register(kUartConfig) = 0;
  Register(kUartBaud) = kUartBaud115200;
  Register(kUartEnable) = kUartEnabled;
  Register(kUartReceived) = 0;
  Register(kUartSent) = 0;
  Register(kUartEnableInterrupt) = kUartInterruptReceived | kUartInterruptSent;
  StartReceive();
  EnableInterrupt(kUartInterrupt, kPriority);
}

void UartWrite(const char* text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    while (queued - sent == kQueueBytes) UartService();
    queue[queued % kQueueBytes] = static_cast<uint8_t>(text[i]);
    ++queued;
  }
  UartService();
}

size_t UartRead(char* text, size_t size) {
  size_t count = 0;
  while (count < size && taken_count != received_count) {
    text[count++] = received[taken_count % kReceivedBytes];
    ++taken_count;
  }
  return count;
}

void UartSetFast(bool fast) {
  while (sent != queued) UartService();
  Register(kUartBaud) = fast ? kUartBaud1M : kUartBaud115200;
}

void UartService() {
  const InterruptsOff off;
  // One byte at a time: the receiver keeps four more until it is started again [PS 6.34.2].
  if (Register(kUartReceived) != 0) {
    const char byte = static_cast<char>(incoming);
    ClearEvent(kUartReceived);
    StartReceive();
    if (received_count - taken_count < kReceivedBytes) {
      received[received_count % kReceivedBytes] = byte;
      received_count = received_count + 1;
    }
  }
  if (sending > 0 && Register(kUartSent) != 0) {
    ClearEvent(kUartSent);
    sent = sent + sending;
    sending = 0;
  }
  if (sending == 0) Send();
}

}  // namespace board
}  // namespace kws

extern "C" void KwsUartInterrupt() { kws::board::UartService(); }
