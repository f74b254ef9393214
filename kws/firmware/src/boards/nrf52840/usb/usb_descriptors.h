// SPDX-License-Identifier: Apache-2.0
// The port's descriptors: USB 2.0 section 9.6, CDC 1.2 section 5, PSTN 1.2 section 5.3.
#ifndef KWS_BOARDS_NRF52840_USB_USB_DESCRIPTORS_H_
#define KWS_BOARDS_NRF52840_USB_USB_DESCRIPTORS_H_

#include <cstddef>
#include <cstdint>

namespace kws {
namespace board {

// Endpoint numbers. The class requires the notification endpoint; no notification is sent.
constexpr uint32_t kUsbNotifyEndpoint = 1;  // IN, interrupt
constexpr uint32_t kUsbDataEndpoint = 2;    // IN and OUT, bulk
constexpr uint32_t kUsbPacketBytes = 64;    // of the data and the control endpoint

constexpr uint8_t kUsbControlInterface = 0;
constexpr uint8_t kUsbDataInterface = 1;

constexpr size_t kUsbDeviceBytes = 18;
constexpr size_t kUsbConfigurationBytes = 75;
extern const uint8_t kUsbDeviceDescriptor[kUsbDeviceBytes];
extern const uint8_t kUsbConfigurationDescriptor[kUsbConfigurationBytes];

// Writes string descriptor `index` and returns its size; 0 if it does not exist. `serial`: the
// chip's 64-bit number. `out` has room for kUsbMaxStringBytes.
constexpr size_t kUsbMaxStringBytes = 2 + 2 * 31;
size_t UsbStringDescriptor(uint8_t index, uint64_t serial, uint8_t* out);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_USB_USB_DESCRIPTORS_H_
