// SPDX-License-Identifier: Apache-2.0
// A port's serial port, 115200 bit/s, 8N1, which sends from a queue. Each port has its own uart.cc;
// only its board.cc calls this.
#ifndef KWS_BOARDS_UART_H_
#define KWS_BOARDS_UART_H_

#include <cstddef>
#include <cstdint>

namespace kws {
namespace board {

constexpr uint32_t kUartFastRate = 1000000;  // bit/s, for samples

void UartInit();

// Queues `size` bytes; waits while the queue is full, 87 us a byte at most. Works where no
// interrupt comes too. Not from interrupts.
void UartWrite(const char* text, size_t size);

// Sets the port to kUartFastRate or back to its usual rate, once all that is queued was sent.
void UartSetFast(bool fast);

// Takes at most `size` received bytes; returns how many. There is room for 64: where more came
// since the last call, some are lost.
size_t UartRead(char* text, size_t size);

// The interrupt's work: sends on, and takes what was received where no DMA does. For where no
// interrupt comes.
void UartService();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_UART_H_
