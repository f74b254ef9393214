// SPDX-License-Identifier: Apache-2.0
#include "boards/nrf52840/usb/usb_descriptors.h"

#include "boards/nrf52840/tables/board_table.h"

namespace kws {
namespace board {
namespace {

// Descriptor types: USB 2.0 table 9-5, the ECN "Interface Association Descriptor", CDC 1.2
// table 12.
constexpr uint8_t kDevice = 1;
constexpr uint8_t kConfiguration = 2;
constexpr uint8_t kString = 3;
constexpr uint8_t kInterface = 4;
constexpr uint8_t kEndpoint = 5;
constexpr uint8_t kAssociation = 11;
constexpr uint8_t kClassInterface = 0x24;

constexpr uint8_t kCommunications = 2;  // CDC 1.2 tables 2, 4: class, subclass ACM
constexpr uint8_t kAbstractControl = 2;
constexpr uint8_t kCdcData = 10;
constexpr uint8_t kBulk = 2;
constexpr uint8_t kInterrupt = 3;
constexpr uint8_t kIn = 0x80;

constexpr uint8_t kManufacturer = 1;  // indices of strings
constexpr uint8_t kProduct = 2;
constexpr uint8_t kSerial = 3;

static_assert(sizeof(table::kUsbVendorName) <= 32 && sizeof(table::kUsbProductName) <= 32,
              "a string descriptor has room for 31 characters");

constexpr uint8_t Low(uint32_t value) { return static_cast<uint8_t>(value); }
constexpr uint8_t High(uint32_t value) { return static_cast<uint8_t>(value >> 8); }

}  // namespace

// Class 0xef with an association: the only form that Windows 10 and later, macOS and Linux all
// accept with their built-in drivers.
const uint8_t kUsbDeviceDescriptor[kUsbDeviceBytes] = {
    kUsbDeviceBytes,
    kDevice,
    Low(0x200),
    High(0x200),  //
    0xef,
    2,
    1,                // miscellaneous, common, interface association
    kUsbPacketBytes,  // of endpoint 0
    Low(table::kUsbVendor),
    High(table::kUsbVendor),
    Low(table::kUsbProduct),
    High(table::kUsbProduct),
    Low(0x100),
    High(0x100),
    kManufacturer,
    kProduct,
    kSerial,
    1  // one configuration
};

const uint8_t kUsbConfigurationDescriptor[kUsbConfigurationBytes] = {
    9,
    kConfiguration,
    kUsbConfigurationBytes,
    0,
    2,
    1,
    0,
    0x80,
    50,  // by the bus, 100 mA
    8,
    kAssociation,
    kUsbControlInterface,
    2,
    kCommunications,
    kAbstractControl,
    0,
    0,
    9,
    kInterface,
    kUsbControlInterface,
    0,
    1,
    kCommunications,
    kAbstractControl,
    0,
    0,
    5,
    kClassInterface,
    0,
    Low(0x110),
    High(0x110),  // header: CDC 1.10
    5,
    kClassInterface,
    1,
    0,
    kUsbDataInterface,  // call management: none
    4,
    kClassInterface,
    2,
    6,  // line coding, line state, break
    5,
    kClassInterface,
    6,
    kUsbControlInterface,
    kUsbDataInterface,  // union
    7,
    kEndpoint,
    kIn | kUsbNotifyEndpoint,
    kInterrupt,
    16,
    0,
    16,  // each 16 ms
    9,
    kInterface,
    kUsbDataInterface,
    0,
    2,
    kCdcData,
    0,
    0,
    0,
    7,
    kEndpoint,
    kUsbDataEndpoint,
    kBulk,
    kUsbPacketBytes,
    0,
    0,
    7,
    kEndpoint,
    kIn | kUsbDataEndpoint,
    kBulk,
    kUsbPacketBytes,
    0,
    0};

size_t UsbStringDescriptor(uint8_t index, uint64_t serial, uint8_t* out) {
  size_t size = 2;
  if (index == 0) {
    out[size++] = Low(0x409);  // language of the other strings: English (United States)
    out[size++] = High(0x409);
  } else if (index == kManufacturer || index == kProduct) {
    const char* text = index == kProduct ? table::kUsbProductName : table::kUsbVendorName;
    for (; *text != '\0'; ++text) {
      out[size++] = static_cast<uint8_t>(*text);
      out[size++] = 0;
    }
  } else if (index == kSerial) {
    for (; size < 2 + 2 * 16; serial <<= 4) {
      out[size++] = static_cast<uint8_t>("0123456789ABCDEF"[serial >> 60]);
      out[size++] = 0;
    }
  } else {
    return 0;
  }
  out[0] = static_cast<uint8_t>(size);
  out[1] = kString;
  return size;
}

}  // namespace board
}  // namespace kws
