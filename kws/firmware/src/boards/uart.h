// SPDX-License-Identifier: Apache-2.0
// A port's UART, 115200 bit/s, 8N1, with a queue. Each port has its own uart.cc, called by its
// board.cc.
#ifndef KWS_BOARDS_UART_H_
#define KWS_BOARDS_UART_H_

#include <cstddef>
#include <cstdint>

namespace kws {
namespace board {

constexpr uint32_t kUartFastRate = 1000000;  // bit/s, for samples

void UartInit();

// Queues `size` bytes; waits while the queue is full, at most 87 us per byte. Also works with
// interrupts disabled. Not from interrupts.
void UartWrite(const char* text, size_t size);

// Waits until the queue is sent, then sets the port to kUartFastRate or back to its normal rate.
void UartSetFast(bool fast);

// Takes at most `size` received bytes; returns their number. The buffer holds 64 bytes; more are
// lost.
size_t UartRead(char* text, size_t size);

// The interrupt's work: sends queued bytes and, without DMA, takes received bytes. Call it directly
// if interrupts are disabled.
void UartService();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_UART_H_
