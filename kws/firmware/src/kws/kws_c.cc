// SPDX-License-Identifier: Apache-2.0
#include "kws/kws_c.h"

#include <new>

#include "kws/spotter.h"
#include "kws/version.h"

struct kws_spotter {
  kws_spotter(const kws::Bundle& bundle, void* memory, size_t bytes)
      : spotter(bundle, memory, bytes) {}
  kws::Spotter spotter;
};

namespace {

constexpr size_t kOwnBytes = kws::Bundle::Rounded(sizeof(kws_spotter));

const kws::Bundle& BundleOf(const kws_bundle* bundle) {
  return *reinterpret_cast<const kws::Bundle*>(bundle);
}

bool IsLabel(const kws_spotter* spotter, int label) {
  return label >= 0 && label < spotter->spotter.label_count();
}

}  // namespace

extern "C" {

size_t kws_bytes(const kws_bundle* bundle) { return kOwnBytes + BundleOf(bundle).bytes(); }

kws_spotter* kws_create(const kws_bundle* bundle, void* memory, size_t bytes, int* status) {
  kws::Status result = kws::Status::kArenaTooSmall;
  kws_spotter* spotter = nullptr;
  const bool aligned = (reinterpret_cast<uintptr_t>(memory) & 15) == 0;
  if (memory != nullptr && aligned && bytes >= kws_bytes(bundle)) {
    uint8_t* rest = static_cast<uint8_t*>(memory) + kOwnBytes;
    spotter = new (memory) kws_spotter(BundleOf(bundle), rest, bytes - kOwnBytes);
    result = spotter->spotter.Start();
  }
  if (status != nullptr) *status = static_cast<int>(result);
  return result == kws::Status::kOk ? spotter : nullptr;
}

size_t kws_push(kws_spotter* spotter, const int16_t* samples, size_t count, kws_detection* hit) {
  kws::Detection detection;
  const size_t used = spotter->spotter.Push(samples, count, &detection);
  const bool heard = detection.label != kws::Detection::kNothing;
  hit->label = detection.label;
  hit->score = detection.score;
  hit->time_ms = detection.time_ms;
  hit->word = heard ? spotter->spotter.label(detection.label) : nullptr;
  hit->status = static_cast<int>(spotter->spotter.status());
  return used;
}

int kws_reset(kws_spotter* spotter) { return static_cast<int>(spotter->spotter.Reset()); }

int kws_label_count(const kws_spotter* spotter) { return spotter->spotter.label_count(); }

const char* kws_label(const kws_spotter* spotter, int label) {
  return IsLabel(spotter, label) ? spotter->spotter.label(label) : nullptr;
}

int kws_threshold(const kws_spotter* spotter, int label) {
  return IsLabel(spotter, label) ? spotter->spotter.threshold(label) : -1;
}

int kws_set_threshold(kws_spotter* spotter, int label, int threshold) {
  if (!IsLabel(spotter, label) || threshold < 0 || threshold > 255) return -1;
  spotter->spotter.SetThreshold(label, static_cast<uint8_t>(threshold));
  return 0;
}

int kws_mean_score(const kws_spotter* spotter, int label) {
  return IsLabel(spotter, label) ? spotter->spotter.MeanScore(label) : -1;
}

const char* kws_message(int status) { return kws::StatusMessage(static_cast<kws::Status>(status)); }

const char* kws_version(void) {
  static_assert(kws::kVersionMajor == 0 && kws::kVersionMinor == 1 && kws::kVersionPatch == 0,
                "write the version below");
  return "0.1.0";
}

}  // extern "C"
