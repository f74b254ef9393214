// SPDX-License-Identifier: Apache-2.0
// The state of the USB port, and what the port's files share. No one outside this folder includes
// it. All of it runs in USBD's interrupt, unless it says otherwise.
#ifndef KWS_BOARDS_NRF52840_USB_USB_STATE_H_
#define KWS_BOARDS_NRF52840_USB_USB_STATE_H_

#include <atomic>
#include <cstdint>

#include "boards/cortex_m.h"
#include "boards/nrf52840/usb/nrf52840_usbd.h"
#include "boards/nrf52840/usb/usb_descriptors.h"

namespace kws {
namespace board {

// Text that waits for the host; a hop's samples fit. A power of two; longer lines are dropped.
constexpr uint32_t kQueueBytes = 1024;

constexpr uint32_t kLineCodingBytes = 7;  // bits a second (4), stop bits, parity, data bits

enum class Link : uint8_t { kOff, kStarting, kReady };
enum class Control : uint8_t { kIdle, kReply, kReceive };  // what endpoint 0 is in the middle of

struct Usb {
  // Of the interrupt alone.
  Link link = Link::kOff;
  Control control = Control::kIdle;
  uint8_t configuration = 0;
  bool suspended = false;
  bool dtr = false;
  bool odd = false;          // the DMA has moved an odd number of bytes
  bool sending = false;      // a packet waits in the data endpoint for the host
  bool arrived = false;      // a packet of the host waits in the data endpoint
  bool full_packet = false;  // the last packet was full; an empty one has to end the transfer
  bool middle = false;       // the last byte sent was not a line's end
  bool end_line = false;     // it has to come first, after text was dropped
  uint8_t halted = 0;        // bit n: IN endpoint n; bit 4 + n: OUT
  uint8_t quiet_frames = 0;  // until sending may start
  uint8_t touch_frames = 0;  // until the reset into the bootloader
  uint8_t reply_at = 0;      // in reply
  uint8_t reply_left = 0;
  uint8_t line_coding[kLineCodingBytes] = {};

  // DMA reads and writes RAM only. Any address will do.
  uint8_t reply[kUsbConfigurationBytes] = {};
  uint8_t received[kUsbPacketBytes] = {};
  uint8_t queue[kQueueBytes] = {};
  uint8_t line_end = 0;  // '\n' from UsbInit on; a value here would put all of this into .data

  // Counters of bytes; they wrap. [read, complete) are lines to send, [complete, written) is one
  // that is not complete yet. `read` is the interrupt's, the others are the writer's.
  std::atomic<uint32_t> read{0};
  std::atomic<uint32_t> complete{0};
  uint32_t written = 0;
  uint32_t lost_lines = 0;
  bool dropping = false;  // to the end of this line

  // The interrupt sets both when the first is 0; the reader counts.
  std::atomic<uint8_t> received_left{0};
  uint8_t received_at = 0;

  std::atomic<bool> listening{false};
  std::atomic<bool> listened{false};  // somebody got text, once
  std::atomic<bool> removed{false};   // the cable was pulled; it may be back by now
};

extern Usb usb;

// Runs UsbService in USBD's interrupt, soon.
inline void Pend() { Register(kNvicPending + kUsbdInterrupt / 32 * 4) = 1u << kUsbdInterrupt % 32; }

inline bool Take(uint32_t event) {
  if (Register(event) == 0) return false;
  Register(event) = 0;
  return true;
}

// Moves a packet of `size` bytes between RAM and an endpoint. False where the DMA never ended: the
// port starts over.
bool Dma(uint32_t endpoint, bool in, const uint8_t* data, uint32_t size);

// Forgets a packet that waits in an IN endpoint for the host. Neither a SETUP nor a disabled
// endpoint is known to do that.
void Disarm(uint32_t endpoint);

// Notes whether a host listens. If the listener is gone, its text is dropped.
void UpdateListening();

// What happens on the cable: power comes and goes, the bus is reset, suspended and resumed.
void FollowPower();
void OnBusReset();
void OnCause();

// What happens on endpoint 0: a request came; the host took a packet of the reply, or sent data.
void OnSetup();
void OnDataDone0();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_USB_USB_STATE_H_
