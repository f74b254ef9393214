// SPDX-License-Identifier: Apache-2.0
// A USB host for tests: control transfers, a bulk stream in each direction, frames, on UsbdModel.
// It moves one token per Step(), so that a test can let the driver's accesses and the bus
// interleave.
#ifndef KWS_TEST_BOARDS_NRF52840_USB_USB_HOST_H_
#define KWS_TEST_BOARDS_NRF52840_USB_USB_HOST_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "boards/nrf52840/usb/usbd_model.h"

namespace kws {

class UsbHost {
 public:
  enum class Result { kBusy, kDone, kStalled, kGone };

  explicit UsbHost(UsbdModel* device, uint32_t seed = 1) : device_(device), random_(seed) {}

  // --- Control transfers ---

  void StartControl(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length,
                    const Bytes& data = {}) {
    const uint8_t setup[8] = {type,
                              request,
                              static_cast<uint8_t>(value),
                              static_cast<uint8_t>(value >> 8),
                              static_cast<uint8_t>(index),
                              static_cast<uint8_t>(index >> 8),
                              static_cast<uint8_t>(length),
                              static_cast<uint8_t>(length >> 8)};
    std::copy(setup, setup + 8, setup_);
    length_ = length;
    reply_.clear();
    out_ = data;
    stage_ = Stage::kSetup;
    result_ = Result::kBusy;
  }
  Result result() const { return result_; }
  const Bytes& reply() const { return reply_; }
  void Abort() { result_ = Result::kGone; }

  // --- Bulk ---

  bool reading = false;   // polls the data endpoint
  Bytes read;             // received bytes
  int short_packets = 0;  // packets of less than 64 bytes, and of these the empty ones
  int empty_packets = 0;
  Bytes to_write;  // bytes still to be sent
  bool bulk_stalled = false;
  std::string Text() const { return std::string(read.begin(), read.end()); }

  // The bus was reset or the endpoints were configured: both sides begin with DATA0.
  void ResetToggles() {
    in_toggle_ = out_toggle_ = false;
    bulk_stalled = false;
  }
  void ResetInToggle() { in_toggle_ = false; }
  void ResetOutToggle() { out_toggle_ = false; }
  void set_address(uint8_t address) { address_ = address; }

  // Sends one token, if there is something to do.
  void Step() {
    if (device_->recovering()) return;
    const bool control = result_ == Result::kBusy;
    switch (random_() % 4) {
      case 0:
        if (reading) return ReadBulk();
        break;
      case 1:
        if (!to_write.empty()) return WriteBulk();
        break;
      default:
        break;
    }
    if (control) StepControl();
  }

  uint32_t Random(uint32_t below) { return random_() % below; }

 private:
  enum class Stage { kSetup, kData, kStatus };

  void StepControl() {
    Handshake got = Handshake::kNothing;
    const bool in = (setup_[0] & 0x80) != 0;
    bool toggle = false;
    switch (stage_) {
      case Stage::kSetup:
        got = device_->Setup(address_, setup_);
        if (got == Handshake::kAck) stage_ = length_ > 0 ? Stage::kData : Stage::kStatus;
        break;
      case Stage::kData:
        if (in) {
          Bytes packet;
          got = device_->In(address_, 0, &packet, &toggle);
          if (got != Handshake::kAck) break;
          reply_.insert(reply_.end(), packet.begin(), packet.end());
          EXPECT_LE(reply_.size(), length_);
          if (packet.size() < 64 || reply_.size() >= length_) stage_ = Stage::kStatus;
        } else {
          got = device_->Out(address_, 0, out_, true);
          if (got == Handshake::kAck) stage_ = Stage::kStatus;
        }
        break;
      case Stage::kStatus: {
        Bytes packet;
        got = in && length_ > 0 ? device_->Out(address_, 0, {}, true)
                                : device_->In(address_, 0, &packet, &toggle);
        if (got == Handshake::kAck) result_ = Result::kDone;
        break;
      }
    }
    if (got == Handshake::kStall) result_ = Result::kStalled;
    if (got == Handshake::kNothing) result_ = Result::kGone;
  }

  void ReadBulk() {
    Bytes packet;
    bool toggle = false;
    const Handshake got = device_->In(address_, 2, &packet, &toggle);
    if (got == Handshake::kStall) bulk_stalled = true;
    if (got != Handshake::kAck) return;
    EXPECT_EQ(toggle, in_toggle_) << "the host would take this packet for a repeated one";
    in_toggle_ = !in_toggle_;
    EXPECT_LE(packet.size(), 64u);
    if (packet.size() < 64) ++short_packets;
    if (packet.empty()) ++empty_packets;
    read.insert(read.end(), packet.begin(), packet.end());
  }

  void WriteBulk() {
    if (next_.empty()) {
      const size_t size = std::min<size_t>(to_write.size(), 1 + random_() % 64);
      next_.assign(to_write.begin(), to_write.begin() + static_cast<std::ptrdiff_t>(size));
    }
    const Handshake got = device_->Out(address_, 2, next_, out_toggle_);
    if (got == Handshake::kStall) bulk_stalled = true;
    if (got != Handshake::kAck) return;
    out_toggle_ = !out_toggle_;
    to_write.erase(to_write.begin(), to_write.begin() + static_cast<std::ptrdiff_t>(next_.size()));
    next_.clear();
  }

  UsbdModel* device_;
  std::mt19937 random_;
  uint8_t address_ = 0;
  Stage stage_ = Stage::kSetup;
  Result result_ = Result::kDone;
  uint8_t setup_[8] = {};
  uint16_t length_ = 0;
  Bytes reply_, out_, next_;
  bool in_toggle_ = false, out_toggle_ = false;
};

}  // namespace kws

#endif  // KWS_TEST_BOARDS_NRF52840_USB_USB_HOST_H_
