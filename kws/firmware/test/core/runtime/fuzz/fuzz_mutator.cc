// SPDX-License-Identifier: Apache-2.0
// libFuzzer's mutator for models: mostly changes one number (a dimension, a type, a scale, a
// tensor's index, an option), so that the file stays readable and later checks are tested too.
// Otherwise libFuzzer changes any bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kws/runtime/model/model.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using kws::FlatBuffer;
using kws::FlatTable;
using kws::FlatVector;

struct Place {
  uint32_t position;
  uint32_t bytes;
};

// Every number of the tables that decide what the runtime does.
class Places {
 public:
  explicit Places(const FlatBuffer& buffer) : buffer_(buffer) { Walk(); }
  const std::vector<Place>& list() const { return list_; }

 private:
  void Add(uint32_t position, uint32_t bytes) {
    if (buffer_.Contains(position, bytes)) list_.push_back({position, bytes});
  }
  // A field that is present. Slots as in schema.fbs.
  void Field(const FlatTable& table, uint32_t slot, uint32_t bytes) {
    const uint32_t entry = 4 + 2 * slot;
    if (table.position == 0 || entry + 2 > table.vtable_bytes) return;
    const uint16_t offset = buffer_.At<uint16_t>(table.vtable + entry);
    if (offset != 0) Add(table.position + offset, bytes);
  }
  void Elements(const FlatTable& table, int slot, uint32_t bytes) {
    FlatVector vector;
    if (table.position == 0 || !buffer_.Vector(table, slot, bytes, &vector)) return;
    const uint32_t count = std::min(vector.count, 16u);
    for (uint32_t i = 0; i < count; ++i) Add(vector.position + i * bytes, bytes);
    if (vector.count > 0) Add(vector.position - 4, 4);
  }
  template <typename Visit>
  void Tables(const FlatTable& table, int slot, const Visit& visit) {
    FlatVector vector;
    if (!buffer_.Vector(table, slot, 4, &vector)) return;
    FlatTable element;
    for (uint32_t i = 0; i < vector.count && list_.size() < 4096; ++i) {
      if (buffer_.TableElement(vector, i, &element)) visit(element);
    }
  }

  void Walk() {
    FlatTable root;
    if (!buffer_.Root(&root)) return;
    Tables(root, 1, [this](const FlatTable& code) {
      Field(code, 0, 1);
      Field(code, 3, 4);
    });
    Tables(root, 2, [this](const FlatTable& graph) {
      Elements(graph, 1, 4);
      Elements(graph, 2, 4);
      Tables(graph, 0, [this](const FlatTable& tensor) { Tensor(tensor); });
      Tables(graph, 3, [this](const FlatTable& op) { Operator(op); });
    });
  }
  void Tensor(const FlatTable& tensor) {
    Elements(tensor, 0, 4);
    Field(tensor, 1, 1);
    Field(tensor, 2, 4);
    Field(tensor, 5, 1);
    FlatTable quantization;
    if (!buffer_.Table(tensor, 4, &quantization)) return;
    Elements(quantization, 2, 4);
    Elements(quantization, 3, 8);
    Field(quantization, 6, 4);
  }
  void Operator(const FlatTable& op) {
    Field(op, 0, 4);
    Elements(op, 1, 4);
    Elements(op, 2, 4);
    Field(op, 3, 1);
    Elements(op, 8, 4);
    FlatTable options;
    if (!buffer_.Table(op, 4, &options) || options.position == 0) return;
    for (uint32_t slot = 0; slot < 12; ++slot) Field(options, slot, 4);
  }

  const FlatBuffer& buffer_;
  std::vector<Place> list_;
};

constexpr uint64_t kTelling[] = {0,   1,   2,    3,     4,     8,         16,       127,      128,
                                 255, 256, 4096, 32767, 65535, INT32_MAX, 1u << 31, INT64_MAX};

void Change(uint8_t* at, uint32_t bytes, std::minstd_rand& random) {
  uint64_t value = 0;  // the little end of it
  std::memcpy(&value, at, bytes);
  const uint32_t choice = static_cast<uint32_t>(random());
  switch (choice / 16 % 8) {
    case 0:
    case 1:
      value += random() % 9 - 4;
      break;
    case 2:
      value *= 2;
      break;
    case 3:
      value /= 2;
      break;
    case 4:
      value = 0 - value;
      break;
    case 5:
      value = random() % 40 - 2;
      break;
    case 6:
      value = kTelling[random() % (sizeof(kTelling) / sizeof(kTelling[0]))];
      break;
    default:
      value ^= uint64_t{1} << random() % (8 * bytes);
  }
  std::memcpy(at, &value, bytes);
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0 || size < 16) return LLVMFuzzerMutate(data, size, max_size);
  const FlatBuffer buffer(data, static_cast<uint32_t>(size));
  const Places places(buffer);
  if (places.list().empty()) return LLVMFuzzerMutate(data, size, max_size);
  for (uint32_t i = 0; i < 1 + seed % 3; ++i) {
    const Place& place = places.list()[random() % places.list().size()];
    Change(data + place.position, place.bytes, random);
  }
  return size;
}
