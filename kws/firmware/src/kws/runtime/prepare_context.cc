// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/graph_builder.h"

namespace kws {

Status PrepareContext::Input(int i, Tensor* tensor) const {
  if (!HasInput(i)) return Status::kBadModel;
  return builder_.model_.GetTensor(builder_.graph_, static_cast<uint32_t>(InputIndex(i)), tensor);
}

Status PrepareContext::Output(int i, Tensor* tensor) const {
  if (i >= outputs()) return Status::kBadModel;
  return builder_.model_.GetTensor(builder_.graph_, static_cast<uint32_t>(OutputIndex(i)), tensor);
}

Status PrepareContext::CheckOptions(OptionsType type) const {
  if (op_.options.position == 0) return Status::kOk;
  return op_.options_type == static_cast<uint8_t>(type) ? Status::kOk : Status::kBadModel;
}

FlatVector PrepareContext::OptionVector(int slot, uint32_t element_bytes) const {
  FlatVector vector{};
  if (op_.options.position == 0 || !model().Vector(op_.options, slot, element_bytes, &vector)) {
    return FlatVector{};
  }
  return vector;
}

Status PrepareContext::AllocateRecord(int references, uint32_t param_bytes, void** params) {
  const uint32_t bytes = AlignUp(static_cast<uint32_t>(sizeof(RecordHeader)) +
                                     4 * static_cast<uint32_t>(references) + param_bytes,
                                 4);
  if (bytes / 4 > UINT16_MAX) return Status::kUnsupportedShape;
  uint32_t offset;
  KWS_RETURN_IF_ERROR(builder_.Take(bytes, &offset));
  RecordHeader* header = reinterpret_cast<RecordHeader*>(builder_.arena_ + offset);
  header->words = static_cast<uint16_t>(bytes / 4);
  header->registration = static_cast<uint8_t>(builder_.resolver_index_);
  header->references = static_cast<uint8_t>(references);
  references_ = reinterpret_cast<int32_t*>(header + 1);
  for (int i = 0; i < references; ++i) references_[i] = -1;
  *params = references_ + references;
  ++builder_.layout_.record_count;
  return Status::kOk;
}

Status PrepareContext::BindScratch(int reference, uint32_t bytes) {
  int index;
  KWS_RETURN_IF_ERROR(builder_.AddEntry(&index));
  PlanEntry& entry = builder_.table_[index];
  entry.bytes = bytes;
  entry.first = static_cast<int16_t>(builder_.op_index_);
  entry.last = entry.first;
  references_[reference] = index;
  return Status::kOk;
}

void PrepareContext::AllowOverlap(int in, int out, const PlanEntry::Overlap& overlap) {
  const int input = builder_.Entry(InputIndex(in));
  if (builder_.table_[input].IsFixed()) return;
  PlanEntry& entry = builder_.table_[builder_.Entry(OutputIndex(out))];
  entry.over = static_cast<int16_t>(input);
  entry.overlap = overlap;
}

bool PrepareContext::ShareOutput(int in, int out) {
  const int input = builder_.Entry(InputIndex(in));
  if (builder_.table_[input].IsFixed()) return false;
  builder_.table_[builder_.Entry(OutputIndex(out))].same_as =
      static_cast<int16_t>(builder_.Root(input));
  return true;
}

Status PrepareContext::BindHandle(const FlatVector& container, const FlatVector& name) {
  int variable;
  KWS_RETURN_IF_ERROR(builder_.FindVariable(container, name, &variable));
  builder_.table_[builder_.Entry(OutputIndex(0))].same_as = static_cast<int16_t>(variable);
  return Status::kOk;
}

Status PrepareContext::BindVariable(int reference, int i, uint32_t bytes, bool writes,
                                    bool* first) {
  const int index = builder_.Root(builder_.Entry(InputIndex(i)));
  if (!builder_.IsVariable(index)) return Status::kBadModel;
  PlanEntry& entry = builder_.table_[index];
  if (entry.bytes == 0) entry.bytes = bytes;
  if (entry.bytes != bytes) return Status::kUnsupportedShape;
  *first = !entry.variable.assigned;
  entry.variable.assigned |= writes;
  builder_.main_uses_variables_ = true;
  references_[reference] = index;
  return Status::kOk;
}

void PrepareContext::OfferVariableAlias(int i, bool is_output) {
  const int tensor = builder_.Entry(is_output ? OutputIndex(i) : InputIndex(i));
  if (builder_.table_[tensor].IsFixed()) return;
  builder_.alias_variables_ = GraphBuilder::AliasVariables;
  builder_.table_[builder_.Root(tensor)].of_variable =
      static_cast<int16_t>(builder_.Root(builder_.Entry(InputIndex(0))));
}

}  // namespace kws
