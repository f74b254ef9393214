// SPDX-License-Identifier: Apache-2.0
// The model's registers, as the driver accesses them, and DMA.
#include "boards/nrf52840/usb/usbd_model.h"

namespace kws {

void UsbdModel::StartDma(int number, bool in) {
  ASSERT_FALSE(dma_.has_value()) << "a second DMA was started";
  Rule(ready_, "DMA before USBD is ready");
  EXPECT_EQ(errata199_, 0x82u) << "DMA without the workaround of anomaly 199";
  const uint32_t size = counts_[in][number];
  EXPECT_LE(size, 64u);
  ASSERT_NE(Memory(pointers_[in][number], size), nullptr) << "DMA outside of the driver's RAM";
  Endpoint& endpoint = endpoints_[number];
  if (number == 0 && in) {
    const bool even_out = !pullup_;  // the single byte before USBD is switched off
    const bool wanted = asks0() && (control_ == Control::kDecide || control_ == Control::kInTaken);
    Rule(even_out || wanted, "data for the host that it did not ask for");
    Rule(even_out || taken0_ + size <= length0(), "more data than the host asked for");
  } else if (number == 0) {
    Rule(control_ == Control::kOutFull, "no data has come on endpoint 0");
  } else if (in) {
    Rule((in_enable_ & 1u << number) != 0, "DMA for a disabled endpoint");
    Rule(!endpoint.in_stalled, "DMA for a halted endpoint");
    Rule(!endpoint.in.has_value(), "a packet that waits for the host was overwritten");
  } else {
    Rule((out_enable_ & 1u << number) != 0, "DMA for a disabled endpoint");
    Rule(endpoint.out.has_value(), "no packet has come");
    Rule(!endpoint.out.has_value() || size == endpoint.out->size(), "a packet was cut");
  }
  dma_ = Dma{number, in, dma_accesses};
  if (dma_accesses == 0) EndDma();
}

void UsbdModel::EndDma() {
  const Dma dma = *dma_;
  dma_.reset();
  Endpoint& endpoint = endpoints_[dma.number];
  const uint32_t size = counts_[dma.in][dma.number];
  uint8_t* memory = Memory(pointers_[dma.in][dma.number], size);
  events_[(dma.in ? kEndIn0 : kEndOut0) + dma.number] = true;
  odd_ = odd_ != (size % 2 != 0);
  if (dma.in) {
    const Bytes data(memory, memory + size);
    if (dma.number == 0) {
      if (!pullup_ || (control_ != Control::kDecide && control_ != Control::kInTaken)) return;
      endpoint.in = data;
      control_ = Control::kIn;
    } else if ((in_enable_ & 1u << dma.number) != 0) {
      endpoint.in = data;
    }
    return;
  }
  if (!endpoint.out.has_value()) return;
  for (uint32_t i = 0; i < size && i < endpoint.out->size(); ++i) memory[i] = (*endpoint.out)[i];
  if (dma.number != 0) {
    endpoint.out.reset();
    endpoint.accepting = true;
  }
}

uint32_t UsbdModel::ReadNow(uint32_t address) {
  const uint32_t offset = address - kBase;
  if (Within(offset, 0x100, kEventCount)) return events_[(offset - 0x100) / 4];
  if (Within(offset, 0x480, 8)) {
    Rule(ready_, "SETUP registers before USBD is ready");
    return setup_[(offset - 0x480) / 4];
  }
  if (Within(offset, 0x4a0, kEndpoints)) return Size(static_cast<int>(offset - 0x4a0) / 4);
  switch (address) {
    case kBase + 0x300:
      return inten_;
    case kBase + 0x400:
      return cause_;
    case kBase + 0x46c:
      return data_status_;
    case kBase + 0x500:
      return enable_;
    case kBase + 0x504:
      return pullup_;
    case kBase + 0x510:
      return in_enable_;
    case kBase + 0x514:
      return out_enable_;
    case kBase + 0x804:
      return 0;
    case 0x4006ec00:
      return unlocked_;
    case 0x4000011c:
      return (power_events_ & kDetected) != 0;
    case 0x40000120:
      return (power_events_ & kRemoved) != 0;
    case 0x40000124:
      return (power_events_ & kPowerReady) != 0;
    case 0x40000438:
      return static_cast<uint32_t>(vbus_) | static_cast<uint32_t>(output_) << 1;
    case 0x10000060:
      return 0x89abcdef;
    case 0x10000064:
      return 0x01234567;
    default:
      break;
  }
  if (Within(address, 0xe000e400, 16)) return NvicPriority(address - 0xe000e400);
  ADD_FAILURE() << "read of register 0x" << std::hex << address;
  return 0;
}

uint32_t UsbdModel::NvicPriority(uint32_t first) {
  uint32_t word = 0;
  for (uint32_t i = 0; i < 4; ++i) word |= uint32_t{priorities_[first + i]} << 8 * i;
  return word;
}

void UsbdModel::WriteNow(uint32_t address, uint32_t value) {
  const uint32_t offset = address - kBase;
  if (offset < 0x100) return WriteTask(offset, value);
  if (Within(offset, 0x100, kEventCount)) {
    EXPECT_EQ(value, 0u) << "an event was set by software";
    events_[(offset - 0x100) / 4] = false;
    if (offset == 0x100) {
      bus_reset_pending_ = false;
      stale_ = !ready_;
    }
    return;
  }
  if (Within(offset, 0x4a0, kEndpoints)) {
    Endpoint& endpoint = endpoints_[(offset - 0x4a0) / 4];
    Rule(!endpoint.out.has_value() || endpoint.out->empty(), "a packet that came was thrown away");
    endpoint.out.reset();
    endpoint.accepting = true;
    return;
  }
  if (offset >= 0x600 && offset < 0x800) return WriteDma(offset, value);
  if (Within(address, 0xe000e400, 16)) {
    for (int i = 0; i < 4; ++i) {
      priorities_[address - 0xe000e400 + i] = static_cast<uint8_t>(value >> 8 * i) & 0xe0;
    }
    return;
  }
  switch (address) {
    case kBase + 0x300:
      EXPECT_EQ(value >> kEventCount, 0u) << "reserved bits of INTEN";
      inten_ = value;
      return;
    case kBase + 0x400:
      cause_ &= ~value;
      return;
    case kBase + 0x46c:
      data_status_ &= ~value;
      return;
    case kBase + 0x500:
      return WriteEnable(value);
    case kBase + 0x504:
      EXPECT_LE(value, 1u);
      if (value == 1) {
        Rule(ready_ && (cause_ & 1u << 11) == 0, "pull-up before USBD is ready");
        Rule(output_, "pull-up before its supply is there");
        Rule(errata171_ == 0, "anomaly 171's switch left on");
      }
      pullup_ = value == 1;
      if (!pullup_) ResetEndpoints();
      return;
    case kBase + 0x50c:
      return WriteToggle(value);
    case kBase + 0x510:
      Rule(ready_, "EPINEN before USBD is ready");
      EXPECT_EQ(value & ~0x1ffu, 0u);
      in_enable_ = value;
      return;
    case kBase + 0x514:
      Rule(ready_, "EPOUTEN before USBD is ready");
      EXPECT_EQ(value & ~0x1ffu, 0u);
      for (int i = 1; i < kEndpoints; ++i) {
        if ((value & 1u << i) != 0) continue;
        endpoints_[i].out.reset();
        endpoints_[i].accepting = false;
      }
      out_enable_ = value;
      return;
    case kBase + 0x518: {
      Rule(ready_, "EPSTALL before USBD is ready");
      EXPECT_EQ(value & ~0x187u, 0u);
      EXPECT_NE(value & 7, 0u) << "endpoint 0 is stalled by its task";
      Endpoint& endpoint = endpoints_[value & 7];
      ((value & 0x80) != 0 ? endpoint.in_stalled : endpoint.out_stalled) = (value & 0x100) != 0;
      return;
    }
    case kBase + 0x800:
      core_address_ = value;
      return;
    case kBase + 0x804:
      if (core_address_ == 0x7b4 && (value & 4) != 0) endpoints_[0].in.reset();
      for (uint32_t i = 1; i < kEndpoints; ++i) {
        if (core_address_ == 0x7b4 + 2 * i && (value & 2) != 0) endpoints_[i].in.reset();
      }
      return;
    case kBase + 0xc1c:
      EXPECT_TRUE(value == 0 || value == 0x82);
      errata199_ = value;
      return;
    case 0x4006ec00:
      EXPECT_EQ(value, 0x9375u);
      unlocked_ = !unlocked_;
      return;
    case 0x4006ec14:
      EXPECT_TRUE(unlocked_);
      errata171_ = value;
      return;
    case 0x4006ed14:
      EXPECT_TRUE(unlocked_);
      errata187_ = value;
      return;
    case 0x4000011c:
    case 0x40000120:
    case 0x40000124:
      EXPECT_EQ(value, 0u);
      power_events_ &= ~(kDetected << (address - 0x4000011c) / 4);
      return;
    case 0x40000304:
      power_inten_ |= value;
      return;
    case 0x4000051c:
      retained = value;
      return;
    case 0xe000e100:
    case 0xe000e104:
      nvic_enable_[(address - 0xe000e100) / 4] |= value;
      return;
    case 0xe000e204:
      EXPECT_EQ(value, 1u << 7);
      pending_ = true;
      return;
    case 0xe000ed0c:
      EXPECT_EQ(value, 0x05fa0004u);
      chip_reset = true;
      return;
    default:
      ADD_FAILURE() << "write of register 0x" << std::hex << address;
  }
}

void UsbdModel::WriteEnable(uint32_t value) {
  EXPECT_LE(value, 1u);
  if (value == 1 && !enable_) {
    EXPECT_EQ(errata187_, 3u) << "anomaly 187";
    EXPECT_EQ(errata171_, 0xc0u) << "anomaly 171";
    EXPECT_EQ(cause_ & 1u << 11, 0u) << "READY of the last time not cleared";
    ready_in_ = start_accesses;
    stale_ = false;
  }
  if (value == 0) {
    // Known only from Nordic's driver (nrfx_usbd.c): otherwise the next start can fail.
    EXPECT_FALSE(odd_ && !dma_.has_value() && DmaRuns()) << "DMA moved an odd number of bytes";
    odd_ = false;
    ready_ = false;
    ready_in_ = 0;
    dma_.reset();
    bus_reset_pending_ = false;
    ResetEndpoints();
    for (Endpoint& endpoint : endpoints_) endpoint = Endpoint();
  }
  enable_ = value == 1;
}

void UsbdModel::WriteTask(uint32_t offset, uint32_t value) {
  EXPECT_EQ(value, 1u);
  Rule(ready_, "a task before USBD is ready");
  if (Within(offset, 0x004, kEndpoints)) return StartDma((offset - 0x004) / 4, true);
  if (Within(offset, 0x028, kEndpoints)) return StartDma((offset - 0x028) / 4, false);
  EXPECT_FALSE(dma_.has_value()) << "a task while DMA runs is lost";
  Rule(!IsSetAddress(), "USBD answers SET_ADDRESS by itself");
  switch (offset) {
    case 0x04c:
      Rule(control_ == Control::kDecide && !asks0() && length0() > 0, "EP0RCVOUT out of turn");
      control_ = Control::kOutOpen;
      return;
    case 0x050:
      Rule(asks0() ? control_ == Control::kInTaken
                   : control_ == (length0() > 0 ? Control::kOutFull : Control::kDecide),
           "EP0STATUS out of turn");
      control_ = Control::kStatus;
      return;
    case 0x054:
      Rule(control_ == Control::kDecide || control_ == Control::kOutFull, "EP0STALL out of turn");
      control_ = Control::kStall;
      return;
    default:
      ADD_FAILURE() << "task 0x" << std::hex << offset;
  }
}

// EPIN[n] at 0x600, EPOUT[n] at 0x700: PTR, MAXCNT, each 0x14.
void UsbdModel::WriteDma(uint32_t offset, uint32_t value) {
  const bool in = offset < 0x700;
  const uint32_t inside = offset & 0xff;
  const uint32_t number = inside / 0x14;
  EXPECT_FALSE(dma_.has_value()) << "DMA's registers changed while it runs";
  ASSERT_LT(number, 8u);
  if (inside % 0x14 == 0) {
    pointers_[in][number] = value;
  } else if (inside % 0x14 == 4) {
    counts_[in][number] = value;
  } else {
    ADD_FAILURE() << "write of register 0x" << std::hex << kBase + offset;
  }
}

void UsbdModel::WriteToggle(uint32_t value) {
  Rule(ready_, "DTOGGLE before USBD is ready");
  EXPECT_EQ(value & ~0x387u, 0u);
  Endpoint& endpoint = endpoints_[value & 7];
  const uint32_t wanted = value >> 8;
  if (wanted != 0) {
    Rule(toggle_selected_ == (value & 0x87), "DTOGGLE of an endpoint that was not selected");
    ((value & 0x80) != 0 ? endpoint.in_toggle : endpoint.out_toggle) = wanted == 2;
  }
  toggle_selected_ = value & 0x87;
}

}  // namespace kws
