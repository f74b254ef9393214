// SPDX-License-Identifier: Apache-2.0
// Reads a FlatBuffer that may be damaged: every access is checked against the buffer's size.
//
// A position is a byte offset from the buffer's start; 0, where the root offset lies, means absent.
// Readers return false if the file is damaged, and true with count or position 0 if a field is
// absent.
#ifndef KWS_RUNTIME_MODEL_FLATBUFFER_H_
#define KWS_RUNTIME_MODEL_FLATBUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kws {

struct FlatTable {
  uint32_t position;  // 0: absent
  uint32_t vtable;
  uint16_t vtable_bytes;
  uint16_t table_bytes;
};

struct FlatVector {
  uint32_t position;  // of the first element; 0: absent
  uint32_t count;
};

// Unaligned little-endian load; one instruction on the targets.
template <typename T>
inline T LoadAs(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

class FlatBuffer {
 public:
  FlatBuffer() = default;
  FlatBuffer(const void* data, uint32_t size)
      : data_(static_cast<const uint8_t*>(data)), size_(size) {}

  const uint8_t* data() const { return data_; }
  uint32_t size() const { return size_; }

  bool Contains(uint32_t position, uint32_t bytes) const {
    return position <= size_ && bytes <= size_ - position;
  }

  // The position must have been checked by a reader below.
  template <typename T>
  T At(uint32_t position) const {
    return LoadAs<T>(data_ + position);
  }
  // Element of a checked vector of scalars.
  template <typename T>
  T Element(const FlatVector& vector, uint32_t index) const {
    return At<T>(vector.position + index * static_cast<uint32_t>(sizeof(T)));
  }

  bool Root(FlatTable* out) const { return TableThrough(0, out); }
  // The table that a field refers to.
  bool Table(const FlatTable& table, int slot, FlatTable* out) const;
  // The table that element `index` of a checked vector of offsets refers to.
  bool TableElement(const FlatVector& vector, uint32_t index, FlatTable* out) const {
    return index < vector.count && TableThrough(vector.position + 4 * index, out);
  }
  // A vector field whose elements have `element_bytes` bytes.
  bool Vector(const FlatTable& table, int slot, uint32_t element_bytes, FlatVector* out) const;

  // Elements of four bytes.
  bool Vector(const FlatTable& table, int slot, FlatVector* out) const;

  // A scalar field, or `fallback` if it is absent. Not inline, to save flash.
  template <typename T>
  __attribute__((noinline)) T Scalar(const FlatTable& table, int slot, T fallback) const {
    const uint32_t position = Field(table, slot, sizeof(T));
    return position == 0 ? fallback : At<T>(position);
  }
  // An unsigned 32-bit field, 0 if it is absent, without another copy of Scalar.
  uint32_t Unsigned(const FlatTable& table, int slot) const {
    return static_cast<uint32_t>(Scalar<int32_t>(table, slot, 0));
  }

 private:
  // Position of a field of `bytes` bytes; 0 if it is absent or not inside the table.
  uint32_t Field(const FlatTable& table, int slot, uint32_t bytes) const;
  // Follows the 32-bit offset at `position` to a table and checks that table.
  bool TableThrough(uint32_t position, FlatTable* out) const;

  const uint8_t* data_ = nullptr;
  uint32_t size_ = 0;
};

}  // namespace kws

#endif  // KWS_RUNTIME_MODEL_FLATBUFFER_H_
