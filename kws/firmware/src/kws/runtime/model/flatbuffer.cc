// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/model/flatbuffer.h"

namespace kws {

bool FlatBuffer::TableThrough(uint32_t position, FlatTable* out) const {
  if (!Contains(position, 4)) return false;
  const uint32_t offset = At<uint32_t>(position);
  if (offset < 4 || offset > size_ - position) return false;
  const uint32_t table = position + offset;
  if (!Contains(table, 4)) return false;

  // A table starts with the signed distance back to its vtable. Positions before the file wrap
  // around to positions after it.
  const uint32_t vtable = table - At<uint32_t>(table);
  if (vtable < 4 || vtable > size_ - 4) return false;
  out->position = table;
  out->vtable = vtable;
  out->vtable_bytes = At<uint16_t>(out->vtable);
  out->table_bytes = At<uint16_t>(out->vtable + 2);
  return out->vtable_bytes >= 4 && Contains(out->vtable, out->vtable_bytes) &&
         out->table_bytes >= 4 && Contains(table, out->table_bytes);
}

uint32_t FlatBuffer::Field(const FlatTable& table, int slot, uint32_t bytes) const {
  const uint32_t entry = 4 + 2 * static_cast<uint32_t>(slot);
  if (table.position == 0 || entry + 2 > table.vtable_bytes) return 0;
  const uint32_t offset = At<uint16_t>(table.vtable + entry);
  if (offset < 4 || offset + bytes > table.table_bytes) return 0;
  return table.position + offset;
}

bool FlatBuffer::Table(const FlatTable& table, int slot, FlatTable* out) const {
  const uint32_t field = Field(table, slot, 4);
  if (field == 0) {
    *out = FlatTable{};
    return true;
  }
  return TableThrough(field, out);
}

bool FlatBuffer::Vector(const FlatTable& table, int slot, FlatVector* out) const {
  return Vector(table, slot, 4, out);
}

bool FlatBuffer::Vector(const FlatTable& table, int slot, uint32_t element_bytes,
                        FlatVector* out) const {
  *out = FlatVector{};
  const uint32_t field = Field(table, slot, 4);
  if (field == 0) return true;
  const uint32_t offset = At<uint32_t>(field);
  if (offset < 4 || offset > size_ - field) return false;
  const uint32_t vector = field + offset;
  if (!Contains(vector, 4)) return false;
  const uint32_t count = At<uint32_t>(vector);
  if (count > (size_ - vector - 4) / element_bytes) return false;
  // An empty vector may lie at the end of the file, so it gets position 0.
  *out = count == 0 ? FlatVector{} : FlatVector{vector + 4, count};
  return true;
}

}  // namespace kws
