// SPDX-License-Identifier: Apache-2.0
#include "app/diagnostics.h"

#include "boards/board.h"
#include "serial/lines.h"

namespace kws {
namespace {

constexpr uint32_t kHopsPerSecond = 1000 / Pipeline::kHopMs;

// A line of samples; see lines::kPcm.
class SampleLine {
 public:
  SampleLine(uint32_t number, const int16_t* samples) {
    constexpr size_t kWords = Diagnostics::kLineSamples + 2;
    uint16_t words[kWords];
    words[0] = static_cast<uint16_t>(number);
    for (size_t i = 0; i < Diagnostics::kLineSamples; ++i)
      words[i + 1] = static_cast<uint16_t>(samples[i]);
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(words);
    words[kWords - 1] = Checksum(bytes, 2 * (kWords - 1));

    char* next = text_;
    for (const char* name = lines::kPcm; *name != '\0'; ++name) *next++ = *name;
    for (size_t i = 0; i < 2 * kWords; i += 3) {
      const uint32_t bits =
          static_cast<uint32_t>(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
      for (int shift = 18; shift >= 0; shift -= 6) *next++ = Digit(bits >> shift & 63);
    }
    *next = '\n';
  }

  void Send() const { board::WriteSamples(text_, sizeof(text_)); }

 private:
  static constexpr size_t kDigits = (Diagnostics::kLineSamples + 2) * 2 / 3 * 4;
  static_assert((Diagnostics::kLineSamples + 2) * 2 % 3 == 0, "base64 without padding");

  // Base64 (RFC 4648, section 4).
  static char Digit(uint32_t value) {
    const uint32_t begin = value < 26 ? 'A' : value < 52 ? 'a' - 26 : value < 62 ? '0' - 52 : 0;
    if (begin == 0) return value == 62 ? '+' : '/';
    return static_cast<char>(begin + value);
  }

  // CRC-16: polynomial x^16 + x^12 + x^5 + 1, initial value 0xffff.
  static uint16_t Checksum(const uint8_t* bytes, size_t size) {
    uint32_t crc = 0xffff;
    for (size_t i = 0; i < size; ++i) {
      crc = (crc >> 8 | crc << 8) & 0xffff;
      crc ^= bytes[i];
      crc ^= (crc & 0xff) >> 4;
      crc ^= crc << 12 & 0xffff;
      crc ^= (crc & 0xff) << 5;
    }
    return static_cast<uint16_t>(crc);
  }

  char text_[sizeof(lines::kPcm) - 1 + kDigits + 1];
};

}  // namespace

Status Diagnostics::ProcessHop(const int16_t* hop) {
  if (pause_hops_ > 0 && --pause_hops_ == 0) {
    const Status status = pipeline_->Reset();
    if (status != Status::kOk) {
      responder_->WriteFailure(status);
      return status;
    }
    responder_->WriteBoot();
  }
  if (Sends()) Send(hop);
  return Process(hop);
}

// The pipeline is reset before the first sample to send, and no hop belongs to the last one's
// lines.
bool Diagnostics::HasRoom() const {
  return pause_hops_ == 0 && !is_last_sent_ && pipeline_->HasRoom();
}

void Diagnostics::Queue(const int16_t* hop) {
  if (Sends()) Send(hop);
  pipeline_->Queue(hop);
}

Status Diagnostics::Process(const int16_t* hop) {
  const uint32_t begin = board::Cycles();
  const Status status = hop != nullptr ? pipeline_->ProcessHop(hop) : pipeline_->ProcessQueued();
  const uint32_t cycles = board::Cycles() - begin;
  KWS_RETURN_IF_ERROR(responder_->AfterHop(status));
  uint32_t& longest = pipeline_->inferred() ? longest_.inference : longest_.hop;
  if (cycles > longest) longest = cycles;

  if (shows_scores_ && pipeline_->inferred()) WriteScores();
  if (is_last_sent_ && pipeline_->queued() == 0) EndSending();
  return Status::kOk;
}

void Diagnostics::SendSamples(uint32_t seconds) {
  const bool sends = hops_to_send_ > 0;
  hops_to_send_ = seconds * kHopsPerSecond;
  if (seconds == 0) {
    if (sends) EndSending();
    return;
  }
  if (!sends) rate_ = board::ChooseSamplePort();
  const Field fields[] = {seconds, rate_};
  WriteFormat(output_, lines::kPcmBegin, fields);
  if (sends) return;
  pause_hops_ = 1;
  if (rate_ > 0) {
    board::SetFast(true);
    pause_hops_ = kPauseHops;
  }
  sent_ = 0;
  lost_before_ = audio_->overruns();
}

Diagnostics::Longest Diagnostics::TakeLongest() {
  const Longest longest = longest_;
  longest_ = {0, 0};
  return longest;
}

void Diagnostics::Send(const int16_t* hop) {
  static_assert(AudioProvider::kHopSamples % kLineSamples == 0, "a hop fills whole lines");
  for (size_t at = 0; at < AudioProvider::kHopSamples; at += kLineSamples) {
    SampleLine(sent_ / kLineSamples, hop + at).Send();
    sent_ += kLineSamples;
  }
  is_last_sent_ = --hops_to_send_ == 0;
}

void Diagnostics::EndSending() {
  pause_hops_ = 0;
  is_last_sent_ = false;
  const Field fields[] = {sent_, audio_->overruns() - lost_before_};
  WriteFormat(output_, lines::kPcmEnd, fields);
  if (rate_ > 0) board::SetFast(false);
}

void Diagnostics::WriteScores() {
  WriteText(output_, lines::kScores);
  for (int label = 0; label < pipeline_->label_count(); ++label) {
    WriteNumber(output_, pipeline_->MeanScore(label));
    WriteText(output_, " ");
  }
  const Field time = pipeline_->time_ms();
  WriteFormat(output_, lines::kScoresTime, &time);
}

}  // namespace kws
