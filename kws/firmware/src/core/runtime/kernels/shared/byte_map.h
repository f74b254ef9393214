// SPDX-License-Identifier: Apache-2.0
// Ops that make each output byte from one input byte. Where there are more bytes than a byte has
// values, the op is computed once for each value, into a table of its own while it runs.
#ifndef KWS_RUNTIME_KERNELS_SHARED_BYTE_MAP_H_
#define KWS_RUNTIME_KERNELS_SHARED_BYTE_MAP_H_

#include <cstdint>

#include "runtime/kernel_context.h"

namespace kws {

// First member of such an op's parameters.
struct ByteMap {
  enum References { kInput, kOutput, kTable, kReferences };

  int32_t elements;
  bool has_table;
};

// The op for `count` bytes; `output` may be `input`.
using MapBytes = void (*)(const InvokeContext& context, const int8_t* input, int8_t* output,
                          int32_t count);

// Reads the op's input and output: int8, as many elements, quantized.
Status ReadInt8Map(const PrepareContext& context, Tensor* input, Tensor* output);

// Binds what ByteMap::References names and fills the map.
Status BindByteMap(PrepareContext& context, uint32_t elements, ByteMap* map);

// Makes the record of Params, whose first member is a ByteMap named `map`.
template <typename Params>
Status AllocateByteMap(PrepareContext& context, uint32_t elements, Params** params) {
  KWS_RETURN_IF_ERROR(context.Allocate(ByteMap::kReferences, params));
  return BindByteMap(context, elements, &(*params)->map);
}

void InvokeByteMap(const InvokeContext& context, const ByteMap& map, MapBytes compute);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BYTE_MAP_H_
