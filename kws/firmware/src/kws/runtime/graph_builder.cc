// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/graph_builder.h"

#include <cstring>

namespace kws {
namespace {

// Limit the planner's time for a hostile model; large keyword spotters have some hundreds.
constexpr uint32_t kMaxEntries = 1024;
constexpr uint32_t kMaxOps = 4096;

}  // namespace

Status GraphBuilder::Build(ErrorDetail* error) {
  KWS_RETURN_IF_ERROR(model_.status());
  KWS_RETURN_IF_ERROR(model_.GetSubgraph(0, &graph_));
  arena_size_ = arena_size_ / kPlanAlignment * kPlanAlignment;
  table_ = PlanTable(reinterpret_cast<PlanEntry*>(arena_ + arena_size_));

  KWS_RETURN_IF_ERROR(AddTensors());
  layout_.variables_bytes = taken_;
  KWS_RETURN_IF_ERROR(AddInputsAndOutputs());
  layout_.records = taken_;
  KWS_RETURN_IF_ERROR(PrepareOnce(error));
  layout_.main_records = taken_;
  layout_.once_count = layout_.record_count;
  KWS_RETURN_IF_ERROR(PrepareOps(error));
  return Plan();
}

Status GraphBuilder::AddTensors() {
  first_entry_ = entries_;
  for (uint32_t i = 0; i < graph_.tensors.count; ++i) {
    Tensor tensor;
    const Status status = model_.GetTensor(graph_, i, &tensor);
    const bool is_shaped = status != Status::kUnsupportedShape;
    if (is_shaped || tensor.is_variable) KWS_RETURN_IF_ERROR(status);
    int index;
    KWS_RETURN_IF_ERROR(AddEntry(&index));
    PlanEntry& entry = table_[index];
    // Converters leave unused tensors without elements, such as an LSTM's intermediates.
    // CheckTensor refuses an op that uses one.
    entry.bytes = is_shaped ? tensor.bytes : 0;
    if (tensor.is_constant()) {
      entry.offset = ModelReference(tensor.data);
    } else if (tensor.is_variable) {
      if (tensor.bytes == 0) return Status::kUnsupportedType;
      // Variables lie at the arena's start, allocated while only the main graph is known.
      if (first_entry_ != 0) return Status::kUnsupportedOption;
      uint32_t offset;
      KWS_RETURN_IF_ERROR(Take(tensor.bytes, &offset));
      entry.offset = static_cast<int32_t>(offset);
    }
  }
  return Status::kOk;
}

Status GraphBuilder::AddInputsAndOutputs() {
  const uint32_t inputs = graph_.inputs.count;
  const uint32_t outputs = graph_.outputs.count;
  if (inputs > kMaxEntries || outputs > kMaxEntries) return Status::kBadModel;
  KWS_RETURN_IF_ERROR(Take(8 * (inputs + outputs), &layout_.ios));
  layout_.input_count = static_cast<uint16_t>(inputs);
  layout_.output_count = static_cast<uint16_t>(outputs);
  int32_t* pairs = reinterpret_cast<int32_t*>(arena_ + layout_.ios);
  for (uint32_t i = 0; i < inputs + outputs; ++i) {
    const int32_t tensor = i < inputs
                               ? model_.buffer().Element<int32_t>(graph_.inputs, i)
                               : model_.buffer().Element<int32_t>(graph_.outputs, i - inputs);
    KWS_RETURN_IF_ERROR(CheckTensor(tensor));
    pairs[2 * i] = tensor;
    if (i >= inputs) continue;
    PlanEntry& entry = table_[tensor];
    if (entry.IsFixed() || entry.first != PlanEntry::kNone) return Status::kBadModel;
    if (entry.bytes == 0) return Status::kUnsupportedType;
    entry.first = 0;
    entry.last = 0;
  }
  return Status::kOk;
}

Status GraphBuilder::MarkForever(const FlatVector& tensors) {
  for (uint32_t i = 0; i < tensors.count; ++i) {
    const int32_t tensor = model_.buffer().Element<int32_t>(tensors, i);
    PlanEntry& entry = table_[Root(tensor)];
    // No op writes the output, or it is a constant.
    if (entry.first == PlanEntry::kNone) return Status::kBadModel;
    entry.last = PlanEntry::kForever;
  }
  return Status::kOk;
}

// Prepares CALL_ONCE's graphs. CALL_ONCE refuses to run in such a graph, so there is no recursion.
Status GraphBuilder::PrepareOnce(ErrorDetail* error) {
  if (model_.subgraph_count() == 1) return Status::kOk;
  const Model::Subgraph main = graph_;
  for (uint32_t i = 0; i < main.operators.count; ++i) {
    Model::Operator op;
    KWS_RETURN_IF_ERROR(model_.GetOperator(main, i, &op));
    if (op.builtin_code != static_cast<int32_t>(BuiltinOp::kCallOnce)) continue;
    const uint32_t index = model_.buffer().Unsigned(op.options, 0);
    if (index == 0 || index >= model_.subgraph_count()) return Status::kBadModel;
    KWS_RETURN_IF_ERROR(model_.GetSubgraph(index, &graph_));
    if (graph_.inputs.count != 0 || graph_.outputs.count != 0) return Status::kUnsupportedOption;
    KWS_RETURN_IF_ERROR(AddTensors());
    KWS_RETURN_IF_ERROR(PrepareOps(error));
  }
  graph_ = main;
  first_entry_ = 0;
  main_uses_variables_ = false;
  return Status::kOk;
}

Status GraphBuilder::PrepareOps(ErrorDetail* error) {
  if (graph_.operators.count > kMaxOps - static_cast<uint32_t>(op_index_)) return Status::kBadModel;
  for (uint32_t i = 0; i < graph_.operators.count; ++i) {
    KWS_RETURN_IF_ERROR(PrepareOp(i, error));
    *error = ErrorDetail{};
    ++op_index_;
  }
  return Status::kOk;
}

Status GraphBuilder::PrepareOp(uint32_t op_index, ErrorDetail* error) {
  Model::Operator op;
  KWS_RETURN_IF_ERROR(model_.GetOperator(graph_, op_index, &op));
  *error = ErrorDetail{static_cast<int32_t>(op_index), op.builtin_code};
  resolver_index_ = resolver_.Find(op.builtin_code);
  if (resolver_index_ < 0) return Status::kUnsupportedOp;
  KWS_RETURN_IF_ERROR(CheckOperands(op));
  PrepareContext context(*this, op);
  return resolver_.at(resolver_index_).prepare(context);
}

// A tensor without bytes is a handle, or has a shape that AddTensors accepted for unused tensors.
Status GraphBuilder::CheckTensor(int32_t tensor) const {
  if (static_cast<uint32_t>(tensor) >= graph_.tensors.count) return Status::kBadModel;
  Tensor unused;
  return table_[Entry(tensor)].bytes != 0
             ? Status::kOk
             : model_.GetTensor(graph_, static_cast<uint32_t>(tensor), &unused);
}

// Checks that inputs were written before and outputs are written once; records lifetimes.
Status GraphBuilder::CheckOperands(const Model::Operator& op) {
  const int16_t now = static_cast<int16_t>(op_index_);
  for (uint32_t i = 0; i < op.inputs.count; ++i) {
    const int32_t tensor = model_.buffer().Element<int32_t>(op.inputs, i);
    if (tensor == -1) continue;
    KWS_RETURN_IF_ERROR(CheckTensor(tensor));
    if (table_[Entry(tensor)].IsFixed()) continue;
    PlanEntry& entry = table_[Root(Entry(tensor))];
    if (entry.first == PlanEntry::kNone) return Status::kBadModel;
    if (entry.last < now) entry.last = now;
  }
  for (uint32_t i = 0; i < op.outputs.count; ++i) {
    const int32_t tensor = model_.buffer().Element<int32_t>(op.outputs, i);
    KWS_RETURN_IF_ERROR(CheckTensor(tensor));
    PlanEntry& entry = table_[Entry(tensor)];
    if (entry.IsFixed() || entry.first != PlanEntry::kNone || entry.same_as != PlanEntry::kNone) {
      return Status::kBadModel;
    }
    entry.first = now;
    entry.last = now;
  }
  return Status::kOk;
}

Status GraphBuilder::FindVariable(const FlatVector& container, const FlatVector& name, int* index) {
  const auto same = [this](const FlatVector& string, uint32_t position) {
    // A string's length lies before its characters.
    const uint32_t count = position == 0 ? 0 : model_.buffer().At<uint32_t>(position - 4);
    return count == string.count &&
           std::memcmp(model_.data() + position, model_.data() + string.position, count) == 0;
  };
  for (int i = first_variable_; i != PlanEntry::kNone; i = table_[i].variable.next) {
    const PlanEntry::Variable& variable = table_[i].variable;
    *index = i;
    if (same(name, variable.name) &&
        (container.position == 0 || same(container, variable.container))) {
      return Status::kOk;
    }
  }
  KWS_RETURN_IF_ERROR(AddEntry(index));
  PlanEntry& entry = table_[*index];
  entry.first = 0;
  entry.last = PlanEntry::kForever;
  entry.variable = PlanEntry::Variable{container.position, name.position,
                                       static_cast<int16_t>(first_variable_), false};
  first_variable_ = *index;
  return Status::kOk;
}

bool GraphBuilder::IsVariable(int entry) const {
  int i = first_variable_;
  while (i != PlanEntry::kNone && i != entry) i = table_[i].variable.next;
  return i != PlanEntry::kNone;
}

// Accepts the output of a READ_VARIABLE that only the next op reads, and the input of an
// ASSIGN_VARIABLE that only the op before it writes. If one op reads and writes the variable, only
// the first of the two tensors becomes an alias.
bool GraphBuilder::MayAliasVariable(int index) const {
  const PlanEntry& entry = table_[index];
  // The model's inputs are written before the first op.
  if (entry.of_variable == PlanEntry::kNone || entry.same_as != PlanEntry::kNone ||
      entry.first <= 0 || entry.last - entry.first > 1 ||
      entry.bytes != table_[entry.of_variable].bytes) {
    return false;
  }
  for (int i = 0; i < entries_; ++i) {
    const PlanEntry& other = table_[i];
    if (other.same_as == entry.of_variable && other.of_variable == entry.of_variable &&
        other.first <= entry.last && other.last >= entry.first) {
      return false;
    }
  }
  return true;
}

void GraphBuilder::AliasVariables(GraphBuilder& builder) {
  const PlanTable& table = builder.table_;
  for (int index = 0; index < builder.entries_; ++index) {
    if (!builder.MayAliasVariable(index)) continue;
    const int16_t variable = table[index].of_variable;
    for (int i = 0; i < builder.entries_; ++i) {
      if (i == index || table[i].same_as == index) table[i].same_as = variable;
    }
  }
}

Status GraphBuilder::Plan() {
  KWS_RETURN_IF_ERROR(MarkForever(graph_.outputs));
  if (alias_variables_ != nullptr) alias_variables_(*this);
  const uint32_t block = taken_;
  const uint32_t bytes = PlanMemory(table_, entries_, arena_size_ - block);
  if (bytes == kPlanFailed || bytes > arena_size_ - block) return Status::kArenaTooSmall;
  Resolve(block);
  layout_.used = block + bytes > peak_ ? block + bytes : peak_;
  return Status::kOk;
}

void GraphBuilder::Resolve(uint32_t block) {
  int32_t* pairs = reinterpret_cast<int32_t*>(arena_ + layout_.ios);
  const int count = layout_.input_count + layout_.output_count;
  for (int i = 0; i < count; ++i) pairs[2 * i + 1] = Reference(pairs[2 * i], block);

  uint8_t* at = arena_ + layout_.records;
  for (int i = 0; i < layout_.record_count; ++i) {
    const RecordHeader* header = reinterpret_cast<const RecordHeader*>(at);
    int32_t* references = reinterpret_cast<int32_t*>(at + sizeof(RecordHeader));
    for (int k = 0; k < header->references; ++k) {
      references[k] = Reference(references[k], block);
    }
    at += 4 * header->words;
  }
}

int32_t GraphBuilder::Reference(int32_t entry, uint32_t block) const {
  if (entry < 0) return kNoData;
  const PlanEntry& placed = table_[entry];
  return placed.IsFixed() ? placed.offset : placed.offset + static_cast<int32_t>(block);
}

Status GraphBuilder::Take(uint32_t bytes, uint32_t* offset) {
  bytes = AlignUp(bytes, kPlanAlignment);
  if (bytes > arena_size_ - table_bytes_ - taken_) return Status::kArenaTooSmall;
  *offset = taken_;
  std::memset(arena_ + taken_, 0, bytes);
  taken_ += bytes;
  if (taken_ + table_bytes_ > peak_) peak_ = taken_ + table_bytes_;
  return Status::kOk;
}

Status GraphBuilder::AddEntry(int* index) {
  if (static_cast<uint32_t>(entries_) >= kMaxEntries) return Status::kBadModel;
  if (sizeof(PlanEntry) > arena_size_ - table_bytes_ - taken_) return Status::kArenaTooSmall;
  table_bytes_ += sizeof(PlanEntry);
  if (taken_ + table_bytes_ > peak_) peak_ = taken_ + table_bytes_;
  *index = entries_++;
  PlanEntry& entry = table_[*index];
  entry = PlanEntry{};
  entry.offset = PlanEntry::kUnplaced;
  entry.first = PlanEntry::kNone;
  entry.last = PlanEntry::kNone;
  entry.same_as = PlanEntry::kNone;
  entry.over = PlanEntry::kNone;
  entry.of_variable = PlanEntry::kNone;
  return Status::kOk;
}

}  // namespace kws
