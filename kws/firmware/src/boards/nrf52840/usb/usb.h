// SPDX-License-Identifier: Apache-2.0
// A serial port over the board's USB connector: CDC-ACM on the nRF52840's USBD, without a USB
// library.
//
// Only USBD's interrupt accesses the peripheral. The rest of the firmware uses queues and sets that
// interrupt pending, so it never waits for a host.
#ifndef KWS_BOARDS_NRF52840_USB_USB_H_
#define KWS_BOARDS_NRF52840_USB_USB_H_

#include <cstddef>
#include <cstdint>

namespace kws {
namespace board {

// Starts the port, which is active whenever the cable supplies 5 V. Call it once, with the crystal
// oscillator (HFXO) on; it must stay on. Enables the interrupts of USBD and POWER_CLOCK at the
// lowest priority, below the microphone's.
void UsbInit();

// Queues text; a line is sent whole, after its '\n', or not at all. Lines are dropped if no reader
// is connected (not configured, suspended, no DTR) or the queue is full. Before the first reader
// connects, lines stay queued, so that it reads the boot line. Never waits. From the main loop or a
// fault handler.
void UsbWrite(const char* text, size_t size);

// Whether the host has the port open.
bool UsbIsListening();

// Takes at most `size` received bytes; returns their number. Never waits. The host has to wait
// until received bytes are taken; nothing is lost.
size_t UsbRead(char* text, size_t size);

// Lines dropped since UsbInit because the queue was full.
uint32_t UsbLostLines();

// The work of USBD's interrupt. With interrupts disabled, as in a fault handler, call it repeatedly
// to send text.
void UsbService();

// Call it in the POWER_CLOCK interrupt. Clears the USBDETECTED, USBPWRRDY and USBREMOVED events;
// the work is done in USBD's interrupt.
void UsbPowerEvents();

}  // namespace board
}  // namespace kws

// USBD's vector, number 39.
extern "C" void KwsUsbdInterrupt();

#endif  // KWS_BOARDS_NRF52840_USB_USB_H_
