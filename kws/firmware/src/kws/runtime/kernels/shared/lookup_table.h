// SPDX-License-Identifier: Apache-2.0
// Element-wise ops from one byte to one byte. For more than 256 elements, the op is computed once
// for each value into a scratch table, which is then looked up.
#ifndef KWS_RUNTIME_KERNELS_SHARED_LOOKUP_TABLE_H_
#define KWS_RUNTIME_KERNELS_SHARED_LOOKUP_TABLE_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"

namespace kws {

// First member of such an op's parameters.
struct LookupTable {
  enum References { kInput, kOutput, kTable, kReferences };

  int32_t elements;
  bool has_table;
};

// Computes the op for `count` bytes; `output` may be `input`.
using LookupFunction = void (*)(const InvokeContext& context, const int8_t* input, int8_t* output,
                                int32_t count);

// Reads and checks input and output: int8, quantized, the same number of elements.
Status ReadInt8Elementwise(const PrepareContext& context, Tensor* input, Tensor* output);

// Binds LookupTable::References and fills `map`.
Status BindLookupTable(PrepareContext& context, uint32_t elements, LookupTable* map);

// Allocates the record of Params, whose first member is a LookupTable named `map`.
template <typename Params>
Status AllocateLookupTable(PrepareContext& context, uint32_t elements, Params** params) {
  KWS_RETURN_IF_ERROR(context.Allocate(LookupTable::kReferences, params));
  return BindLookupTable(context, elements, &(*params)->map);
}

void InvokeLookupTable(const InvokeContext& context, const LookupTable& map,
                       LookupFunction compute);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_LOOKUP_TABLE_H_
