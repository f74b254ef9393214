// SPDX-License-Identifier: Apache-2.0
// The state and internal functions of the USB port, for this folder only. They run in USBD's
// interrupt unless noted.
#ifndef KWS_BOARDS_NRF52840_USB_USB_STATE_H_
#define KWS_BOARDS_NRF52840_USB_USB_STATE_H_

#include <atomic>
#include <cstdint>

#include "boards/cortex_m.h"
#include "boards/nrf52840/usb/nrf52840_usbd.h"
#include "boards/nrf52840/usb/usb_descriptors.h"

namespace kws {
namespace board {

// The text queue's size, a power of two; a hop's samples fit. Longer lines are dropped.
constexpr uint32_t kQueueBytes = 1024;

constexpr uint32_t kLineCodingBytes = 7;  // bits a second (4), stop bits, parity, data bits

enum class Link : uint8_t { kOff, kStarting, kReady };
enum class Control : uint8_t { kIdle, kReply, kReceive };  // state of endpoint 0

struct Usb {
  // Used only by the interrupt.
  Link link = Link::kOff;
  Control control = Control::kIdle;
  uint8_t configuration = 0;
  bool suspended = false;
  bool dtr = false;
  bool odd = false;          // the DMA has moved an odd number of bytes
  bool sending = false;      // a packet waits in the data endpoint for the host
  bool arrived = false;      // a packet of the host waits in the data endpoint
  bool full_packet = false;  // the last packet was full; an empty packet must end the transfer
  bool middle = false;       // the last byte sent was not a line's end
  bool end_line = false;     // send a line's end first, after text was dropped
  uint8_t halted = 0;        // bit n: IN endpoint n; bit 4 + n: OUT
  uint8_t quiet_frames = 0;  // until sending may start
  uint8_t touch_frames = 0;  // until the reset into the bootloader
  uint8_t reply_at = 0;      // in reply
  uint8_t reply_left = 0;
  uint8_t line_coding[kLineCodingBytes] = {};

  // For DMA, which accesses only RAM.
  uint8_t reply[kUsbConfigurationBytes] = {};
  uint8_t received[kUsbPacketBytes] = {};
  uint8_t queue[kQueueBytes] = {};
  uint8_t line_end = 0;  // '\n', set by UsbInit, so that the state is in .bss

  // Counters of bytes; they wrap. [read, complete): lines to send; [complete, written): an
  // incomplete line. The interrupt writes `read`, the writer the others.
  std::atomic<uint32_t> read{0};
  std::atomic<uint32_t> complete{0};
  uint32_t written = 0;
  uint32_t lost_lines = 0;
  bool dropping = false;  // until the end of the line

  // The interrupt sets both when the first is 0; the reader counts.
  std::atomic<uint8_t> received_left{0};
  uint8_t received_at = 0;

  std::atomic<bool> listening{false};
  std::atomic<bool> listened{false};  // a reader has received text
  std::atomic<bool> removed{false};   // the cable was pulled and may be back
};

extern Usb usb;

// Runs UsbService in USBD's interrupt, soon.
inline void Pend() { Register(kNvicPending + kUsbdInterrupt / 32 * 4) = 1u << kUsbdInterrupt % 32; }

inline bool Take(uint32_t event) {
  if (Register(event) == 0) return false;
  Register(event) = 0;
  return true;
}

// Moves a packet of `size` bytes between RAM and an endpoint. False if the DMA did not end: the
// port is restarted.
bool Dma(uint32_t endpoint, bool in, const uint8_t* data, uint32_t size);

// Drops a packet that waits in an IN endpoint for the host. Neither a SETUP nor disabling the
// endpoint is known to do it.
void Disarm(uint32_t endpoint);

// Checks whether a reader is connected. If it disconnected, queued text is dropped.
void UpdateListening();

// Cable and bus events: power on and off, reset, suspend, resume.
void FollowPower();
void OnBusReset();
void OnCause();

// Endpoint 0: a request arrived; the host took a packet of the reply, or sent data.
void OnSetup();
void OnDataDone0();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_USB_USB_STATE_H_
