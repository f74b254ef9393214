// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/lookup_table.h"

#include <cstring>

#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

constexpr int32_t kValues = 256;

// Four at a time; `output` may be `input` or start before it.
void LookUp(const int8_t* input, const int8_t* table, int32_t count, int8_t* output) {
  const auto at = [table](uint32_t i) {
    return static_cast<uint32_t>(static_cast<uint8_t>(table[i]));
  };
  for (; count >= 4; count -= 4) {
    const uint32_t in = LoadAs<uint32_t>(input);
    const uint32_t out =
        at(in & 255) | at(in >> 8 & 255) << 8 | at(in >> 16 & 255) << 16 | at(in >> 24) << 24;
    std::memcpy(output, &out, 4);
    input += 4;
    output += 4;
  }
  for (; count > 0; --count) *output++ = table[static_cast<uint8_t>(*input++)];
}

}  // namespace

Status ReadInt8Elementwise(const PrepareContext& context, Tensor* input, Tensor* output) {
  KWS_RETURN_IF_ERROR(ReadInt8(context, input, output));
  return input->elements == output->elements ? Status::kOk : Status::kUnsupportedShape;
}

Status BindLookupTable(PrepareContext& context, uint32_t elements, LookupTable* map) {
  map->elements = static_cast<int32_t>(elements);
  map->has_table = map->elements > kValues;
  context.BindInput(LookupTable::kInput, 0);
  context.BindOutput(LookupTable::kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  return map->has_table ? context.BindScratch(LookupTable::kTable, kValues) : Status::kOk;
}

void InvokeLookupTable(const InvokeContext& context, const LookupTable& map,
                       LookupFunction compute) {
  const int8_t* input = context.Data<int8_t>(LookupTable::kInput);
  int8_t* output = context.MutableData<int8_t>(LookupTable::kOutput);
  const int32_t elements = map.elements;
  if (!map.has_table) {
    compute(context, input, output, elements);
    return;
  }
  int8_t* table = context.MutableData<int8_t>(LookupTable::kTable);
  for (int32_t i = 0; i < kValues; ++i) table[i] = static_cast<int8_t>(i);
  compute(context, table, table, kValues);
  LookUp(input, table, elements, output);
}

}  // namespace kws
