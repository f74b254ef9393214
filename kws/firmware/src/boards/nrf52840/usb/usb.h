// SPDX-License-Identifier: Apache-2.0
// A serial port over the board's own USB plug: CDC-ACM on the nRF52840's USBD, next to the UART.
// Bare metal, no stack: this folder is all of it.
//
// Everything that touches the peripheral runs in one context, USBD's interrupt. The rest of the
// firmware fills and empties queues and sets that interrupt pending, so it never waits for a host.
#ifndef KWS_BOARDS_NRF52840_USB_USB_H_
#define KWS_BOARDS_NRF52840_USB_USB_H_

#include <cstddef>
#include <cstdint>

namespace kws {
namespace board {

// Starts the port: from here on it appears whenever a cable brings 5 V. Call it once, after the
// clocks, with the crystal oscillator (HFXO) on; it has to stay on. Unmasks the interrupts of USBD
// and POWER_CLOCK at the lowest priority, below the microphone's.
void UsbInit();

// Queues text, a line as a whole or not at all: it is sent when its '\n' has come. Lines are
// dropped while nobody listens (not configured, suspended, no DTR) and where the queue has no room.
// Until the first text since UsbInit is sent, lines wait as far as the queue holds, so that the one
// who opens the port after a reset reads the boot line. Never waits. From the main loop or a
// fault's handler, not from interrupts.
void UsbWrite(const char* text, size_t size);

// Whether a program on the computer has the port open.
bool UsbIsListening();

// Takes at most `size` received bytes; returns how many, 0 where none wait. Never waits. While
// nobody reads, the host is held off; nothing is lost.
size_t UsbRead(char* text, size_t size);

// Lines dropped because the queue had no room, since UsbInit: a listener did not read.
uint32_t UsbLostLines();

// The work of USBD's interrupt. Where no interrupt comes, as in a fault's handler, call it again
// and again while text is to be sent.
void UsbService();

// Call it in the POWER_CLOCK interrupt. Clears the USBDETECTED, USBPWRRDY and USBREMOVED events;
// the work is done in USBD's interrupt.
void UsbPowerEvents();

}  // namespace board
}  // namespace kws

// USBD's vector, number 39.
extern "C" void KwsUsbdInterrupt();

#endif  // KWS_BOARDS_NRF52840_USB_USB_H_
