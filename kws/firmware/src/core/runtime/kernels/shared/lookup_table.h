// SPDX-License-Identifier: Apache-2.0
// Ops that make each output byte from one input byte. Where there are more bytes than a byte has
// values, the op is computed once for each value, into a table of its own while it runs.
#ifndef KWS_RUNTIME_KERNELS_SHARED_LOOKUP_TABLE_H_
#define KWS_RUNTIME_KERNELS_SHARED_LOOKUP_TABLE_H_

#include <cstdint>

#include "runtime/kernel_context.h"

namespace kws {

// First member of such an op's parameters.
struct LookupTable {
  enum References { kInput, kOutput, kTable, kReferences };

  int32_t elements;
  bool has_table;
};

// The op for `count` bytes; `output` may be `input`.
using LookupFunction = void (*)(const InvokeContext& context, const int8_t* input, int8_t* output,
                                int32_t count);

// Reads the op's input and output: int8, as many elements, quantized.
Status ReadInt8Elementwise(const PrepareContext& context, Tensor* input, Tensor* output);

// Binds what LookupTable::References names and fills the map.
Status BindLookupTable(PrepareContext& context, uint32_t elements, LookupTable* map);

// Makes the record of Params, whose first member is a LookupTable named `map`.
template <typename Params>
Status AllocateLookupTable(PrepareContext& context, uint32_t elements, Params** params) {
  KWS_RETURN_IF_ERROR(context.Allocate(LookupTable::kReferences, params));
  return BindLookupTable(context, elements, &(*params)->map);
}

void InvokeLookupTable(const InvokeContext& context, const LookupTable& map,
                       LookupFunction compute);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_LOOKUP_TABLE_H_
